"""Reads JSON text the slow, explaining way: nothing that a fast parser would hide gets lost.

Numbers that no double holds become `NonFinite` with the text that stood there; an object that states a key twice
becomes an `Doubled`, which keeps every value. Control characters inside strings are let pass. Callers judge.
"""

import json
import math
from typing import Any

import msgspec

_LONGEST_INTEGER = 400


class NonFinite(msgspec.Struct, frozen=True):
    """A number that is not finite, as it stood in the text: NaN, Infinity, 1e400."""

    text: str


class Doubled(dict[str, Any]):
    """An object that states at least one key twice. The mapping holds the last value, `values_of` all."""

    values_of: dict[str, list[Any]]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    doubled = Doubled(plain)
    doubled.values_of = {}
    for key, value in pairs:
        doubled.values_of.setdefault(key, []).append(value)
    doubled.values_of = {key: values for key, values in doubled.values_of.items() if len(values) > 1}
    return doubled


def _decimal(text: str) -> float | NonFinite:
    value = float(text)
    return value if math.isfinite(value) else NonFinite(text)


def _integer(text: str) -> int | NonFinite:
    return int(text) if len(text) <= _LONGEST_INTEGER and math.isfinite(float(text)) else NonFinite(text[:40])


DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_decimal, parse_int=_integer, parse_constant=NonFinite, strict=False
)


def doubled_keys(value: Any, where: str = "") -> list[str]:
    """The dotted names of keys that are stated twice anywhere in the value, in order."""
    found: list[str] = []
    if isinstance(value, dict):
        if isinstance(value, Doubled):
            found += [f"{where}{key}" for key in value.values_of]
        for key, inner in value.items():
            found += doubled_keys(inner, f"{where}{key}.")
    elif isinstance(value, list):
        for inner in value:
            found += doubled_keys(inner, where)
    return found


def holds_non_finite(value: Any) -> bool:
    """Whether a number that is not finite stands anywhere in the value."""
    if isinstance(value, dict):
        return any(holds_non_finite(inner) for inner in value.values())
    if isinstance(value, list):
        return any(holds_non_finite(inner) for inner in value)
    return isinstance(value, NonFinite)


MOST_DEPTH = 200


def is_deep(value: Any, data: bytes) -> bool:
    """Whether a value nests deeper than MOST_DEPTH levels; `data` is its text, which tells most values at once."""
    if data.count(b"[") + data.count(b"{") <= MOST_DEPTH:
        return False
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True
