"""Reads a Python literal out of a log line without evaluating anything.

Understood: dictionaries, lists, tuples, strings, numbers, True, False, None, and nan and inf as `repr` prints them.
Everything else, a call above all, is refused with its place. The grammar is closed: no name is ever looked up.
"""

import re
import sys
from typing import Any

DEEPEST = 32
_SPACE = re.compile(r"\s*")
_STRING = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:(?:\d+(?:_\d+)*)?\.?\d+(?:[eE][+-]?\d+)?|\d+\.(?:[eE][+-]?\d+)?)")
_WORD = re.compile(r"[+-]?[^\W\d][\w.]*")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\n": ""}
_WORDS: dict[str, Any] = {
    "True": True,
    "False": False,
    "None": None,
    **dict.fromkeys(("nan", "+nan", "-nan", "NaN"), float("nan")),
    **dict.fromkeys(("inf", "+inf", "Infinity"), float("inf")),
    **dict.fromkeys(("-inf", "-Infinity"), float("-inf")),
}
_LONGEST_NUMBER = 400
_SURROGATES = range(0xD800, 0xE000)


class LiteralError(ValueError):
    """The text is no literal. `at` is the offset."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(f"{message} at character {at + 1}")
        self.at = at


def read_literal(text: str, start: int = 0) -> tuple[Any, int]:
    """The literal that begins at `start`, and the offset behind it. Tuples come as lists.

    Raises LiteralError.
    """
    return _value(text, start, 0)


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    at = _skip(text, at)
    if depth > DEEPEST:
        raise LiteralError("nested too deep", at)
    if at >= len(text):
        raise LiteralError("it ends too early", at)
    if text[at] == "{":
        return _mapping(text, at + 1, depth)
    if text[at] in "[(":
        return _sequence(text, at + 1, depth, "]" if text[at] == "[" else ")")
    if text[at] in "'\"":
        return _string(text, at)
    return _atom(text, at)


def _mapping(text: str, at: int, depth: int) -> tuple[dict[Any, Any], int]:
    found: dict[Any, Any] = {}
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return found, at + 1
        begin = at
        key, at = _value(text, at, depth + 1)
        if isinstance(key, list | dict):
            raise LiteralError("a key that is a container", begin)
        if key in found:
            raise LiteralError(f"the key {str(key)[:80]!r} is stated twice", begin)
        at = _expect(text, at, ":")
        found[key], at = _value(text, at, depth + 1)
        at = _next(text, at, "}")


def _sequence(text: str, at: int, depth: int, end: str) -> tuple[list[Any], int]:
    found: list[Any] = []
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == end:
            return found, at + 1
        value, at = _value(text, at, depth + 1)
        found.append(value)
        at = _next(text, at, end)


def _string(text: str, at: int) -> tuple[str, int]:
    match = _STRING.match(text, at)
    if match is None:
        raise LiteralError("a string that does not end", at)
    raw = match.group(1) if match.group(1) is not None else match.group(2)
    return _ESCAPE.sub(_unescape, raw), match.end()


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) > 1:
        number = int(code[1:], 16)
        # what is no character of its own (a surrogate, too large) stays as it was written
        return chr(number) if number <= sys.maxunicode and number not in _SURROGATES else match.group(0)
    return _ESCAPES.get(code, code if code in "\\'\"" else match.group(0))


def _atom(text: str, at: int) -> tuple[Any, int]:
    if number := _NUMBER.match(text, at):
        return _number(number.group(), at), number.end()
    word = _WORD.match(text, at)
    if word is None:
        raise LiteralError(f"unexpected {text[at]!r}", at)
    if text[word.end() : word.end() + 1] == "(":
        raise LiteralError(f"a call, {word.group()[:40]}(…), is refused: nothing in a log is evaluated", at)
    if word.group() not in _WORDS:
        raise LiteralError(f"the name {word.group()[:40]!r} is refused", at)
    return _WORDS[word.group()], word.end()


def _number(token: str, at: int) -> int | float:
    if len(token) > _LONGEST_NUMBER:
        raise LiteralError("a number that is too long", at)
    return float(token) if any(c in token for c in ".eE") else int(token)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _expect(text: str, at: int, wanted: str) -> int:
    at = _skip(text, at)
    if at >= len(text):
        raise LiteralError("it ends too early", at)
    if text[at] != wanted:
        raise LiteralError(f"expected {wanted!r}, found {text[at]!r}", at)
    return at + 1


def _next(text: str, at: int, end: str) -> int:
    """Behind a comma, or at the closing bracket."""
    at = _skip(text, at)
    return at if text[at : at + 1] == end else _expect(text, at, ",")
