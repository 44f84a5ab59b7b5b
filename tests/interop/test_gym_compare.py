"""`gym eval compare` of the real NeMo Gym and `runaudit diff` on the same runs: equal where both report one quantity.

Where they answer differently, the difference that `docs/ci.md` states is what is asserted.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from runaudit.render.json_report import render
from runaudit.render.options import RenderOptions
from runaudit.usecases.diff import diff
from tests.interop.environments import gym_python
from tests.interop.gym_runs import tell

pytestmark = pytest.mark.interop
RELEASE = "0.7.0"


class Both(NamedTuple):
    """What the two commands said of one candidate: the producer's comparison of the agent, and our report."""

    theirs: dict[str, Any]
    their_exit_code: int
    ours: dict[str, Any]

    def metric(self, theirs: str, ours: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """One metric as each of them reports it."""
        left = next(m for m in self.theirs["metrics"] if m["metric"] == theirs)
        right = next(m for m in self.ours["candidates"][0]["metrics"] if m["name"] == ours)
        return left, right

    def classes(self) -> dict[int, str]:
        """Our class of each task, by its index in the baseline."""
        return {task["task_index"]: task["class"] for task in self.ours["tasks"]}

    def flips(self) -> dict[int, str]:
        """Their direction of each task that they list."""
        return {flip["task_index"]: flip["direction"] for flip in self.theirs["flips"][0]["flips"]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the release has written one baseline and four candidates."""
    folder = tmp_path_factory.mktemp("compared")
    tell(RELEASE, folder, "compared")
    return folder / "compared"


def both(runs: Path, candidate: str) -> Both:
    """Both commands on the baseline and one candidate."""
    gym, report = gym_python(RELEASE).with_name("gym"), runs / f"{candidate}-compared"
    rollouts = [str(runs / name / "rollouts.jsonl") for name in ("baseline", candidate)]
    answer = subprocess.run(
        [str(gym), "eval", "compare", "--baseline", rollouts[0], "--candidates", rollouts[1], "-o", str(report)],
        cwd=runs,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    theirs = json.loads((report / "compare_report.json").read_bytes())["comparisons"][0]
    ours = render(diff(str(runs / "baseline"), [str(runs / candidate)]), options=RenderOptions())
    return Both(theirs, answer.returncode, json.loads(ours))


@pytest.fixture(scope="module")
def candidate(runs: Path) -> Both:
    """A whole run of passes and failures, in which one task got worse, one better and one a little better."""
    return both(runs, "candidate")


METRICS = [
    ("mean/reward", "mean_reward"),
    ("mean/reward", "mean_reward_over_tasks"),
    ("mean/input_tokens", "input_tokens"),
    ("mean/output_tokens", "output_tokens"),
    ("mean/total_tokens", "total_tokens"),
]


def test_the_means_and_their_differences_agree_on_whole_runs(candidate: Both) -> None:
    for names in METRICS:
        theirs, ours = candidate.metric(*names)
        assert ours["baseline"]["value"] == pytest.approx(theirs["baseline"]["value"], abs=1e-12)
        assert ours["candidate"]["value"] == pytest.approx(theirs["candidates"][0]["value"], abs=1e-12)
        assert ours["delta"] == pytest.approx(theirs["candidates"][0]["delta"], abs=1e-12)


def test_the_counts_agree(candidate: Both) -> None:
    assert candidate.theirs["baseline_task_count"] == len(candidate.ours["tasks"]) == 4
    repeats = {"baseline": candidate.theirs["baseline_repeat_count"]}
    repeats["candidate"] = candidate.theirs["candidate_repeat_counts"][0]
    assert repeats == candidate.ours["candidates"][0]["repeats"] == {"baseline": 3, "candidate": 3}


def test_whole_flips_agree_and_half_a_flip_is_shown_by_us_alone(candidate: Both) -> None:
    assert candidate.flips() == {0: "pass_to_fail", 2: "fail_to_pass"}
    assert candidate.classes() == {0: "regressed", 1: "unstable", 2: "improved", 3: "same"}


def test_the_scores_of_a_flip_are_the_means_of_the_task(candidate: Both) -> None:
    rows = {task["task_index"]: task for task in candidate.ours["tasks"]}
    for flip in candidate.theirs["flips"][0]["flips"]:
        row = rows[flip["task_index"]]
        assert row["baseline"]["mean_reward"] == pytest.approx(flip["baseline_score"])
        assert row["candidate"]["mean_reward"] == pytest.approx(flip["candidate_score"])
        assert sorted(row["candidate"]["rewards"]) == sorted(flip["candidate_rewards"])


def test_a_task_that_got_worse_ends_their_command_with_0_and_a_policy_ours_with_1(
    candidate: Both, runs: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[fail]\non = ["regressed"]\n', encoding="utf-8")
    judged = diff(str(runs / "baseline"), [str(runs / "candidate")], policy=str(policy))
    assert (candidate.their_exit_code, judged.verdict.exit_code) == (0, 1)


def test_partial_rewards_move_the_same_tasks_by_as_much(runs: Path) -> None:
    found = both(runs, "partial")
    assert found.theirs["flips"][0]["mode"] == "continuous"
    theirs = {flip["task_index"]: flip["delta"] for flip in found.theirs["flips"][0]["flips"]}
    ours = {
        task["task_index"]: moved
        for task in found.ours["tasks"]
        if (moved := task["candidate"]["mean_reward"] - task["baseline"]["mean_reward"])
    }
    assert ours == pytest.approx(theirs)
    assert found.classes() == {0: "unstable", 1: "same", 2: "same", 3: "same"}
    left, right = found.metric("mean/reward", "mean_reward")
    assert right["delta"] == pytest.approx(left["candidates"][0]["delta"])


def test_lost_rollouts_are_a_note_about_metrics_there_and_classes_here(runs: Path) -> None:
    found = both(runs, "short")
    assert found.flips() == {}
    assert found.classes() == {0: "became-masked", 1: "same", 2: "same", 3: "became-failed"}
    assert (found.their_exit_code, found.ours["exit_code"]) == (0, 1)
    left, right = found.metric("mean/reward", "mean_reward")
    assert right["candidate"] == {"value": pytest.approx(left["candidates"][0]["value"]), "n": 10}
    # their difference is taken from the mean over the repeats' own means, ours from the ten rewards
    assert left["candidates"][0]["delta"] == pytest.approx(5 / 12 - 0.5)
    assert right["delta"] == pytest.approx(0.4 - 0.5)


def test_the_same_tasks_in_another_order_flip_there_and_are_the_same_here(runs: Path) -> None:
    found = both(runs, "reordered")
    assert sorted(found.flips().values()) == ["fail_to_pass"] * 2 + ["pass_to_fail"] * 2
    assert set(found.classes().values()) == {"same"}
