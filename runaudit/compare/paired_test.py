"""The run-level test: is one side better over the tasks that both could score?

One repeat a side and a pass known everywhere: McNemar's exact test on the tasks that flipped. Else the per-task mean
differences: sign-flip permutation. The interval of the mean difference is a bootstrap over tasks in both cases.
"""

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from runaudit.compare.exact import mcnemar
from runaudit.compare.resample import Interval, SignFlip, Source, bootstrap, sign_flip
from runaudit.compare.tally import Tally, equal_rewards

TestName = Literal["mcnemar", "sign-flip"]


class PairedTest(msgspec.Struct, frozen=True, kw_only=True):
    """The run-level test over the compared tasks, two-sided, and the interval of the mean difference.

    `adjusted` is Holm's p-value among several candidates (equal to `p_value` for one). `better` and `worse` count
    tasks: those that flipped for McNemar's test, those whose mean differs for the sign-flip test.
    """

    name: TestName
    n: int
    better: int
    worse: int
    mean_difference: float | None
    p_value: float
    adjusted: float
    exact: bool
    draws: int
    cells: bool
    interval: Interval | None
    seed: int


def paired_test(
    pairs: Sequence[tuple[Tally, Tally]], *, single: bool, source: Source, seed: int, interval: bool = True
) -> PairedTest:
    """The test over the compared tasks; `single` says that every task has one repeat a side.

    Without `interval` only the p-value is made, for simulations.
    """
    differences = [_difference(before, after) for before, after in pairs]
    flips = _flips(pairs) if single else None
    if flips is None:
        name: TestName = "sign-flip"
        worse, better = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
        result = sign_flip(differences, source)
    else:
        name = "mcnemar"
        worse, better = flips
        result = SignFlip(p_value=mcnemar(worse, better), exact=True, draws=0, cells=False)
    return PairedTest(
        name=name,
        n=len(pairs),
        better=better,
        worse=worse,
        mean_difference=math.fsum(differences) / len(differences) if differences else None,
        p_value=result.p_value,
        adjusted=result.p_value,
        exact=result.exact,
        draws=result.draws,
        cells=result.cells,
        interval=bootstrap(differences, source) if interval else None,
        seed=seed,
    )


def _difference(before: Tally, after: Tally) -> float:
    left, right = before.mean or 0.0, after.mean or 0.0
    # Two thirds less one third and one third are one difference, whatever their last bits say.
    return 0.0 if equal_rewards(left, right) else round(right - left, 12)


def _flips(pairs: Sequence[tuple[Tally, Tally]]) -> tuple[int, int] | None:
    """How many tasks flipped to fail and to pass; None unless every pass is known."""
    worse = better = 0
    for before, after in pairs:
        if before.passes is None or after.passes is None:
            return None
        worse += before.passes > after.passes
        better += after.passes > before.passes
    return worse, better


def says_worse(test: PairedTest, level: float) -> bool:
    """Whether the test, adjusted for several candidates, says at this two-sided level that the candidate is worse."""
    if test.name == "mcnemar":
        return test.worse > test.better and test.adjusted < level
    return test.mean_difference is not None and test.mean_difference < 0 and test.adjusted < level
