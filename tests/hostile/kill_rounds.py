"""Kills every command that writes while it writes, many times: `python tests/hostile/kill_rounds.py [ROUNDS] [SIZE]`.

Each round starts a command in a process of its own and kills it at a random moment of one of its writes. Whatever the
moment: the old document or the new one is there, whole, and the same command, run again beside whatever was left, gives
what an undisturbed run gives. Prints how many kills hit a write.
"""

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from tests.hostile.children import started
from tests.hostile.stage import ENDED, KILLED, around_the_stage, killing, telling
from tests.hostile.writers import WRITERS, Target, Writer, content, names_below, writer

_LONGEST_WRITE = 5.0
_MEASURED = 3


class Rounds(msgspec.Struct):
    """What came of the rounds: kills, those that hit a write, and what was not as it should be."""

    rounds: int = 0
    hits: int = 0
    faults: list[str] = msgspec.field(default_factory=list)


def killed_at(one: Writer, nth: int, *, before: bool) -> bool:
    """Runs the command and kills its nth call of the write stage; whether it came so far."""
    reading, telling_end = os.pipe()
    code = one.run(lambda: around_the_stage(killing(nth, before=before, told=telling_end)))
    os.close(telling_end)
    killed = os.read(reading, 1) == KILLED
    os.close(reading)
    # whatever happens to our own work, a wrapped command ends as it ends
    assert code == one.code if one.name == "run" or not killed else code is None
    return killed


def seconds_of_a_write(one: Writer, target: Target) -> float:
    """How long the quickest of some undisturbed writes of the target takes: so that few kills come too late."""
    spans = []
    for _ in range(_MEASURED):
        one.restore()
        began, ended, _whole = _timed(one, target, None)
        spans.append(ended - began)
    one.restore()
    return max(min(spans), 0.0002)


def _timed(one: Writer, target: Target, kill_after: float | None) -> tuple[float, float, bool]:
    """When a write began and ended by what the command told, and whether it told its end."""
    reading, told = os.pipe()
    child = started(one.arguments, one.folder, lambda: around_the_stage(telling(target.path, told)))
    os.close(told)
    begun = os.read(reading, 5)
    began = time.perf_counter()
    if begun and kill_after is not None:
        time.sleep(kill_after)
        with contextlib.suppress(ProcessLookupError):
            os.kill(int.from_bytes(begun[1:], "little"), signal.SIGKILL)
    whole = os.read(reading, 1) == ENDED
    ended = time.perf_counter()
    os.waitpid(child, 0)
    os.close(reading)
    assert begun, f"{one.name}: {target.path.name} was never written"
    return began, ended, whole


def kill_while_writing(one: Writer, rounds: int, chance: random.Random) -> Rounds:
    """So many rounds, each with a kill at a random moment of one of the command's writes."""
    told = Rounds()
    times = [seconds_of_a_write(one, target) for target in one.targets]
    for _ in range(rounds):
        number = chance.randrange(len(one.targets))
        one.restore()
        *_, whole = _timed(one, one.targets[number], chance.uniform(0, min(times[number] * 1.1, _LONGEST_WRITE)))
        told.rounds += 1
        told.hits += not whole
        told.faults += faults(one)
    one.restore()
    return told


def faults(one: Writer) -> list[str]:
    """What is wrong after a kill, and after the same command ran once more beside what the kill left."""
    found = [f"{one.name}: {target.path.name} is neither old nor new" for target in one.targets if not target.whole()]
    left = one.leftovers()
    known = {os.path.relpath(target.path, one.folder) for target in one.targets} | set(left) | set(one.around)
    found += [f"{one.name}: {name} was left" for name in sorted(names_below(one.folder) - known)]
    cut = any(target.grows and not (content(target.path) or b"\n").endswith(b"\n") for target in one.targets)
    for path in one.made:
        path.unlink(missing_ok=True)
    code = one.run()
    if code != one.code:
        found.append(f"{one.name}: run again it ended with {code}")
    for target in one.targets:
        now = content(target.path) or b""
        if not (left or cut) and now != target.new and not target.grows:
            found.append(f"{one.name}: run again it wrote another {target.path.name}")
        if target.normal(now, cut) != target.normal(target.new, cut):
            found.append(f"{one.name}: {target.path.name} is another one beside {', '.join(left)}")
    if one.leftovers() != left:
        found.append(f"{one.name}: the leftovers {', '.join(left)} were touched or became more")
    return found


def main() -> None:
    """Runs the rounds that the command line asks for over all commands and prints what came of them."""
    rounds, size = (int(word) for word in (*sys.argv[1:3], "500", "3000")[:2])
    chance, whole = random.Random(0), Rounds()
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(WRITERS):
            share = rounds * (number + 1) // len(WRITERS) - rounds * number // len(WRITERS)
            one = writer(name, Path(folder) / name, size)
            told = kill_while_writing(one, share, chance)
            sizes = " and ".join(f"{len(target.new) / 1e3:.0f} kB" for target in one.targets)
            _say(f"{name}, {sizes}: {told.rounds} kills, {told.hits} hit a write, {len(told.faults)} faults")
            whole.rounds, whole.hits = whole.rounds + told.rounds, whole.hits + told.hits
            whole.faults += told.faults
    _say(f"all: {whole.rounds} kills, {whole.hits} hit a write, {len(whole.faults)} faults", *whole.faults[:20])
    sys.exit(1 if whole.faults else 0)


def _say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)  # noqa: T201  # what the script is for


if __name__ == "__main__":
    main()
