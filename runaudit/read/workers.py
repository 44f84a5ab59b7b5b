"""Does shares of one piece of work in processes of their own, while the caller goes on with something else.

The processes are forked: what they are to do needs no pickling, only what they bring back does. They must not outlive
the caller's interest: leaving the block ends them, and one whose caller is gone begins nothing more.
"""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from runaudit.read.forking import end, fork, may_fork

T = TypeVar("T")
_PART = 256


class LostWorkerError(Exception):
    """A process could not be made, or ended before it had brought back its share (killed, or out of memory)."""


class Workers(Generic[T]):
    """`work` applied to every item; process k of n takes every n-th from the k-th on. Unix only.

    A process sends each answer when it has it, and waits while nobody takes it; with `hold`, it does all its work
    before it sends anything. A context manager. Raises LostWorkerError when a process cannot be made.
    """

    def __init__(self, count: int, work: Callable[[Any], T], items: Sequence[Any], *, hold: bool = False) -> None:
        self._hold = hold
        self._count = min(count, len(items))
        self._items = items
        self._work = work
        self._children: list[int] = []
        self._answers: list[Any] = []

    def __enter__(self) -> Self:
        """Starts the processes."""
        try:
            for place in range(self._count):
                self._start(place)
        except OSError as error:
            self._end()
            raise LostWorkerError(f"no process can be made ({error})") from error
        except BaseException:
            self._end()
            raise
        return self

    def _start(self, place: int) -> None:
        reading, writing = os.pipe()
        self._answers.append(os.fdopen(reading, "rb"))
        share, others, parent = self._items[place :: self._count], list(self._answers), os.getpid()

        def bring() -> None:
            # while a process holds the end to read of a pipe, nobody who writes there is told that its reader has gone
            for answer in others:
                answer.close()
            answers = _answers(self._work, share, parent)
            _send(list(answers) if self._hold else answers, writing)

        try:
            self._children.append(fork(bring))
        finally:
            os.close(writing)

    def results(self) -> Iterator[T]:
        """What came of every item, in their order. Raises what the work raised, and LostWorkerError."""
        for number in range(len(self._items)):
            try:
                good, value = pickle.load(self._answers[number % self._count])  # noqa: S301  # our own child wrote it
            except (EOFError, pickle.UnpicklingError) as error:
                raise LostWorkerError(f"a process ended before it had read its part ({error})") from error
            if not good:
                raise value
            yield value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the processes."""
        self._end()

    def _end(self) -> None:
        for answer in self._answers:
            answer.close()
        for child in self._children:
            end(child)
        self._children.clear()


def _answers(work: Callable[[Any], T], items: Sequence[Any], parent: int) -> Iterator[bytes]:
    for item in items:
        if os.getppid() != parent:
            return
        yield _answer(work, item)


def _send(answers: Iterable[bytes], writing: int) -> None:
    with os.fdopen(writing, "wb") as pipe:
        for answer in answers:
            pipe.write(answer)
            pipe.flush()


def _answer(work: Callable[[Any], T], item: Any) -> bytes:
    try:
        return pickle.dumps((True, work(item)), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        # the caller may have enough once this process is gone
        raise
    except Exception as error:  # noqa: BLE001  # it belongs to the caller
        return pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)


def shared_out(
    items: Sequence[Any], work: Callable[[Any], T], workers: int, *, above: int, part: int = _PART
) -> Iterator[T]:
    """`work` applied to every item, in order; by `workers` processes where there are more than `above` items.

    They take `part` items at a time. When a process is lost or cannot be made, what is left is done here; and so it is
    where other threads run.
    """
    parts = [items[start : start + part] for start in range(0, len(items), part)]
    done = 0
    if workers > 1 and len(items) > above and may_fork():
        with suppress(LostWorkerError, OSError), Workers(workers, partial(_all, work), parts) as shared:
            for answers in shared.results():
                done += 1
                yield from answers
    for left in parts[done:]:
        yield from map(work, left)


def _all(work: Callable[[Any], T], items: Sequence[Any]) -> list[T]:
    return list(map(work, items))
