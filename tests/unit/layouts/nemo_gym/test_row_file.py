"""A file of rows gives the same with one process and with many, whatever happens to either while it is read."""

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from runaudit.layouts.nemo_gym import row_file
from runaudit.layouts.nemo_gym.harvest import Harvest
from runaudit.layouts.nemo_gym.input_file import read_inputs
from runaudit.layouts.nemo_gym.inputs import InputReader
from runaudit.layouts.nemo_gym.prompts import Prompts
from runaudit.layouts.nemo_gym.row_file import RowFile, read_rows
from runaudit.layouts.nemo_gym.row_reader import RowReader
from runaudit.model.digest import Digest
from runaudit.model.finding import Finding
from runaudit.read import hashing
from runaudit.read.places import Places, Sight
from tests.builders import lines, row

MOST = 20_000
LONG = b'{"a": "' + b"x" * MOST + b'"}\n'
CUT = lines([row(90)])[:-40] + b"\n"


@pytest.fixture
def ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_file, "_PARALLEL_ABOVE", 0)
    monkeypatch.setattr(row_file, "_RANGE", 5000)


def seen(path: Path, data: bytes) -> Sight:
    path.write_bytes(data)
    return Places([str(path.parent)]).look(str(path))


def rows_of(sight: Sight, workers: int, meanwhile: Callable[[], None] | None = None) -> Harvest:
    def new() -> RowReader:
        return RowReader("r", prompts=Prompts(), messages=False, failures=False, keep_metadata=False)

    harvest = read_rows(RowFile(sight, "r", new, MOST, "xxh3", workers), meanwhile)
    assert isinstance(harvest, Harvest)
    return harvest


def indices(harvest: Harvest) -> list[int | None]:
    return [one.task_index for one in harvest.table.take_rows()]


@pytest.mark.usefixtures("ranges")
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("behind", [b"", b"\n\n"])
def test_a_cut_line_before_one_too_long_is_not_the_last(workers: int, behind: bytes, tmp_path: Path) -> None:
    begin = lines([row(task) for task in range(6)])
    # the long line begins in a range of its own
    filled = begin + b" " * (4990 - len(begin) - len(CUT)) + b"\n" + CUT + b" " * 20 + b"\n" + LONG + behind
    harvest = rows_of(seen(tmp_path / "r", filled), workers)
    assert sorted(found.id for found in harvest.findings) == ["corrupt-line", "row-too-large"]


def test_a_cut_input_before_one_too_long_is_not_the_last(tmp_path: Path) -> None:
    found: list[Finding] = []
    read_inputs(seen(tmp_path / "r", lines([row(0)]) + CUT + LONG), "r", MOST, InputReader("r"), found)
    assert [one.id for one in found] == ["corrupt-line", "row-too-large"]


@pytest.mark.usefixtures("ranges")
@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_appended_meanwhile_belongs_to_neither_rows_nor_digest(workers: int, tmp_path: Path) -> None:
    data = lines([row(task) for task in range(50)])
    sight = seen(tmp_path / "r", data)
    with open(sight.real, "ab") as file:
        file.write(lines([row(task) for task in range(50, 99)]))
    harvest = rows_of(sight, workers)
    assert indices(harvest) == list(range(50))
    assert sight.size == len(data)
    assert harvest.digest == hashing.of_bytes(data)


def test_inputs_that_are_appended_meanwhile_are_in_no_digest(tmp_path: Path) -> None:
    data = lines([row(task) for task in range(5)])
    sight = seen(tmp_path / "r", data)
    with open(sight.real, "ab") as file:
        file.write(lines([row(5)]))
    reader = InputReader("r")
    digest = read_inputs(sight, "r", MOST, reader, [])
    assert isinstance(digest, Digest)
    assert digest == hashing.of_bytes(data)
    assert len(reader.finish().owed) == 5


@pytest.mark.usefixtures("ranges")
@pytest.mark.parametrize("possible", [0, 1])
def test_where_no_process_can_be_made_the_file_is_read_here(
    possible: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sight = seen(tmp_path / "r", lines([row(task) for task in range(50)]))
    whole = rows_of(sight, 1)
    real, made = os.fork, []

    def fork() -> int:
        made.append(0)
        if len(made) > possible:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return real()

    monkeypatch.setattr(os, "fork", fork)
    called: list[int] = []
    harvest = rows_of(sight, 2, lambda: called.append(1))
    assert len(made) == possible + 1
    assert not called
    assert indices(harvest) == indices(whole)
    assert (harvest.digest, harvest.lines, harvest.findings) == (whole.digest, whole.lines, whole.findings)


@pytest.mark.usefixtures("ranges")
def test_no_process_is_made_where_other_threads_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sight = seen(tmp_path / "r", lines([row(task) for task in range(50)]))

    def fork() -> int:
        raise AssertionError

    monkeypatch.setattr(os, "fork", fork)
    found: list[Harvest] = []
    thread = threading.Thread(target=lambda: found.append(rows_of(sight, 2)))
    thread.start()
    thread.join()
    assert indices(found[0]) == list(range(50))
