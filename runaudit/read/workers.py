"""Does shares of one piece of work in processes of their own, while the caller goes on with something else.

The processes are forked: what they are to do needs no pickling, only what they bring back does. They must not outlive
the caller's interest: leaving the block ends them, and one whose caller is gone begins nothing more.
"""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from runaudit.read.forking import end, fork, may_fork

T = TypeVar("T")
_PART = 256


class LostWorkerError(Exception):
    """A process could not be made, or ended before it had brought back its share (killed, or out of memory)."""


class Workers(Generic[T]):
    """`work` applied to every item; process k of n takes every n-th from the k-th on. Unix only.

    A context manager. Raises LostWorkerError when a process cannot be made.
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
            _bring(self._work, share, writing, parent)

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
            end(child)
        self._children.clear()


def _bring(work: Callable[[Any], T], items: Sequence[Any], writing: int, parent: int) -> None:
    """The child's part: all its work first, so that it never waits for a reader in between."""
    answers = []
    for item in items:
        if os.getppid() != parent:
            return
        answers.append(_answer(work, item))
    with os.fdopen(writing, "wb") as pipe:
        for answer in answers:
            pipe.write(answer)


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

    They take `part` items at a time. When a process is lost or cannot be made, the work is done here, from the first
    item on; and so it is where other threads run.
    """
    if workers < 2 or len(items) <= above or not may_fork():  # noqa: PLR2004  # one is this process
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
