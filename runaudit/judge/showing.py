"""Values of documents that somebody else may have written, as short text for a message."""

import json
from typing import Any

_LONGEST = 160


def shown_value(value: Any) -> str:
    """The value as JSON, cut to a line; what no JSON can hold is told as text."""
    text = comparable(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def shown_text(value: Any) -> str:
    """The value where a document should hold a text: the text itself, anything else as JSON."""
    return value[:_LONGEST] if isinstance(value, str) else shown_value(value)


def same(one: Any, other: Any) -> bool:
    """Whether two values of documents are equal. True is no 1 there, whatever Python thinks; 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def comparable(value: Any) -> str:
    """The value as one text that is equal for equal values, whatever the order of their keys."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    except RecursionError:
        return "a value that is nested too deep"
