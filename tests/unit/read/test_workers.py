"""Work shared out to processes: everything comes back in order, and what goes wrong in one is told."""

import errno
import os
import signal
import threading
import time
from collections.abc import Iterable

import pytest

from runaudit.read import forking
from runaudit.read.workers import LostWorkerError, Workers, shared_out


@pytest.mark.parametrize("count", [1, 2, 3, 20])
@pytest.mark.parametrize("items", [0, 1, 7])
def test_results_come_in_the_order_of_the_items(count: int, items: int) -> None:
    with Workers(count, lambda item: item * item, range(items)) as workers:
        assert list(workers.results()) == [item * item for item in range(items)]


def test_answers_larger_than_a_pipe_holds_come_whole() -> None:
    with Workers(2, lambda item: bytes([item]) * 3_000_000, range(4)) as workers:
        assert [len(set(answer)) for answer in workers.results()] == [1] * 4


def test_what_the_work_raises_is_raised_here() -> None:
    def work(item: int) -> int:
        if item == 3:
            raise ValueError("item three")
        return item

    with Workers(2, work, range(5)) as workers, pytest.raises(ValueError, match="item three"):
        list(workers.results())


def test_a_process_that_is_killed_is_lost_and_not_waited_for() -> None:
    def work(item: int) -> int:
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with Workers(2, work, range(4)) as workers, pytest.raises(LostWorkerError):
        list(workers.results())


@pytest.mark.parametrize("part", [1, 4, 100])
def test_work_that_is_shared_out_is_done_once_and_in_order(part: int) -> None:
    assert list(shared_out(range(50), str, 3, above=10, part=part)) == [str(number) for number in range(50)]
    assert list(shared_out(range(5), lambda _: os.getpid(), 3, above=10, part=part)) == [os.getpid()] * 5


def test_lost_work_is_done_here() -> None:
    here = os.getpid()

    def work(item: int) -> int:
        if os.getpid() != here and item == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    assert list(shared_out(range(20), work, 2, above=1, part=3)) == list(range(20))


def test_what_memory_a_process_has_not_is_tried_here() -> None:
    here = os.getpid()

    def work(item: int) -> int:
        if os.getpid() != here:
            raise MemoryError
        return item

    assert list(shared_out(range(20), work, 2, above=1, part=3)) == list(range(20))


def test_a_process_that_cannot_be_made_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    before, real, made = children(), os.fork, []

    def fork() -> int:
        made.append(0)
        if len(made) > 1:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return real()

    monkeypatch.setattr(os, "fork", fork)
    with pytest.raises(LostWorkerError), Workers(2, lambda _: time.sleep(600), range(2)):
        pass
    assert len(made) == 2
    assert children() == before


def test_work_is_not_shared_out_where_other_threads_run() -> None:
    found: list[list[int]] = []
    thread = threading.Thread(
        target=lambda: found.append(list(shared_out(range(20), lambda _: os.getpid(), 2, above=1)))
    )
    thread.start()
    thread.join()
    assert found == [[os.getpid()] * 20]


def test_an_interrupt_while_a_process_is_made_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    before, real = children(), signal.pthread_sigmask

    def interrupted(how: int, mask: Iterable[int]) -> object:
        held = real(how, mask)
        if how == signal.SIG_SETMASK and os.getpid() == here:
            raise KeyboardInterrupt
        return held

    here = os.getpid()
    monkeypatch.setattr(signal, "pthread_sigmask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        forking.fork(lambda: time.sleep(600))
    monkeypatch.undo()
    assert children() == before


def test_a_process_whose_caller_is_gone_begins_nothing_more() -> None:
    reading, writing = os.pipe()

    def work(item: int) -> int:
        os.write(writing, b"%d" % item)
        time.sleep(0.2)
        return item

    def caller() -> None:
        with Workers(1, work, range(100)):
            os.read(reading, 1)
            os._exit(0)

    child = forking.fork(caller)
    os.waitpid(child, 0)
    os.close(writing)
    # the end of the pipe is there once the last process that could write there has gone
    told = b""
    while data := os.read(reading, 100):
        told += data
    os.close(reading)
    assert len(told) < 20


def children() -> int:
    return sum(1 for name in os.listdir("/proc") if name.isdigit() and _parent(name) == os.getpid())


def test_leaving_ends_the_processes_at_once() -> None:
    before, began = children(), time.monotonic()
    with Workers(2, lambda _: time.sleep(600), range(2)):
        assert children() == before + 2
    assert children() == before
    assert time.monotonic() - began < 60


def _parent(process: str) -> int | None:
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return None
