"""Does shares of one piece of work in processes of their own, while the caller goes on with something else.

The processes are forked: what they are to do needs no pickling, only what they bring back does. They must not outlive
the caller's interest: leaving the block ends them.
"""

import contextlib
import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from runaudit.read.forking import fork

T = TypeVar("T")
_PART = 256


class LostWorkerError(Exception):
    """A process ended before it had brought back its share (it was killed, or memory ran out)."""


class Workers(Generic[T]):
    """`work` applied to every item; process k of n takes every n-th from the k-th on. Unix only.

    A context manager. Raises OSError when no process can be made.
    """

    def __init__(self, count: int, work: Callable[[Any], T], items: Sequence[Any]) -> None:
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
        except BaseException:
            self._end()
            raise
        return self

    def _start(self, place: int) -> None:
        reading, writing = os.pipe()
        self._answers.append(os.fdopen(reading, "rb"))
        share, others = self._items[place :: self._count], list(self._answers)

        def bring() -> None:
            # while a process holds the end to read of a pipe, nobody who writes there is told that its reader has gone
            for answer in others:
                answer.close()
            _bring(self._work, share, writing)

        try:
            self._children.append(fork(bring))
        finally:
            os.close(writing)

    def results(self) -> list[T]:
        """What came of every item, in their order. Raises what the work raised, and LostWorkerError."""
        found: list[T] = []
        for number in range(len(self._items)):
            try:
                good, value = pickle.load(self._answers[number % self._count])  # noqa: S301  # our own child wrote it
            except (EOFError, pickle.UnpicklingError) as error:
                raise LostWorkerError(f"a process ended before it had read its part ({error})") from error
            if not good:
                raise value
            found.append(value)
        return found

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the processes."""
        self._end()

    def _end(self) -> None:
        for answer in self._answers:
            answer.close()
        for child in self._children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(child, 0)
        self._children.clear()


def _bring(work: Callable[[Any], T], items: Sequence[Any], writing: int) -> None:
    """The child's part: all its work first, so that it never waits for a reader in between."""
    answers = [_answer(work, item) for item in items]
    with os.fdopen(writing, "wb") as pipe:
        for answer in answers:
            pipe.write(answer)


def _answer(work: Callable[[Any], T], item: Any) -> bytes:
    try:
        return pickle.dumps((True, work(item)), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001  # it belongs to the caller
        return pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)


def shared_out(
    items: Sequence[Any], work: Callable[[Any], T], workers: int, *, above: int, part: int = _PART
) -> Iterator[T]:
    """`work` applied to every item, in order; by `workers` processes where there are more than `above` items.

    They take `part` items at a time. When a process is lost or none can be made, the work is done here, from the first
    item on.
    """
    if workers < 2 or len(items) <= above or not hasattr(os, "fork"):  # noqa: PLR2004  # one is this process
        yield from map(work, items)
        return
    parts = [items[start : start + part] for start in range(0, len(items), part)]
    try:
        with Workers(workers, lambda part: list(map(work, part)), parts) as shared:
            answers = shared.results()
    except (LostWorkerError, OSError):
        yield from map(work, items)
        return
    for answer in answers:
        yield from answer
