"""Whether the text of a stored summary can be read in one way only: no key stated twice, nothing that is no UTF-8.

Fast parsers take the last of two values, others the first. A summary as this program writes it needs no slow look: its
text is, piece by piece, what writing its values again gives.
"""

from collections.abc import Iterator

import orjson

from runaudit.assemble.encode import TASKS_BEGIN
from runaudit.model.trouble import Trouble
from runaudit.read.documents import decode_json
from runaudit.read.values import doubled_keys

_ENDS = b"\n  ]\n}\n"
_FRAME = (b'{\n  "tasks": [', b"\n  ]\n}")
_BETWEEN = b"\n    },\n    {"
_PIECE = 1 << 20
_MOST_NAMES = 5


def two_readings(data: bytes) -> Trouble | None:
    """Why two readers could take different things from the text of a summary; None when they cannot."""
    return None if _is_as_written(data) else second_look(data)


def second_look(data: bytes) -> Trouble | None:
    """As `two_readings`, for a text that is not as this program writes it."""
    document = decode_json(data, strict_keys=True)
    if isinstance(document, Trouble):
        return document
    doubled = doubled_keys(document.value)
    if doubled:
        message = f"it states a key twice: {', '.join(doubled[:_MOST_NAMES])}"
        return Trouble(id="summary-unreadable", message=message)
    return None


def _is_as_written(data: bytes) -> bool:
    """Whether the text is one that this program wrote; never holds more than a piece of it as values."""
    at = data.find(TASKS_BEGIN)
    if at < 0 or not data.endswith(_ENDS):
        return False
    try:
        head = orjson.loads(data[:at] + b"\n}")
        if "tasks" in head or orjson.dumps(head, option=orjson.OPT_INDENT_2) != data[:at] + b"\n}":
            return False
        return all(_is_written_again(piece) for piece in _pieces(data, at + len(TASKS_BEGIN), len(data) - len(_ENDS)))
    except (orjson.JSONDecodeError, orjson.JSONEncodeError, RecursionError):
        return False


def _pieces(data: bytes, start: int, end: int) -> Iterator[bytes]:
    """The entries between two places of the text, some at a time, each with the line break before it."""
    while start < end:
        stop = data.rfind(_BETWEEN, start, start + _PIECE) if start + _PIECE < end else -1
        if stop < 0:
            stop = data.find(_BETWEEN, start + _PIECE, end)
        behind = end if stop < 0 else stop + len(_BETWEEN.partition(b",")[0])
        yield data[start:behind]
        start = behind + 1


def _is_written_again(piece: bytes) -> bool:
    value = {"tasks": orjson.loads(b"[" + piece + b"]")}
    return bool(orjson.dumps(value, option=orjson.OPT_INDENT_2) == _FRAME[0] + piece + _FRAME[1])
