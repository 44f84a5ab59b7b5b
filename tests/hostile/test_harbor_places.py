"""Recorded paths, links and odd names in a job: nothing outside the folder is opened, nothing hangs."""

import json
import os
from pathlib import Path

import pytest

from runaudit.assemble.encode import summary_document
from runaudit.model.request import Request
from runaudit.usecases.summarize import Options, build
from tests.job_builders.harbor_job import HarborJob, edit

SECRET = "hunter2-of-another-folder"  # noqa: S105  # a mark to look for


def document_of(job: Path) -> str:
    return json.dumps(summary_document(build(str(job), Options(request=Request(digest="sha256"))).summary))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps({"task_name": SECRET, "trial_name": "x__AAAAAAA"}))
    (folder / "reward.json").write_text('{"reward": 1}')
    return folder


@pytest.mark.parametrize("name", ["result.json", "config.json", "verifier/reward.json", "verifier", "agent"])
def test_a_link_out_of_the_job_is_named_and_not_opened(tmp_path: Path, outside: Path, name: str) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    path = job / "greet__AAAAAAA" / name
    if path.is_dir():
        for inner in path.iterdir():
            inner.unlink()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    target = outside / path.name if path.suffix else outside
    path.symlink_to(target if target.exists() else outside / "result.json")
    document = document_of(job)
    assert SECRET not in document
    assert "outside-root" in document


@pytest.mark.parametrize("field", ["trial_uri", "task_id", "config"])
def test_recorded_paths_are_never_followed(tmp_path: Path, outside: Path, field: str) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    value = {
        "trial_uri": f"file://{outside}",
        "task_id": {"path": str(outside)},
        "config": {"trials_dir": str(outside)},
    }
    edit(job / "greet__AAAAAAA" / "result.json", **{field: value[field]})
    assert SECRET not in document_of(job)


@pytest.mark.parametrize("step", ["..", "../../../outside", ".", "a\0b", "x" * 4000, "\x1b[2J"])
def test_a_step_s_name_leads_nowhere(tmp_path: Path, outside: Path, step: str) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    (outside / "verifier").mkdir()
    (outside / "verifier" / "reward.txt").write_text("0.123")
    steps = [{"step_name": step, "verifier_result": {"rewards": {"reward": 1}}}]
    edit(job / "greet__AAAAAAA" / "result.json", step_results=steps)
    assert "0.123" not in document_of(job)


@pytest.mark.parametrize("name", ["result.json", "verifier/reward.txt", "agent.pipe"])
def test_a_pipe_is_never_opened(tmp_path: Path, name: str) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    path = job / "greet__AAAAAAA" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert "wrong-kind" in document_of(job)


def test_names_that_are_no_utf8_are_escaped(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    with open(os.fsencode(job / "greet__AAAAAAA") + b"/\xff.log", "wb") as file:
        file.write(b"x")
    assert "portability" in document_of(job)


def test_a_link_in_a_circle_ends(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    (job / "greet__AAAAAAA" / "round").symlink_to("round")
    (job / "greet__AAAAAAA" / "up").symlink_to("..")
    assert "link-loop" in document_of(job)
