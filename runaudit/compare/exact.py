"""The small exact tests: McNemar's on discordant tasks, and Holm's correction for several candidates."""

import math
from collections.abc import Sequence

_MOST_EXACT = 1000


def mcnemar(worse: int, better: int) -> float:
    """The two-sided exact binomial p-value for `worse` against `better` discordant tasks; 1.0 without any.

    Up to 1,000 discordant tasks in whole numbers, beyond that by logarithms of the gamma function, whose relative
    error stays below 1e-9.
    """
    trials, fewer = worse + better, min(worse, better)
    if worse == better:
        return 1.0
    if trials <= _MOST_EXACT:
        tail = sum(math.comb(trials, k) for k in range(fewer + 1))
        return min(1.0, float(2 * tail / (1 << trials)))
    return min(1.0, 2 * _tail(trials, fewer))


def _tail(trials: int, most: int) -> float:
    """P(X <= most) of a fair binomial, largest term first, until further terms change nothing."""
    logarithm = math.lgamma(trials + 1) - math.lgamma(most + 1) - math.lgamma(trials - most + 1)
    term = math.exp(logarithm - trials * math.log(2))
    total, k = term, most
    while k > 0 and term > total * 1e-17:
        term *= k / (trials - k + 1)
        total += term
        k -= 1
    return total


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p-values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = running
    return tuple(adjusted)
