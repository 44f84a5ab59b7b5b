"""What is a job, what is a folder of jobs, and what is neither."""

import json
from pathlib import Path

import pytest

from runaudit.layouts.harbor.layout import HarborLayout
from tests.job_builders.harbor_job import HarborJob


def found(path: Path) -> list[str]:
    return [target.folder for target in HarborLayout().recognise(str(path))]


def test_a_job_by_its_folder_or_a_document_of_it(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    for path in (job, job / "result.json", job / "config.json", job / "run_summary.json"):
        assert found(path) == [str(job)]


def test_a_folder_of_jobs_holds_each_of_them(tmp_path: Path) -> None:
    jobs = [HarborJob(tmp_path / name).sound().folder for name in ("b", "a")]
    (tmp_path / "notes").mkdir()
    assert found(tmp_path) == sorted(str(job) for job in jobs)


def test_a_trial_is_no_job(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    assert found(job / "greet__AAAAAAA") == []
    assert found(job / "greet__AAAAAAA" / "result.json") == []


@pytest.mark.parametrize("name", ["result.json", "config.json", "lock.json"])
def test_a_job_is_known_by_its_trials_when_its_documents_are_cut(tmp_path: Path, name: str) -> None:
    job = HarborJob(tmp_path / "job").sound().folder
    for document in ("result.json", "config.json", "lock.json"):
        (job / document).write_text("{" if document == name else "")
    assert found(job) == [str(job)]


def test_rows_of_another_producer_are_not_taken(tmp_path: Path) -> None:
    (tmp_path / "rollouts.jsonl").write_text("{}\n")
    HarborJob(tmp_path / "log").sound()
    assert found(tmp_path) == []
    assert found(tmp_path / "rollouts.jsonl") == []


@pytest.mark.parametrize("document", [{}, {"stats": 1, "task_name": "x"}, {"agents": [], "trial_name": "x"}])
def test_any_json_is_no_job(tmp_path: Path, document: dict[str, object]) -> None:
    for name in ("result.json", "config.json"):
        (tmp_path / name).write_text(json.dumps(document))
    assert found(tmp_path) == []


def test_a_path_that_is_not_there_is_no_job(tmp_path: Path) -> None:
    assert found(tmp_path / "nowhere") == []
