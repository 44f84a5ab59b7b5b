"""Values as strict JSON has them. What JSON cannot say stands as text, so that nothing turns into null in silence."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from runaudit.render.escaping import inert_json, printable

_LEAST, _MOST = -(1 << 63), (1 << 64) - 1


def encode(value: Any) -> str:
    """The value as an indented JSON document with a final newline, harmless on a terminal and in a CI log."""
    return inert_json(orjson.dumps(strict(value), option=orjson.OPT_INDENT_2).decode()) + "\n"


def strict(value: Any) -> Any:
    """The value with plain types only: no NaN, no Infinity, no integer beyond 64 bits, no lone surrogate.

    Raises TypeError for a type that no document can hold.
    """
    kind = type(value)
    # The exact types first, and no call for what needs none: a document can have millions of values.
    if kind is str:
        return value if value.isascii() else _text(value)
    if kind is dict:
        return {_key(key): inner if inner is None else strict(inner) for key, inner in value.items()}
    if kind is list or kind is tuple:
        return [strict(inner) for inner in value]
    if kind is float:
        return value if math.isfinite(value) else _non_finite(value)
    if value is None or kind is bool:
        return value
    return _strict_of_other(value)


def _key(key: Any) -> str:
    return key if type(key) is str and key.isascii() else _text(str(key))


def _strict_of_other(value: Any) -> Any:
    """As `strict`, for whole numbers, subclasses of the plain types, and types that `msgspec` can take apart."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return value if _LEAST <= value <= _MOST else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else _non_finite(value)
    if isinstance(value, Mapping):
        return {_key(key): strict(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [strict(inner) for inner in value]
    return strict(msgspec.to_builtins(value))


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        return "".join(c if not "\ud800" <= c <= "\udfff" else printable(c) for c in value)
    return value


def _non_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
