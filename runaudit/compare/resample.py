"""Resampling of per-task differences: sign-flip permutation test and percentile bootstrap.

Both work on counts of distinct differences, so that a hundred thousand tasks cost little more than a hundred:

* Under the null hypothesis every difference is as likely with either sign. Of m tasks with the same magnitude the
  number of plus signs is Binomial(m, 1/2). While these numbers allow at most FLIPS combinations, all are counted and
  the p-value is exact: always so up to 12 tasks, and for hundreds of tasks with few repeats. Else they are drawn:
  Binomial(m, 1/2) is the number of one bits among m random bits.
* A bootstrap resample of n tasks is a multinomial draw of how often each distinct difference occurs. It is drawn by
  splitting the distinct values in two again and again with exact binomials, the rare ones first.

Up to a thousand tasks, differences that are nearly all distinct are drawn one by one. Beyond that, where more than
MOST_DISTINCT differ, neighbours are put into cells of equal width and stand for the mean of their cell. The permutation
test stays valid for any fixed magnitudes, since only signs are permuted; the interval keeps its centre, and the spread
inside a cell (a 64th of the range at most) is lost from it. `cells` in the result says so.

Above MANY_TASKS tasks fewer draws are made: there the interval is narrow and the p-value rarely near any level; every
result states its number of draws.

The source of random bits is handed in and seeded by the caller.
"""

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import msgspec

MANY_TASKS = 10_000
FLIPS = 10_000
RESAMPLES = 2_000
FLIPS_OF_MANY = 2_000
RESAMPLES_OF_MANY = 1_000
MOST_DISTINCT = 64
_DIRECT = 1_000
_FEW = 100
_SLACK = 1e-9
_BITS = 53


class Source(Protocol):
    """What `random.Random` offers of itself here."""

    def getrandbits(self, k: int, /) -> int:
        """k random bits."""
        ...

    def random(self) -> float:
        """A number from [0, 1)."""
        ...


class SignFlip(msgspec.Struct, frozen=True):
    """A two-sided p-value; `exact` when every assignment of signs was counted (in `draws` sums), else drawn."""

    p_value: float
    exact: bool
    draws: int
    cells: bool


class Interval(msgspec.Struct, frozen=True):
    """A 95 % percentile interval of the mean difference, from `resamples` resamples of the tasks."""

    low: float
    high: float
    resamples: int
    cells: bool


def sign_flip(differences: Sequence[float], source: Source) -> SignFlip:
    """Tests whether the mean difference is zero. Tasks without a difference change nothing and are left out."""
    moved = [d for d in differences if d]
    if not moved:
        return SignFlip(p_value=1.0, exact=True, draws=1, cells=False)
    draws = FLIPS if len(moved) <= MANY_TASKS else FLIPS_OF_MANY
    stands_for: dict[float, float] = {}
    if len(moved) > _DIRECT:
        stands_for = _cells([abs(d) for d in moved])
        moved = [math.copysign(stands_for.get(abs(d), abs(d)), d) for d in moved]
    least = abs(sum(moved)) - _SLACK * sum(abs(d) for d in moved)
    counts = Counter(abs(d) for d in moved)
    if len(moved) <= _DIRECT and math.prod(m + 1 for m in counts.values()) <= FLIPS:
        sums = _counted_sums(counts)
        extreme = sum(ways for total, ways in sums if abs(total) >= least)
        return SignFlip(p_value=extreme / (1 << len(moved)), exact=True, draws=len(sums), cells=bool(stands_for))
    extreme = sum(abs(s) >= least for s in _random_sums([abs(d) for d in moved], source, draws))
    return SignFlip(p_value=(extreme + 1) / (draws + 1), exact=False, draws=draws, cells=bool(stands_for))


def _counted_sums(counts: Counter[float]) -> list[tuple[float, int]]:
    """Every sum of signed magnitudes, and how many assignments of signs give it."""
    sums = [(0.0, 1)]
    for value, m in counts.items():
        steps = [(value * (2 * plus - m), math.comb(m, plus)) for plus in range(m + 1)]
        sums = [(total + step, ways * more) for total, ways in sums for step, more in steps]
    return sums


def _all_sums(values: Sequence[float]) -> list[float]:
    sums = [0.0]
    for value in values:
        sums = [s + value for s in sums] + [s - value for s in sums]
    return sums


def _random_sums(magnitudes: Sequence[float], source: Source, draws: int) -> list[float]:
    counts = Counter(magnitudes)
    if len(counts) <= MOST_DISTINCT:
        bits, items = source.getrandbits, list(counts.items())
        # plus - minus = 2 * plus - m, for each magnitude
        return [sum([value * (2 * bits(m).bit_count() - m) for value, m in items]) for _ in range(draws)]
    # Eight tasks at a time: one random byte picks the sum of their signed magnitudes from a table.
    tables = [_all_sums(magnitudes[i : i + 8]) for i in range(0, len(magnitudes), 8)]
    tables[-1] *= 256 // len(tables[-1])
    return [_looked_up(tables, source) for _ in range(draws)]


def _looked_up(tables: Sequence[Sequence[float]], source: Source) -> float:
    picks = source.getrandbits(8 * len(tables)).to_bytes(len(tables), "big")
    return sum([table[pick] for table, pick in zip(tables, picks, strict=True)])


def bootstrap(differences: Sequence[float], source: Source) -> Interval | None:
    """The percentile interval of the mean over tasks; None without tasks."""
    n = len(differences)
    if not n:
        return None
    resamples = RESAMPLES if n <= MANY_TASKS else RESAMPLES_OF_MANY
    stands_for: dict[float, float] = {}
    if n <= _FEW or (n <= _DIRECT and len(set(differences)) > MOST_DISTINCT):
        means = _direct(differences, source, resamples)
    else:
        stands_for = _cells(differences)
        counts = Counter([stands_for.get(d, d) for d in differences])
        tree = _tree(sorted(counts.items()))
        means = [_draw(tree, n, source) / n for _ in range(resamples)]
    means.sort()
    cut = round(0.025 * resamples)
    low, high = means[max(cut - 1, 0)], means[min(resamples - cut, resamples - 1)]
    return Interval(low=low, high=high, resamples=resamples, cells=bool(stands_for))


def _direct(differences: Sequence[float], source: Source, resamples: int) -> list[float]:
    n, uniform = len(differences), source.random
    return [sum([differences[int(uniform() * n)] for _ in range(n)]) / n for _ in range(resamples)]


class _Node(msgspec.Struct, frozen=True):
    """Part of the distinct values: one of them, or two halves and the share of the first."""

    value: float
    weight: int
    share: float = 0.0
    halves: "tuple[_Node, _Node] | None" = None


def _tree(items: Sequence[tuple[float, int]]) -> _Node:
    """The values as leaves, the most frequent ones nearest the root: the fewest random bits for a draw."""
    heap = [(weight, order, _Node(value=value, weight=weight)) for order, (value, weight) in enumerate(items)]
    heapq.heapify(heap)
    order = len(heap)
    while len(heap) > 1:
        light, _, left = heapq.heappop(heap)
        heavy, _, right = heapq.heappop(heap)
        weight = light + heavy
        node = _Node(value=0.0, weight=weight, share=light / weight, halves=(left, right))
        heapq.heappush(heap, (weight, order, node))
        order += 1
    return heap[0][2]


def _draw(node: _Node, n: int, source: Source) -> float:
    """The sum of n values drawn from the node's."""
    if n == 0:
        return 0.0
    if node.halves is None:
        return node.value * n
    first = binomial(n, node.share, source)
    return _draw(node.halves[0], first, source) + _draw(node.halves[1], n - first, source)


def binomial(n: int, share: float, source: Source) -> int:
    """How many of n uniform numbers fall below `share`, exactly, by comparing their binary digits with its own.

    All n numbers are looked at together: of those undecided after a digit, about half are decided by the next.
    """
    digits = int(share * (1 << _BITS))
    below, undecided, place = 0, n, _BITS - 1
    while undecided and place >= 0:
        ones = source.getrandbits(undecided).bit_count()
        if digits >> place & 1:
            below, undecided = below + undecided - ones, ones
        else:
            undecided -= ones
        place -= 1
    return below


def _cells(values: Sequence[float]) -> dict[float, float]:
    """What each value stands for when more than MOST_DISTINCT of them differ: the mean of its cell. Else empty."""
    counts = Counter(values)
    if len(counts) <= MOST_DISTINCT:
        return {}
    low, high = min(counts), max(counts)
    width = (high - low) / MOST_DISTINCT
    cell_of = {value: min(int((value - low) / width), MOST_DISTINCT - 1) for value in counts}
    sums, sizes = [0.0] * MOST_DISTINCT, [0] * MOST_DISTINCT
    for value, count in counts.items():
        sums[cell_of[value]] += value * count
        sizes[cell_of[value]] += count
    return {value: sums[cell] / sizes[cell] for value, cell in cell_of.items()}
