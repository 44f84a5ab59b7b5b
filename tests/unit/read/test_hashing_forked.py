"""Hashing in processes: the same answers as in threads, whatever becomes of the processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from runaudit.read import hashing_forked, hashing_many
from runaudit.read.hashing_file import BUFFER, Outcome, hash_file
from runaudit.read.hashing_many import hash_many

Forks = list[int]


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> Forks:
    """Two files are many; the ids of the processes that were started."""
    monkeypatch.setattr(hashing_many, "MANY", 2)
    made: Forks = []
    real = os.fork

    def fork() -> int:
        child = real()
        made.append(child)
        return child

    monkeypatch.setattr(os, "fork", fork)
    return made


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """A hundred files of all sizes, what is no file, and a file from a time before any clock."""
    for number in range(100):
        (tmp_path / f"{number:03d}").write_bytes(os.urandom(number * 20))
    for number, size in enumerate((BUFFER - 1, BUFFER, BUFFER + 1, 3 * BUFFER)):
        (tmp_path / f"large{number}").write_bytes(os.urandom(size))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("001")
    os.utime(tmp_path / "000", (-(1 << 31), -(1 << 31)))
    return [*sorted(map(os.fspath, tmp_path.iterdir())), os.fspath(tmp_path / "none")]


def in_threads(paths: list[str]) -> dict[int, Outcome]:
    buffer = memoryview(bytearray(BUFFER))
    return {number: hash_file(path, buffer, lambda: False) for number, path in enumerate(paths)}


def no_child_is_left() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


@pytest.mark.parametrize("workers", [2, 5])
def test_processes_find_what_threads_find(paths: list[str], forks: Forks, workers: int) -> None:
    found = list(hash_many(paths, workers=workers))
    assert len(forks) == workers
    assert len(found) == len(paths)
    assert dict(found) == in_threads(paths)
    assert no_child_is_left()


def test_results_arrive_before_the_share_is_done(
    paths: list[str], forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashing_forked, "_TELL_AFTER", 1)
    assert dict(hash_many(paths, workers=2)) == in_threads(paths)
    assert forks


def dying(path: str, buffer: memoryview, stop: Callable[[], bool]) -> Outcome:
    if path.endswith("050"):
        os.kill(os.getpid(), signal.SIGKILL)
    return hash_file(path, buffer, stop)


def test_what_a_killed_process_left_is_hashed_by_the_caller(
    paths: list[str], forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashing_forked, "hash_file", dying)
    found = list(hash_many(paths, workers=2))
    assert forks
    assert len(found) == len(paths)
    assert dict(found) == in_threads(paths)


def broken(*_: object) -> Outcome:
    raise ZeroDivisionError


def test_a_bug_in_a_process_reaches_the_caller(paths: list[str], forks: Forks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing_forked, "hash_file", broken)
    monkeypatch.setattr(hashing_many, "hash_file", broken)
    with pytest.raises(ZeroDivisionError):
        list(hash_many(paths, workers=2))
    assert forks


@pytest.mark.parametrize("made", [0, 1])
def test_where_no_process_can_be_made_the_others_do_it(
    paths: list[str], forks: Forks, monkeypatch: pytest.MonkeyPatch, made: int
) -> None:
    real = os.fork

    def fork() -> int:
        if len(forks) == made:
            raise BlockingIOError
        return real()

    monkeypatch.setattr(os, "fork", fork)
    assert dict(hash_many(paths, workers=3)) == in_threads(paths)
    assert len(forks) == made


def test_a_pipe_too_small_for_the_shares_leaves_it_to_threads(
    paths: list[str], forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashing_forked, "_laid_out", lambda _: None)
    assert dict(hash_many(paths, workers=2)) == in_threads(paths)
    assert not forks
    assert hashing_forked._laid_out(1 << 20) is None


def test_where_no_pipe_can_be_made_threads_do_it(
    paths: list[str], forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "pipe", mock.Mock(side_effect=OSError(24, "too many open files")))
    assert dict(hash_many(paths, workers=2)) == in_threads(paths)
    assert not forks


def test_beside_other_threads_nothing_is_forked(paths: list[str], forks: Forks) -> None:
    waiting = threading.Event()
    other = threading.Thread(target=waiting.wait)
    other.start()
    try:
        assert dict(hash_many(paths, workers=2)) == in_threads(paths)
    finally:
        waiting.set()
        other.join()
    assert not forks


def test_closing_early_ends_the_processes(paths: list[str], forks: Forks) -> None:
    hashing = hash_many(paths, workers=2)
    next(hashing)
    hashing.close()
    assert forks
    assert no_child_is_left()


@pytest.mark.parametrize(("size", "each"), [(1 << 40, 1), (0, 20_000)], ids=["reading", "telling"])
def test_processes_end_with_their_parent(tmp_path: Path, size: int, each: int) -> None:
    for number in range(2):
        with (tmp_path / str(number)).open("wb") as file:
            file.truncate(size)
    script = (
        "import os, signal, sys\n"
        "from runaudit.read import hashing_forked, hashing_many\n"
        "hashing_many.MANY, hashing_forked._SHARE, real = 2, 1, os.fork\n"
        "def fork():\n"
        "    child = real()\n"
        "    if child: print(child, flush=True)\n"
        "    return child\n"
        "os.fork = fork\n"
        "hashing_forked._heard = lambda answers: iter(signal.pause, None)\n"
        "list(hashing_many.hash_many(sys.argv[2:] * int(sys.argv[1]), workers=2))\n"
    )
    paths = [os.fspath(tmp_path / str(number)) for number in range(2)]
    arguments = [sys.executable, "-c", script, str(each), *paths]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        children = [int(running.stdout.readline()) for _ in range(2)]
        assert all(map(alive, children))
        if each > 1:
            # both pipes are full
            until(lambda: all(state(child) == "S" for child in children))
        running.kill()
    try:
        until(lambda: not any(map(alive, children)))
    finally:
        for child in filter(alive, children):
            os.kill(child, signal.SIGKILL)


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def state(process: int) -> str:
    """What the process does (S: it waits); Z as well for one that is gone."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return "Z"
    return stat.rpartition(")")[2].split()[0]


def alive(process: int) -> bool:
    return state(process) != "Z"
