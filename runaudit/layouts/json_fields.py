"""Takes typed values out of decoded JSON that may hold anything. What has another type than it should is absent.

Nothing here raises: third parties write documents of a producer's shape with null or invented fields.
"""

import math
from typing import Any

Number = int | float


def mapping(value: Any) -> dict[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value when it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def at(value: Any, *keys: str) -> Any:
    """The value under nested keys; None where any of them is absent."""
    for key in keys:
        value = mapping(value).get(key)
    return value


def text(value: Any) -> str | None:
    """The value when it is text that is not empty. Lone surrogates, which no document can hold, are escaped."""
    if not isinstance(value, str) or not value:
        return None
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")


def number(value: Any) -> Number | None:
    """The value when it is a finite number, as JSON has them: a boolean is none. Beyond 63 bits it is a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        known = value if abs(value) < 1 << 63 else float(value)
    except OverflowError:
        return None
    return known if math.isfinite(known) else None


def count(value: Any) -> int | None:
    """The value when it is a whole number that is not negative and fits into 63 bits."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63 else None


def same(one: Number | None, other: Number | None) -> bool:
    """Whether two numbers agree up to rounding. Absent agrees with absent only."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
