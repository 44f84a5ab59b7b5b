"""Compares values the way a card prints them.

Exact first. A text that is a number is that number. A number with a point that the card states agrees with one that
rounds to it at the printed places (half to even or half up). Two numbers of documents agree to the precision of a
double. A shortened hex text agrees as far as it goes, and that is not enough.
"""

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Literal

import msgspec

Match = Literal["equal", "rounded", "about", "other-type", "shortened", "different"]
_NUMBER = re.compile(r"[+-]?(\d{1,40}|\d{1,40}\.\d{1,40}|\d{1,3}(,\d{3}){1,12})\Z")
_FRACTION = re.compile(r"(\d{1,20})/(\d{1,20})\Z")
_HEX = re.compile(r"[0-9a-f]{6,}\Z")
_WHOLE_HEX = (40, 64)
_DOUBLE = Fraction(1, 10**12)


class Value(msgspec.Struct, frozen=True):
    """A value and where it was found. `printed`: it stands in the card, so its places are those that were printed."""

    value: Any
    source: str
    printed: bool = False
    path: str | None = None

    @property
    def text(self) -> str:
        """The value as it can be shown."""
        if isinstance(self.value, Fraction):
            return f"{float(self.value):.12g}"
        shown = f'"{self.value}"' if isinstance(self.value, str) and number_of(self.value) is not None else self.value
        return str(shown).lower() if isinstance(shown, bool) else str(shown)


def number_of(value: Any) -> Fraction | None:
    """The number in a value: a number, or a text such as `1/3`, `0.25` or `10,893`; None when it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(repr(value))
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() and abs(value.adjusted()) < 400 else None  # noqa: PLR2004  # as doubles
    if not isinstance(value, str):
        return None
    if found := _FRACTION.match(value):
        return Fraction(int(found[1]), int(found[2])) if int(found[2]) else None
    return Fraction(value.replace(",", "")) if _NUMBER.match(value) else None


def match(stated: Value, found: Value, about: Fraction | None = None) -> Match:
    """How a found value agrees with a stated one."""
    if type(stated.value) is type(found.value) and stated.value == found.value:
        return "equal"
    one, two = number_of(stated.value), number_of(found.value)
    if one is not None and two is not None:
        return _numbers(stated, found, one, two, about)
    return _texts(stated.value, found.value)


def consistent(one: Value, two: Value) -> bool:
    """Whether two found values can be one: equal, or one of them the other as rounded."""
    numbers = number_of(one.value), number_of(two.value)
    if numbers[0] is None or numbers[1] is None:
        return match(one, two) != "different"
    if match(one, two) != "different":
        return True
    return any(
        isinstance(printed.value, float | Decimal) and _rounds_to(number, Decimal(str(printed.value)))
        for printed, number in ((one, numbers[1]), (two, numbers[0]))
    )


def _numbers(stated: Value, found: Value, one: Fraction, two: Fraction, about: Fraction | None) -> Match:
    if one == two:
        return "other-type" if isinstance(stated.value, str) != isinstance(found.value, str) else "equal"
    if about is not None and abs(one - two) <= about:
        return "about"
    if stated.printed and isinstance(stated.value, Decimal) and _rounds_to(two, stated.value):
        return "rounded"
    if not (stated.printed and found.printed) and _inexact(stated, found):
        return "equal" if abs(one - two) <= _DOUBLE * max(abs(one), abs(two)) else "different"
    return "different"


def _inexact(stated: Value, found: Value) -> bool:
    """Whether a double, or a sum with one, takes part."""
    return any(isinstance(one.value, float | Fraction) for one in (stated, found))


def _rounds_to(number: Fraction, printed: Decimal) -> bool:
    places = printed.as_tuple().exponent
    if not isinstance(places, int) or places >= 0:
        return False
    unit = Decimal(1).scaleb(places)
    try:
        whole = Decimal(number.numerator) / Decimal(number.denominator)
        return any(whole.quantize(unit, rounding=how) == printed for how in (ROUND_HALF_EVEN, ROUND_HALF_UP))
    except InvalidOperation:
        return False


def _texts(stated: Any, found: Any) -> Match:
    if not isinstance(stated, str) or not isinstance(found, str):
        return "different"
    short, long = sorted((_bare(stated), _bare(found)), key=len)
    if short == long and _HEX.match(short):
        return "equal"
    if _HEX.match(short) and _HEX.match(long) and len(long) in _WHOLE_HEX and long.startswith(short):
        return "shortened"
    return "different"


def _bare(text: str) -> str:
    lower = text.lower()
    return lower.removeprefix("sha256:")
