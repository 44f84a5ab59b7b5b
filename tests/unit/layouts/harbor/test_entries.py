"""Entries: one for each planned trial, their order and repeats, and what is missing."""

import json
import shutil
from pathlib import Path

from runaudit.layouts.harbor.layout import HarborLayout
from runaudit.model.account import Account
from runaudit.model.request import Request
from tests.job_builders.harbor_job import HarborJob, edit

LAYOUT = HarborLayout()


def account(job: Path) -> Account:
    (target,) = LAYOUT.recognise(str(job))
    return LAYOUT.account(target, Request())


def repeated(folder: Path) -> HarborJob:
    job = HarborJob(folder)
    for tail, reward in (("CCCCCCC", 1), ("AAAAAAA", 0), ("BBBBBBB", 1)):
        job.trial("greet", tail, {"reward": reward})
    return job.finish(job.group(2 / 3, pass_at_k={"2": 1.0}), config={"n_attempts": 3})


def test_repeats_follow_the_start_and_not_the_name(tmp_path: Path) -> None:
    entries = account(repeated(tmp_path / "job").folder).entries
    assert [(entry.repeat, entry.trial_name) for entry in entries] == [
        (0, "greet__CCCCCCC"),
        (1, "greet__AAAAAAA"),
        (2, "greet__BBBBBBB"),
    ]


def test_a_planned_trial_without_a_folder_is_missing(tmp_path: Path) -> None:
    job = repeated(tmp_path / "job").folder
    shutil.rmtree(job / "greet__AAAAAAA")
    entries = account(job).entries
    assert [(entry.task_id, entry.repeat, entry.outcome) for entry in entries] == [
        ("greet", 0, "scored"),
        ("greet", 1, "scored"),
        ("greet", 2, "missing"),
    ]


def test_without_a_lock_missing_trials_have_no_name(tmp_path: Path) -> None:
    job = repeated(tmp_path / "job").folder
    shutil.rmtree(job / "greet__AAAAAAA")
    (job / "lock.json").unlink()
    missing = [entry for entry in account(job).entries if entry.outcome == "missing"]
    assert [(entry.task_id, entry.agent) for entry in missing] == [(None, None)]


def test_a_total_beyond_reason_is_bounded(tmp_path: Path) -> None:
    job = repeated(tmp_path / "job").folder
    edit(job / "result.json", n_total_trials=10**18)
    assert len(account(job).entries) == 100_003


def test_copies_that_contradict_one_another_are_conflicted(tmp_path: Path) -> None:
    job = repeated(tmp_path / "job").folder
    shutil.copytree(job / "greet__AAAAAAA", job / "greet__DDDDDDD")
    edit(job / "greet__DDDDDDD" / "result.json", verifier_result={"rewards": {"reward": 1}})
    found = account(job)
    (entry,) = [entry for entry in found.entries if entry.trial_name == "greet__AAAAAAA"]
    assert (entry.outcome, entry.reward, entry.recorded_reward) == ("conflicted", None, 0)
    assert len(found.entries) == 3


def test_two_configurations_of_one_agent_are_planned_apart(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job")
    for tail in ("AAAAAAA", "BBBBBBB"):
        job.trial("greet", tail, {"reward": 1})
    job.locks[1]["agent"]["kwargs"] = {"effort": "high"}
    edit(job.folder / "greet__BBBBBBB" / "lock.json", agent=job.locks[1]["agent"])
    job.finish(job.group(1.0, pass_at_k={"2": 1.0}))
    shutil.rmtree(job.folder / "greet__BBBBBBB")
    assert [entry.outcome for entry in account(job.folder).entries] == ["scored", "missing"]


def test_two_summaries_of_equal_folders_are_equal(tmp_path: Path) -> None:
    first, second = (repeated(tmp_path / name).folder for name in ("one", "two"))
    left, right = (json.dumps([str(entry) for entry in account(job).entries]) for job in (first, second))
    assert left == right


def test_rewards_beyond_one_leave_passing_open(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job")
    job.trial("greet", "AAAAAAA", {"reward": 7})
    found = account(job.finish(job.group(7.0)).folder)
    assert [entry.passed for entry in found.entries] == [None]
    assert "reward-out-of-range" in {finding.id for finding in found.findings}
