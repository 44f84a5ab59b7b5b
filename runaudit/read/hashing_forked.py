"""Hashes many plain files in forked processes, which take shares of the files as they get done. Unix only.

The numbers of all shares lie in one pipe before the first process starts; each process takes the next from it and
tells what it found through a pipe of its own. A process that is killed, or that meets a bug, tells nothing of what was
left of its share: the caller sees which files are missing and hashes them itself. Processes end with their parent.
"""

import marshal
import os
import select
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress

from runaudit.model.trouble import Trouble
from runaudit.read.forking import end, fork
from runaudit.read.hashing_file import BUFFER, Hashed, Outcome, hash_file
from runaudit.read.identity import Identity

_SHARE = 32
# the smallest pipe of a common system holds 16 KiB
_MOST_SHARES = 2048
_NUMBER = 4
_TELL_AFTER = 16 << 20

_Batch = list[tuple[int, Outcome]]


def hash_in_processes(paths: Sequence[str], workers: int) -> Generator[_Batch, None, None]:
    """Numbers and outcomes of the paths, of all of them unless a process could not start or was stopped."""
    share = max(_SHARE, -(-len(paths) // _MOST_SHARES))
    shares = _laid_out(-(-len(paths) // share))
    if shares is None:
        return
    children: dict[int, int] = {}
    parent = os.getpid()
    try:
        try:
            for _ in range(workers):
                child, answers = _start(lambda into: _work(paths, share, shares, into, parent), list(children))
                children[answers] = child
        except OSError:
            # no process left for us: those that were started do it, or the caller
            pass
        finally:
            os.close(shares)
        yield from _heard(list(children))
    finally:
        for answers, child in children.items():
            os.close(answers)
            end(child)


def _laid_out(count: int) -> int | None:
    """The end to read of a pipe that holds the numbers below `count`, and nothing after them; None if it does not."""
    try:
        reading, writing = os.pipe()
    except OSError:
        return None
    try:
        os.set_blocking(writing, False)
        numbers = b"".join(number.to_bytes(_NUMBER, "little") for number in range(count))
        with suppress(OSError):
            if os.write(writing, numbers) == len(numbers):
                return reading
    finally:
        os.close(writing)
    os.close(reading)
    return None


def _start(work: Callable[[int], None], others: Sequence[int]) -> tuple[int, int]:
    """The id of a new process, and the pipe on which it tells; `others` are those of the others. Raises OSError."""
    answers, answering = os.pipe()

    def begin() -> None:
        # while a process holds the end to read of a pipe, nobody who writes there is told that its reader has gone
        for reading in (*others, answers):
            os.close(reading)
        work(answering)

    try:
        child = fork(begin)
    except OSError:
        os.close(answers)
        raise
    finally:
        os.close(answering)
    return child, answers


def _work(paths: Sequence[str], share: int, shares: int, answering: int, parent: int) -> None:
    buffer = memoryview(bytearray(BUFFER))

    def orphaned() -> bool:
        return os.getppid() != parent

    while taken := os.read(shares, _NUMBER):
        start = int.from_bytes(taken, "little") * share
        batch: _Batch = []
        unsaid = 0
        for number in range(start, min(start + share, len(paths))):
            outcome = hash_file(paths[number], buffer, orphaned)
            batch.append((number, outcome))
            unsaid += outcome.size if isinstance(outcome, Hashed) else 0
            if unsaid > _TELL_AFTER:
                # the caller saves digests as it hears of them
                _tell(answering, batch)
                batch, unsaid = [], 0
        _tell(answering, batch)


def _tell(answering: int, batch: _Batch) -> None:
    hashed = [
        (number, one.digest, one.size, tuple(one.identity), one.content)
        for number, one in batch
        if isinstance(one, Hashed)
    ]
    troubles = [(number, one.id, one.message) for number, one in batch if isinstance(one, Trouble)]
    packed = marshal.dumps((hashed, troubles))
    rest = memoryview(len(packed).to_bytes(_NUMBER, "little") + packed)
    while rest:
        rest = rest[os.write(answering, rest) :]


def _heard(answers: list[int]) -> Iterator[_Batch]:
    """What all processes tell, as it comes."""
    waiting = select.poll()
    heard = {pipe: bytearray() for pipe in answers}
    for pipe in answers:
        waiting.register(pipe, select.POLLIN)
    while heard:
        for pipe, _ in waiting.poll():
            data = os.read(pipe, 1 << 16)
            if not data:
                waiting.unregister(pipe)
                del heard[pipe]
                continue
            heard[pipe] += data
            yield _whole(heard[pipe])


def _whole(heard: bytearray) -> _Batch:
    """What was told whole; it is taken out of `heard`."""
    batch: _Batch = []
    while len(heard) >= _NUMBER:
        end = _NUMBER + int.from_bytes(heard[:_NUMBER], "little")
        if len(heard) < end:
            break
        hashed, troubles = marshal.loads(heard[_NUMBER:end])  # noqa: S302  # from a process of this very interpreter
        del heard[:end]
        batch += [
            (number, Hashed(digest, size, Identity(*state), content)) for number, digest, size, state, content in hashed
        ]
        batch += [(number, Trouble(id=name, message=message)) for number, name, message in troubles]
    return batch
