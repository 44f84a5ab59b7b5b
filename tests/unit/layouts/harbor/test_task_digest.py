"""The digest of a task's folder, against one computed by hand."""

import hashlib
from pathlib import Path

import pytest

from runaudit.layouts.harbor.task_digest import task_digest
from runaudit.model.trouble import Trouble
from runaudit.read.places import Places
from tests.interop.harbor_tasks import write_tasks

FILES = ("environment/Dockerfile", "instruction.md", "solution/solve.sh", "task.toml", "tests/test.sh")


def by_hand(task: Path) -> str:
    lines = [f"{name}\0{hashlib.sha256((task / name).read_bytes()).hexdigest()}\n" for name in FILES]
    return "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return write_tasks(tmp_path, "greet") / "greet"


def test_it_covers_the_files_that_make_a_task(task: Path) -> None:
    assert task_digest(Places([str(task)]), str(task)) == by_hand(task)


@pytest.mark.parametrize(
    "stray", ["notes.txt", "tests/__pycache__/x.pyc", "tests/.DS_Store", "tests/test.sh~", ".git/HEAD"]
)
def test_stray_files_do_not_count(task: Path, stray: str) -> None:
    (task / stray).parent.mkdir(exist_ok=True)
    (task / stray).write_text("stray")
    assert task_digest(Places([str(task)]), str(task)) == by_hand(task)


def test_a_changed_test_counts(task: Path) -> None:
    before = by_hand(task)
    (task / "tests" / "test.sh").write_text("echo 1 > /logs/verifier/reward.txt\n")
    assert task_digest(Places([str(task)]), str(task)) not in (before, None)


def test_an_ignore_file_makes_it_untold(task: Path) -> None:
    (task / ".gitignore").write_text("*.log\n")
    assert isinstance(task_digest(Places([str(task)]), str(task)), Trouble)
