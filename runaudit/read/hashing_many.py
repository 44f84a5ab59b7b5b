"""Hashes many plain files with SHA-256 on all cores. Results arrive in no particular order, each with its number.

Threads suffice: reading and hashing let go of the interpreter's lock. Each thread reads into its own buffer, so that
nothing is allocated for a file; one read takes a file of up to 1 MiB.
"""

import hashlib
import os
import threading
from collections import deque
from collections.abc import Generator, Sequence
from queue import SimpleQueue

import msgspec

from runaudit.model.trouble import Trouble
from runaudit.read.documents import unreadable
from runaudit.read.places import open_with_status

_BUFFER = 1 << 20
_SMALL = 1024
_HAND_OVER = 64


class Hashed(msgspec.Struct, frozen=True, gc=False):
    """The digest of a file, the bytes read, its status, the same before and after, and the content of a tiny file."""

    digest: str
    size: int
    status: os.stat_result
    content: bytes = b""


Outcome = Hashed | Trouble
_Batch = list[tuple[int, Outcome]]


def hash_many(paths: Sequence[str], *, workers: int) -> Generator[tuple[int, Outcome], None, None]:
    """Number and outcome for each of the resolved paths.

    A generator that is closed early stops its threads; the file that each is reading is given up.
    """
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
    buffer = memoryview(bytearray(_BUFFER))
    batch: _Batch = []
    try:
        while not stop.is_set():
            try:
                number, path = waiting.popleft()
            except IndexError:
                break
            outcome = _one(path, buffer, stop)
            batch.append((number, outcome))
            if len(batch) >= _HAND_OVER or (isinstance(outcome, Hashed) and outcome.size > _BUFFER):
                results.put(batch)
                batch = []
    except BaseException as error:  # noqa: BLE001  # a bug in a thread must not leave the caller waiting
        results.put(error)
    if batch:
        results.put(batch)


def _one(path: str, buffer: memoryview, stop: threading.Event) -> Outcome:
    try:
        descriptor, status = open_with_status(path)
        try:
            return _read(descriptor, status, buffer, stop)
        finally:
            os.close(descriptor)
    except OSError as error:
        return unreadable(error)


def _read(descriptor: int, before: os.stat_result, buffer: memoryview, stop: threading.Event) -> Outcome:
    got = os.readv(descriptor, [buffer])
    running = hashlib.sha256(buffer[:got])
    size = got
    content = bytes(buffer[:got]) if got <= _SMALL else b""
    while got and size != before.st_size and not stop.is_set():
        got = os.readv(descriptor, [buffer])
        running.update(buffer[:got])
        size += got
    after = os.fstat(descriptor)
    if size != after.st_size or after.st_mtime_ns != before.st_mtime_ns or after.st_ctime_ns != before.st_ctime_ns:
        return Trouble(id="document-unreadable", message="it changed while it was read")
    return Hashed(running.hexdigest(), size, after, content)
