"""`runaudit diff` on whole runs of both producers, summarised in memory: moved, mixed, with several agents."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runaudit.cli.exits import guarded
from tests.documents import ROOT

SCHEMA = json.loads((ROOT / "schemas" / "diff_report.v1.json").read_text(encoding="utf-8"))
GYM = ROOT / "fixtures" / "runs" / "clean"
JOBS = ROOT / "fixtures" / "jobs" / "clean"
OLD_JOB, NEW_JOB = JOBS / "harbor_0_25_0" / "job", JOBS / "harbor_0_26_0" / "job"


def report(capsys: pytest.CaptureFixture[str], *arguments: Any) -> dict[str, Any]:
    code = guarded(["diff", *map(str, arguments), "--format", "json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)
    assert document["exit_code"] == code
    return document


def test_one_run_at_two_places_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in (GYM / "two_servers", GYM / "masked_and_failed", NEW_JOB):
        moved = tmp_path / run.parent.name / run.name
        shutil.copytree(run, moved)
        found = report(capsys, run, moved)
        assert found["verdict"] == "pass"
        assert {task["class"] for task in found["tasks"]} == {"same"}
        assert found["candidates"][0]["files"] == []


def test_two_jobs_of_two_releases_differ_in_their_set_up(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, OLD_JOB, NEW_JOB)
    assert found["verdict"] == "pass"
    assert len(found["tasks"]) == 10
    assert {task["agent"] for task in found["tasks"]} == {"oracle", "scripted"}
    setup = {d["field"]: (d["baseline"], d["candidate"]) for d in found["candidates"][0]["setup"]}
    assert setup["harness_version"] == ("0.25.0", "0.26.0")


def test_a_gym_run_and_a_job_have_no_task_in_common(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, GYM / "fresh", NEW_JOB)
    assert (found["verdict"], found["exit_code"]) == ("inconclusive", 3)
    classes = [task["class"] for task in found["tasks"]]
    assert (classes.count("removed"), classes.count("added")) == (4, 10)
    remarks = found["candidates"][0]["remarks"]
    assert remarks == ["no tasks could be paired: one side has no task ids, the other no indices"]


def test_reasons_name_the_agent_where_a_run_has_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lost = tmp_path / "job"
    shutil.copytree(NEW_JOB, lost)
    assert report(capsys, lost, JOBS / "leaderboard")["reasons"] == [
        "8 removed: greet [scripted], mute [oracle], mute [scripted] and 5 more (fail.on removed)"
    ]


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ("[requires]\nrepeats = 3", "did you mean require?"),
        ("[require]\ncoverge = 0.9", "did you mean coverage?"),
        ("[fail]\nsignificance = 0.05", "did you mean significant?"),
        ('[fail]\non = ["regresed"]', "did you mean regressed?"),
        ("[metrics.mean_rewrd]\nmin = 0.5", "did you mean mean_reward?"),
        ("[metrics.mean_reward]\nmaxdrop = 0.5", "did you mean max_drop?"),
        ('[findings]\nfail_lvl = "error"', "did you mean fail_level?"),
        ('[findings]\nfail_level = "eror"', "did you mean error?"),
        ("[tasks]\nquarantined = true", "did you mean quarantine?"),
        ('[[tasks]]\nmatches = "a*"', "did you mean match?"),
        ("[tasks]\nmax_drop = nan", "expected a number"),
        ("[require]\ncoverage = 98", "expected a number between 0 and 1"),
        ("[require", "no TOML"),
        ("fail = 1", "fail"),
    ],
)
def test_a_mistake_in_any_table_is_named(
    policy: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    arguments = ["diff", str(GYM / "fresh"), str(GYM / "fresh"), "--policy", str(tmp_path / "policy.toml")]
    assert guarded(arguments) == 2
    told = capsys.readouterr().err
    assert says in told
    assert "policy.toml" in told


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", '"high"'])
def test_a_reward_that_is_no_finite_number_is_no_summary_of_ours(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = f'{{"task_id": "a", "outcome": "scored", "reward": {text}}}'
    document = tmp_path / "odd_run_summary.json"
    document.write_text(f'{{"kind": "run_summary", "version": 1, "tasks": [{entry}]}}', encoding="utf-8")
    assert guarded(["diff", str(document), str(document)]) == 3
    assert "odd_run_summary.json: no readable run summary" in capsys.readouterr().err
