"""How often the default gate of `runaudit diff` fails on noise alone, and how often it sees a real drop.

Two runs of one simulated model: 100 tasks, 3 repeats each, pass chances per task drawn from Beta(a, a). A drop of d
points moves every task's chance down so that the mean falls by d/100. Prints one Markdown table for docs/ci.md.

    python benchmarks/gate_power.py [PAIRS]
"""

import math
import sys
from random import Random

from runaudit.compare.paired_test import paired_test, says_worse
from runaudit.compare.tally import Tally
from runaudit.model.task import Outcome

TASKS, REPEATS = 100, 3
SCORED: tuple[Outcome, ...] = ("scored",)
DROPS = (0, 2, 5, 10)
MIXES = ((0.5, "most tasks nearly always or nearly never pass"), (2.0, "most tasks pass about half of the time"))


def run(chances: list[float], source: Random, repeats: int) -> list[Tally]:
    """One simulated run: each task's repeats, counted."""
    tallies = []
    for chance in chances:
        rewards = tuple(float(source.random() < chance) for _ in range(repeats))
        tallies.append(Tally(repeats, rewards, int(sum(rewards)), SCORED * repeats))
    return tallies


def fails(source: Random, shape: float, drop: int, repeats: int = REPEATS) -> bool:
    """Whether the test that the default gate uses says worse for one pair of runs."""
    chances = [source.betavariate(shape, shape) for _ in range(TASKS)]
    mean = math.fsum(chances) / TASKS
    lowered = [chance * (1 - drop / 100 / mean) for chance in chances]
    pairs = list(zip(run(chances, source, repeats), run(lowered, source, repeats), strict=True))
    return says_worse(paired_test(pairs, single=False, source=source, seed=0, interval=False), 0.05)


def share(shape: float, drop: int, pairs: int, seed: int = 1, repeats: int = REPEATS) -> float:
    """The share of failing pairs."""
    source = Random(seed)
    return sum(fails(source, shape, drop, repeats) for _ in range(pairs)) / pairs


def main() -> None:
    """Prints the table."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(
        f"| {TASKS} tasks, {pairs} pairs | repeats | no change | " + " | ".join(f"{d} points" for d in DROPS[1:]) + " |"
    )
    print("| --- | ---: | ---: |" + " ---: |" * (len(DROPS) - 1))
    for shape, words in MIXES:
        for repeats in (REPEATS, 5):
            cells = [f"{100 * share(shape, drop, pairs, repeats=repeats):.1f} %" for drop in DROPS]
            print(f"| {words} | {repeats} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
