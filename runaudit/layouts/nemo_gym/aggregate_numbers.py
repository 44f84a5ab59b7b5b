"""Numbers of an aggregate: what counts as one, when two are the same, their mean, and their text in a finding.

A producer's sums differ from exact ones in the last digits: numbers compare with relative and absolute 1e-9.
"""

import json
import math
from collections.abc import Sequence
from typing import Any

import msgspec

from runaudit.read.values import NonFinite

TOLERANCE = 1e-9
_LONGEST_TEXT = 60


def number(value: Any) -> float | None:
    """The finite number that a decoded value is; a boolean is 0 or 1, as it is to the producer's mean. Else None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, int):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def numbers(values: Sequence[Any]) -> list[float]:
    """The values that are numbers, in order."""
    return [found for value in values if (found := number(value)) is not None]


def close(left: float, right: float) -> bool:
    """Whether two numbers are the same up to rounding."""
    return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def same(left: Any, right: Any) -> bool:
    """Whether two rewards are the same. Those that are no numbers are alike: neither enters a mean."""
    if left is right:
        return True
    first, second = number(left), number(right)
    if first is None or second is None:
        return first is second
    return close(first, second)


def mean_of(values: Sequence[float]) -> float | None:
    """The mean, None of nothing and where the sum is beyond the range of doubles."""
    if not values:
        return None
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return None


def text(value: Any) -> str:
    """A decoded value as a finding shows it: `absent`, JSON, or the text of a number that JSON does not have."""
    if value is msgspec.UNSET:
        return "absent"
    if isinstance(value, NonFinite):
        return value.text
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and number(value) is None:
        return "an integer beyond the range of doubles"
    shown = json.dumps(value, default=str)
    return shown if len(shown) <= _LONGEST_TEXT else f"{shown[:_LONGEST_TEXT]}…"
