"""Hashes many plain files with SHA-256 on all cores. Results arrive in no particular order, each with its number.

A few files go to threads: reading and hashing let go of the interpreter's lock. With many files the work between the
reads, which holds that lock, is as much as the reading itself, so these go to processes (`hashing_forked`). Either way
each worker reads into its own buffer, so that nothing is allocated for a file, and takes the next file when it is done.
"""

import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import closing
from queue import SimpleQueue

from runaudit.read.forking import may_fork
from runaudit.read.hashing_file import BUFFER, Hashed, Outcome, hash_file

# so many files take longer than it takes to start processes
MANY = 1000
_HAND_OVER = 64

_Batch = list[tuple[int, Outcome]]


def hash_many(paths: Sequence[str], *, workers: int) -> Generator[tuple[int, Outcome], None, None]:
    """Number and outcome for each of the resolved paths.

    A generator that is closed early stops its workers; the file that each is reading is given up.
    """
    left: Sequence[int] = range(len(paths))
    if min(workers, len(paths)) > 1 and len(paths) >= MANY and may_fork():
        left = yield from _in_processes(paths, workers)
    if not left:
        return
    with closing(_in_threads([paths[number] for number in left], workers)) as outcomes:
        for index, outcome in outcomes:
            yield left[index], outcome


def _in_processes(paths: Sequence[str], workers: int) -> Generator[tuple[int, Outcome], None, list[int]]:
    """As `hash_many`; returns the files that no process told of, because it could not start or was killed."""
    from runaudit.read.hashing_forked import hash_in_processes  # noqa: PLC0415  # only many files need it

    told = bytearray(len(paths))
    with closing(hash_in_processes(paths, workers)) as batches:
        for batch in batches:
            for number, _ in batch:
                told[number] = True
            yield from batch
    return [number for number in range(len(paths)) if not told[number]]


def _in_threads(paths: Sequence[str], workers: int) -> Generator[tuple[int, Outcome], None, None]:
    waiting = deque(enumerate(paths))
    results: SimpleQueue[_Batch | BaseException] = SimpleQueue()
    stop = threading.Event()
    count = max(1, min(workers, len(paths)))
    threads = [threading.Thread(target=_work, args=(waiting, results, stop), daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    left = len(paths)
    try:
        while left:
            batch = results.get()
            if isinstance(batch, BaseException):
                raise batch
            left -= len(batch)
            yield from batch
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _work(
    waiting: deque[tuple[int, str]], results: "SimpleQueue[_Batch | BaseException]", stop: threading.Event
) -> None:
    buffer = memoryview(bytearray(BUFFER))
    batch: _Batch = []
    try:
        while not stop.is_set():
            try:
                number, path = waiting.popleft()
            except IndexError:
                break
            outcome = hash_file(path, buffer, stop.is_set)
            batch.append((number, outcome))
            if len(batch) >= _HAND_OVER or (isinstance(outcome, Hashed) and outcome.size > BUFFER):
                results.put(batch)
                batch = []
    except BaseException as error:  # noqa: BLE001  # a bug in a thread must not leave the caller waiting
        results.put(error)
    if batch:
        results.put(batch)
