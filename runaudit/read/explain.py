"""Looks at one bad line slowly and says what is wrong with it, saving every object that can be saved.

Only lines that the fast decoder refuses come here. What comes back are the objects, each whole, and the troubles.
"""

import json
from typing import Any

import msgspec

from runaudit.model.trouble import Trouble
from runaudit.read.values import DECODER

_MOST_CANDIDATES = 400
# a literal or an escape that is cut in the middle is reported at its start
_SHORTEST_TOKENS = 8
_BOM = b"\xef\xbb\xbf"


class Explained(msgspec.Struct):
    """The objects of a line (usually one or none) and what is wrong with it.

    `cut` marks a line that ends before its object does: milder when it is the last of its file.
    `bad_text` marks bytes that are no UTF-8; they stand as lone surrogates in the values.
    """

    objects: list[dict[str, Any]]
    troubles: list[Trouble]
    cut: bool = False
    bad_text: bool = False


class _Teller(msgspec.Struct):
    """Notes a trouble at so many characters behind `start`."""

    troubles: list[Trouble]
    line: int
    offset: int
    start: int = 0

    def __call__(self, finding: str, message: str, at: int = 0) -> None:
        self.troubles.append(Trouble(id=finding, message=message, line=self.line, offset=self.offset + self.start + at))


def explain(data: bytes, *, number: int, offset: int) -> Explained:
    """What stands on a line that the fast decoder refused."""
    result = Explained([], [])

    tell = _Teller(result.troubles, number, offset)

    kept = data.strip(b"\0 \t\r")
    if nuls := data.count(0):
        tell("nul-bytes", f"{nuls} NUL bytes on the line", data.index(0))
        if not kept:
            return result
    tell.start = data.index(kept[:1]) if kept else 0
    text = kept.decode("utf-8", "surrogateescape")
    result.bad_text = any("\udc80" <= c <= "\udcff" for c in text)
    try:
        _objects(text, result, tell)
    except RecursionError:
        tell("nested-too-deep", "nested deeper than the parser goes; the line was not read")
    return result


def _objects(text: str, result: Explained, tell: _Teller) -> None:
    at, first = 0, True
    while at < len(text):
        try:
            value, end = DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            _broken(text, at, error, result, tell)
            return
        if isinstance(value, dict):
            result.objects.append(value)
        else:
            tell("not-an-object", f"a {_kind(value)}, not an object", at)
        rest = len(text[end:]) - len(text[end:].lstrip())
        at = end + rest
        if first and at < len(text):
            tell("glued-lines", "more than one value on the line", at)
        first = False


def _broken(text: str, at: int, error: json.JSONDecodeError, result: Explained, tell: _Teller) -> None:
    """The text from `at` on is no JSON: cut at its end, or damaged; a whole object may still follow inside."""
    saved = _object_behind(text, at + 1)
    if saved is not None:
        result.objects.append(saved)
        tell("glued-lines", "a cut row is followed by a whole one on the same line", at)
        return
    result.cut = _ends_early(text, at, error)
    tell("corrupt-line", f"no JSON: {error.msg} at character {error.pos}", at)


def _ends_early(text: str, at: int, error: json.JSONDecodeError) -> bool:
    """Whether the text is the beginning of an object that was cut, rather than something else."""
    if not text.startswith("{", at):
        return False
    return (
        error.pos >= len(text)
        or error.msg.startswith("Unterminated string")
        or len(text) - error.pos < _SHORTEST_TOKENS
    )


def _object_behind(text: str, start: int) -> dict[str, Any] | None:
    """A whole object that reaches exactly to the end of the text, when a cut one stands before it."""
    at = start
    for _ in range(_MOST_CANDIDATES):
        at = text.find('{"', at)
        if at < 0:
            return None
        try:
            value, end = DECODER.raw_decode(text, at)
        except json.JSONDecodeError:
            end = -1
        if end == len(text.rstrip()) and isinstance(value, dict):
            return value
        at += 1
    return None


def _kind(value: Any) -> str:
    return {list: "list", str: "text", bool: "boolean", type(None): "null"}.get(type(value), "number")


def encoding_of(start: bytes) -> str | None:
    """The name of an encoding that is not UTF-8, told by a file's first bytes; None for UTF-8 or plain text."""
    if start.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "UTF-32"
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    # without a mark: every second byte of ASCII text in UTF-16 is zero, and a row starts with a brace
    if start[:4] in (b'{\0"\0', b'\0{\0"'):
        return "UTF-16"
    return None


def without_mark(data: bytes) -> bytes:
    """The bytes without a UTF-8 byte order mark."""
    return data.removeprefix(_BOM)
