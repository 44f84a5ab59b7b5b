"""Kills a process while it writes a run summary, many times: `python tests/hostile/kill_rounds.py [ROUNDS] [TASKS]`.

Each round forks a process that holds a built summary, lets it write, and kills it at a random moment. Whatever the
moment: the old document or the new one is there, whole. Prints how many kills hit the write.
"""

import hashlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from runaudit.usecases.summarize import Built, Options, build, write
from runaudit.write.atomic import is_own_leftover
from tests.builders import Run, native_input, row

OLD = b'{\n  "kind": "run_summary",\n  "version": 1\n}\n'


class Rounds(msgspec.Struct):
    """What came of the rounds: kills in all, those that hit the write, and documents that were neither old nor new."""

    kills: int = 0
    hits: int = 0
    broken: int = 0
    size: int = 0


def big_run(folder: Path, tasks: int) -> Built:
    """A run of so many tasks, and its summary in memory."""
    run = Run(folder)
    run.inputs(*(native_input(task) for task in range(tasks)))
    run.results(*(row(task, reward=float(task % 2)) for task in range(tasks)))
    return build(str(run.rollouts), Options(signatures="none"))


def in_child(work: Callable[[], object]) -> int:
    """Starts work in a forked process that never returns here; its process id."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def kill_while_writing(built: Built, rounds: int, chance: random.Random) -> Rounds:
    """So many rounds, each with a kill at a random moment of the time that a write takes."""
    path = Path(built.path)
    began = time.perf_counter()
    write(built)
    whole = time.perf_counter() - began
    new, told = hashlib.sha256(path.read_bytes()).digest(), Rounds(size=path.stat().st_size)
    old = hashlib.sha256(OLD).digest()
    for _ in range(rounds):
        path.write_bytes(OLD)
        child = in_child(lambda: write(built))
        time.sleep(chance.uniform(0, whole * 1.2))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status)
        left = [name for name in os.listdir(path.parent) if is_own_leftover(name)]
        told.kills += killed
        told.hits += killed and bool(left)
        told.broken += hashlib.sha256(path.read_bytes()).digest() not in (old, new)
        for name in left:
            (path.parent / name).unlink()
    return told


def main() -> None:
    """Runs the rounds that the command line asks for and prints what came of them."""
    rounds, tasks = (int(word) for word in (*sys.argv[1:3], "200", "70000")[:2])
    with tempfile.TemporaryDirectory() as folder:
        told = kill_while_writing(big_run(Path(folder) / "results", tasks), rounds, random.Random(0))
    print(  # noqa: T201  # what the script is for
        f"{rounds} rounds over a summary of {told.size / 1e6:.0f} MB: {told.kills} killed, {told.hits} of them while "
        f"the new document was being written, {told.broken} documents neither old nor new"
    )
    sys.exit(1 if told.broken else 0)


if __name__ == "__main__":
    main()
