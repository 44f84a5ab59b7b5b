"""Traces of trials that ran again later, and ordinary schedules that must leave none."""

import json
import shutil
from pathlib import Path

import pytest

from runaudit.layouts.harbor.layout import HarborLayout
from runaudit.model.finding import Finding
from runaudit.model.request import Request
from tests.job_builders.harbor_job import HarborJob, edit


def later(job: HarborJob) -> list[Finding]:
    layout = HarborLayout()
    (target,) = layout.recognise(str(job.folder))
    return [found for found in layout.account(target, Request()).findings if found.id == "later-trials"]


def start(trial: Path, started: str, finished: str) -> None:
    edit(trial / "result.json", started_at=started, finished_at=finished)


def test_trials_one_after_another_leave_no_trace(tmp_path: Path) -> None:
    assert later(HarborJob(tmp_path / "job").sound()) == []


def test_a_start_after_a_long_pause_is_evidence(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    start(job.folder / "sum__BBBBBBB", "2026-03-04T05:09:00Z", "2026-03-04T05:09:01Z")
    (found,) = later(job)
    assert found.message.startswith("sum__BBBBBBB started 179 s after")
    assert "consistent with" in found.message


def test_a_pause_as_long_as_a_retry_waits_is_none(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    lock = json.loads((job.folder / "lock.json").read_text())
    edit(job.folder / "lock.json", **lock | {"retry": {"max_retries": 3, "max_wait_sec": 600}})
    start(job.folder / "sum__BBBBBBB", "2026-03-04T05:09:00Z", "2026-03-04T05:09:01Z")
    assert later(job) == []


def test_a_start_out_of_the_planned_order_is_evidence(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    start(job.folder / "greet__AAAAAAA", "2026-03-04T05:06:03Z", "2026-03-04T05:06:04Z")
    (found,) = later(job)
    assert "planned behind it" in found.message


def test_a_limit_for_one_agent_reorders_by_design(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    edit(job.folder / "config.json", agents=[{"name": "oracle", "n_concurrent": 1}])
    start(job.folder / "greet__AAAAAAA", "2026-03-04T05:06:03Z", "2026-03-04T05:06:04Z")
    assert later(job) == []


def test_a_name_in_the_log_without_a_folder_is_evidence(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    (job.folder / "job.log").write_text("Trial sum__ZZZZZZZ failed: x\nTrial greet__AAAAAAA failed: y\n")
    (found,) = later(job)
    assert "sum__ZZZZZZZ" in found.message


@pytest.mark.parametrize("times", [("2026-03-04T05:09:00", "2026-03-04T05:09:01"), ("soon", "later"), (None, None)])
def test_times_that_cannot_be_compared_are_no_evidence(tmp_path: Path, times: tuple[str, str]) -> None:
    job = HarborJob(tmp_path / "job").sound()
    start(job.folder / "sum__BBBBBBB", *times)
    assert later(job) == []


def test_a_job_without_its_folder_of_tasks_is_recognised_anywhere(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    moved = shutil.move(job.folder, tmp_path / "elsewhere")
    assert [target.folder for target in HarborLayout().recognise(str(moved))] == [str(tmp_path / "elsewhere")]
