"""Means and pass@k by both of Harbor's rules, on jobs built by hand."""

from pathlib import Path

import pytest

from runaudit.layouts.harbor.reading import read_run
from runaudit.layouts.harbor.scoring import Group, groups_of
from runaudit.model.request import Request
from runaudit.read.places import Places
from tests.job_builders.harbor_job import JSON, HarborJob


def scored(folder: Path, *rewards: JSON | None) -> Group:
    """The one group of a job whose trials are repeats of one task with these rewards."""
    job = HarborJob(folder)
    for number, reward in enumerate(rewards):
        job.trial("greet", f"AAAAAA{number}", reward)
    run = read_run(Places([str(folder)]), str(folder), Request())
    (group,) = groups_of(run.trials)
    return group


def test_a_missing_reward_is_zero_or_left_out(tmp_path: Path) -> None:
    group = scored(tmp_path / "job", {"reward": 1}, None)
    assert (group.as_zero.metric, group.as_zero.n) == ({"mean": 0.5}, 2)
    assert (group.left_out.metric, group.left_out.n) == ({"mean": 1.0}, 1)
    assert group.rules_differ


def test_several_names_have_a_mean_each(tmp_path: Path) -> None:
    group = scored(tmp_path / "job", {"a": 1, "b": 0.5}, {"a": 0})
    assert group.as_zero.metric == {"a": 0.5, "b": 0.25}


def test_one_name_is_the_mean_whatever_it_is_called(tmp_path: Path) -> None:
    assert scored(tmp_path / "job", {"style": 0.5}).as_zero.metric == {"mean": 0.5}


@pytest.mark.parametrize(
    ("passed", "failed", "expected"),
    [
        (1, 0, {}),
        (1, 1, {"2": 1.0}),
        (0, 2, {"2": 0.0}),
        (1, 3, {"2": 0.5, "4": 1.0}),
        (1, 4, {"2": 1 - (4 / 5) * (3 / 4), "4": 1 - 24 / 120, "5": 1.0}),
    ],
)
def test_pass_at_k_is_the_unbiased_estimate(
    tmp_path: Path, passed: int, failed: int, expected: dict[str, float]
) -> None:
    group = scored(tmp_path / "job", *[{"reward": 1}] * passed, *[{"reward": 0}] * failed)
    assert group.as_zero.pass_at_k == pytest.approx(expected)


def test_no_pass_at_k_with_partial_rewards(tmp_path: Path) -> None:
    assert scored(tmp_path / "job", {"reward": 0.5}, {"reward": 1}).as_zero.pass_at_k == {}


def test_nothing_valid_has_no_mean_where_it_is_left_out(tmp_path: Path) -> None:
    group = scored(tmp_path / "job", None, None)
    assert (group.as_zero.metric, group.left_out.metric) == ({"mean": 0.0}, {})
