"""Damages sound folders many times and judges every answer: `python tests/hostile/fuzz.py COUNT [SEED] [KIND]`.

Then gives a file of every role hostile content: too deep, odd names and numbers. Prints for each kind of folder and
each kind of damage how many were found, how many were harmless, how many cannot be detected and why, and every fault
with its seed and number. `fuzz.py =NUMBER SEED KIND` repeats one.
"""

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.hostile.damages import KINDS as DAMAGES
from tests.hostile.hostile_content import CHANGES
from tests.hostile.sound import KINDS
from tests.hostile.trials import Result, Stage

WORDS = ("found", "harmless", "undetectable", "fault")


def results(top: Path, count: int, seed: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Iterator[Result]:
    """So many trials, spread evenly over the kinds of folders."""
    stages = [Stage(top, kind) for kind in kinds]
    for number in range(count):
        yield stages[number % len(stages)].trial(seed, number)


def tables(told: list[Result]) -> Iterator[str]:
    """How many of each word, by kind of folder and by kind of damage; then why not, and every fault."""
    names = {"folder": [result.kind for result in told], "damage": [result.harm.kind for result in told]}
    for title, kinds in (("folder", list(KINDS)), ("damage", list(DAMAGES))):
        yield f"{title:24}" + "".join(f"{word:>14}" for word in WORDS)
        tally = Counter((name, result.word) for name, result in zip(names[title], told, strict=True))
        yield from (f"{kind:24}" + "".join(f"{tally[kind, word]:14}" for word in WORDS) for kind in kinds)
        yield ""
    reasons = Counter(
        f"{result.kind}: {judgement.why}"
        for result in told
        for judgement in result.judgements
        if judgement.word == "undetectable"
    )
    yield "undetectable answers"
    yield from (f"{count:6} {reason}" for reason, count in reasons.most_common())


def hostile_contents(top: Path, kinds: tuple[str, ...] = tuple(KINDS)) -> Iterator[str]:
    """What went wrong with hostile content in one file of each role; an empty text for each that did not."""
    for kind in kinds:
        stage = Stage(top / "contents", kind)
        for path in stage.roles():
            for name, change in CHANGES.items():
                _, wrong = stage.with_content(path, change)
                yield f"{kind}: {name} in {path}: {wrong}" if wrong else ""


def main() -> None:
    """Runs the trials that the command line asks for and prints what came of them."""
    count, seed = sys.argv[1] if len(sys.argv) > 1 else "10000", int((*sys.argv[2:3], "1")[0])
    kinds = tuple(KINDS) if len(sys.argv) <= 3 else tuple(sys.argv[3:4])
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        contents: list[str] = []
        if count.startswith("="):
            told = [Stage(Path(folder), kinds[0]).trial(seed, int(count[1:]))]
        else:
            told = list(results(Path(folder), int(count), seed, kinds))
            contents = list(hostile_contents(Path(folder), kinds))
    faults = [result for result in told if result.faults]
    lines = [*tables(told), ""]
    for result in faults:
        lines.append(f"seed {seed} number {result.number} {result.kind}: {result.harm}")
        lines += [f"    {why}" for why in result.faults]
    lines += filter(None, contents)
    lines.append(f"{len(contents)} documents of hostile content, {len([*filter(None, contents)])} faults")
    lines.append(f"{len(told)} damages in {time.perf_counter() - began:.0f} s, {len(faults)} faults")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(1 if faults or any(contents) else 0)


if __name__ == "__main__":
    main()
