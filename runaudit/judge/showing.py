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


def comparable(value: Any) -> str:
    """The value as one text that is equal for equal values, whatever the order of their keys."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    except RecursionError:
        return "a value that is nested too deep"
