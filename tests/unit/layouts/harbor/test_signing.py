"""Signatures of a job: nothing ran, or a resume took over what was there."""

from pathlib import Path

from runaudit.layouts.harbor.layout import HarborLayout
from runaudit.model.account import Account
from runaudit.model.request import Request
from runaudit.model.signature import OutputSignatures
from tests.job_builders.harbor_job import HarborJob, edit

LAYOUT = HarborLayout()


def signed(job: Path) -> OutputSignatures:
    (target,) = LAYOUT.recognise(str(job))
    return LAYOUT.sign(target)


def account(job: Path, signatures: OutputSignatures) -> Account:
    (target,) = LAYOUT.recognise(str(job))
    return LAYOUT.account(target, Request(signatures=signatures))


def test_a_job_that_nothing_was_added_to_is_an_earlier_run_s(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    found = account(job, signed(job))
    assert [file.path for file in found.stale_files] == [
        "result.json",
        "greet__AAAAAAA/result.json",
        "sum__BBBBBBB/result.json",
    ]
    assert found.files["result"] is None
    assert [entry.outcome for entry in found.entries] == ["missing", "missing"]
    assert "headline-differs" not in {finding.id for finding in found.findings}


def test_a_resume_takes_over_earlier_trials(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    before = signed(job)
    edit(job / "result.json", finished_at="2026-03-05T07:07:00")
    found = account(job, before)
    assert found.stale_files == ()
    assert [entry.outcome for entry in found.entries] == ["scored", "scored"]


def test_no_folder_is_signed_as_nothing(tmp_path: Path) -> None:
    target = LAYOUT.target_of(str(tmp_path / "none" / "run_summary.json"), {})
    assert set(LAYOUT.sign(target).files.values()) == {None}
    assert not LAYOUT.exists(target)
