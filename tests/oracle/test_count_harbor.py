"""Two opinions on the real jobs in `fixtures/jobs`: plain `json` and the package, and both against Harbor itself."""

import json
from collections import Counter
from pathlib import Path

import pytest

from runaudit.layouts.harbor.reading import read_run
from runaudit.layouts.harbor.scoring import groups_of
from runaudit.model.request import Request
from runaudit.read.places import Places
from runaudit.usecases.summarize import Options, build
from tests.oracle.count_harbor import count

CLEAN = Path(__file__).parents[2] / "fixtures" / "jobs" / "clean"
REAL = sorted(CLEAN.glob("harbor_*/job"))


@pytest.mark.parametrize("job", REAL, ids=lambda job: job.parent.name)
def test_both_count_alike(job: Path) -> None:
    counted = count(job)
    summary = build(str(job), Options()).summary
    assert dict(Counter(entry.outcome for entry in summary.account.entries)) == counted["outcomes"]
    assert {entry.trial_name: entry.reward for entry in summary.account.entries} == counted["rewards"]
    assert summary.counts.mean_reward.value == pytest.approx(counted["mean_reward"])


@pytest.mark.parametrize("job", REAL, ids=lambda job: job.parent.name)
def test_both_scores_are_harbor_s_own_by_its_version(job: Path) -> None:
    stated = json.loads((job / "result.json").read_text())["stats"]["evals"]
    read = read_run(Places([str(job)]), str(job), Request())
    second = count(job)["groups"]
    for group in groups_of(read.trials):
        rule = "left_out" if read.writer.drops_invalid else "as_zero"
        score = group.by(read.writer.drops_invalid is True)
        assert score.metric["mean"] == pytest.approx(second[group.key][rule]["mean"])
        assert stated[group.key]["metrics"] == [pytest.approx(score.metric)]
        assert stated[group.key]["pass_at_k"] == pytest.approx(second[group.key][rule]["pass_at_k"])
        assert score.pass_at_k == pytest.approx(second[group.key][rule]["pass_at_k"])


def test_there_is_a_job_of_each_scoring_rule() -> None:
    assert [job.parent.name for job in REAL] == ["harbor_0_25_0", "harbor_0_26_0"]
