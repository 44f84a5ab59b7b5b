"""Reads the overrides of a NeMo Gym command as its configuration library (Hydra 1.3) reads them.

Only what can state the two keys is read: `+key=value`, `++key=value`, `key=value`, `~key`. A value that the library
refuses makes the producer fail before it writes anything (`NoOutput`); a value that only the library can work out
makes the answer unknown (`Declined`). Pure.
"""

import re
from collections.abc import Iterable, Mapping

import msgspec

from runaudit.layouts.nemo_gym.command_answers import Declined, NoOutput

Scalar = str | bool | int | float | None

_NAME = re.compile(
    r"(?P<sign>\+\+|\+|~|)(?P<key>[A-Za-z_$][\w$.-]*)(?P<assigned>=(?P<value>.*))?\Z", re.ASCII | re.DOTALL
)
_WHOLE = r"(?:0|[1-9](?:_?[0-9])*)"
_POINT = rf"(?:{_WHOLE}\.|{_WHOLE}?\.[0-9](?:_?[0-9])*)"
_INTEGER = re.compile(rf"[+-]?{_WHOLE}\Z", re.ASCII)
_DECIMAL = re.compile(
    rf"[+-]?(?:{_POINT}|(?:{_WHOLE}|{_POINT})[eE][+-]?[0-9](?:_?[0-9])*|inf|nan)\Z", re.ASCII | re.IGNORECASE
)
_QUOTED = re.compile(r"""(?P<mark>["'])(?P<inner>(?:\\\\)*|.*?[^\\](?:\\\\)*)(?P=mark)\Z""", re.DOTALL)
_PIECE = re.compile(
    r"(?P<interpolation>\$\{[^}]+\})"
    r"|(?P<escaped>(?:\\[\\()\[\]{}:=, \t])+)"
    r"|(?P<plain>[A-Za-z0-9_:/\-\\+.$%*@?| \t]+?(?=\$\{|\\[\\()\[\]{}:=, \t]|\Z|[^A-Za-z0-9_:/\-\\+.$%*@?| \t]))",
    re.ASCII,
)
_OUTER_SPACE = " \t"


class Override(msgspec.Struct, frozen=True):
    """One override. `value` is None when there is no `=` (a deletion)."""

    sign: str
    key: str
    value: str | None


class Absent(msgspec.Struct, frozen=True):
    """The overrides state no value for the key."""


def parse(token: str) -> Override | None:
    """The override that a token is, or None when it has another shape."""
    match = _NAME.match(token)
    if match is None or (match["assigned"] is None and match["sign"] != "~"):
        return None
    return Override(sign=match["sign"], key=match["key"], value=match["value"])


def settle(overrides: Iterable[Override], key: str) -> Scalar | Absent | NoOutput:
    """The value of a key after all overrides were applied in order, interpolations not yet resolved."""
    held: Scalar | Absent = Absent()
    for override in overrides:
        if override.key != key:
            continue
        there = not isinstance(held, Absent)
        if override.sign == "+" and there:
            return NoOutput(f"+{key} is stated although {key} is set before it; the producer refuses that")
        if override.sign in ("", "~") and not there:
            return NoOutput(f"{override.sign}{key} without + names a key that is not set; the producer refuses that")
        value = Absent() if override.value is None else decode(override.value)
        if isinstance(value, NoOutput):
            return value
        if override.sign == "~":
            if not isinstance(value, Absent) and value != held:
                return NoOutput(f"~{key} names a value that {key} does not have; the producer refuses that")
            value = Absent()
        held = value
    return held


def decode(text: str) -> Scalar | NoOutput:
    """The value that an override's text stands for: quotes and escapes undone, numbers and words typed."""
    if text[:1] in ('"', "'"):
        return _unquote(text)
    inner = text.lstrip(_OUTER_SPACE)
    whole = _join_pieces(inner)
    if whole is None:
        return NoOutput(f"the value {text!r} needs quotes; the producer refuses it")
    bare = inner.rstrip(_OUTER_SPACE)
    if _INTEGER.match(bare):
        return int(bare)
    if _DECIMAL.match(bare):
        return float(bare)
    return {"true": True, "false": False, "null": None}.get(bare.lower(), whole)


def _unquote(text: str) -> str | NoOutput:
    match = _QUOTED.match(text)
    if match is None or _closes_early(match["inner"], match["mark"]):
        return NoOutput(f"the value {text!r} is not quoted as a whole; the producer refuses it")
    # Inside quotes a backslash escapes only a quote, and itself only in front of one.
    mark = match["mark"]
    return re.sub(
        rf"(?P<slashes>\\+)(?P<end>{mark}|\Z)", lambda m: "\\" * (len(m["slashes"]) // 2) + m["end"], match["inner"]
    )


def _closes_early(inner: str, mark: str) -> bool:
    return any(len(m["slashes"]) % 2 == 0 for m in re.finditer(rf"(?P<slashes>\\*){mark}", inner))


def _join_pieces(text: str) -> str | None:
    """The text with escapes undone; None when a character stands there that needs quotes."""
    parts: list[str] = []
    at, kept = 0, 0
    while at < len(text):
        match = _PIECE.match(text, at)
        if match is None:
            return None
        if match["escaped"] is not None:
            parts.append(re.sub(r"\\(.)", r"\1", match["escaped"], flags=re.DOTALL))
            kept = sum(map(len, parts))
        else:
            parts.append(match[0])
        at = match.end()
    joined = "".join(parts)
    # Escaped blanks at the end belong to the value, plain ones do not.
    return joined[:kept] + joined[kept:].rstrip(_OUTER_SPACE)


_INTERPOLATION = re.compile(r"\$\{(?P<inner>[^{}]*)\}")
_ENVIRONMENT = re.compile(
    r"\s*oc\.env\s*:\s*(?P<name>[A-Za-z_]\w*)\s*(?:,\s*(?P<default>[^,\"'\s]+|\"[^\"\\]*\"|'[^'\\]*')\s*)?\Z"
)


def resolve(value: str, environment: Mapping[str, str]) -> str | Declined:
    """The text with `${oc.env:NAME}` and `${oc.env:NAME,default}` replaced; Declined for any other interpolation."""
    if "\\${" in value:
        return Declined(f"the value {value!r} holds an escaped interpolation")
    parts: list[str] = []
    at = 0
    for match in _INTERPOLATION.finditer(value):
        told = _ENVIRONMENT.match(match["inner"])
        if told is None:
            return Declined(f"the value {value!r} holds an interpolation other than oc.env")
        found = environment.get(told["name"], _default(told["default"]))
        if found is None:
            return Declined(f"the value {value!r} needs the environment variable {told['name']}, which is not set")
        parts += [value[at : match.start()], found]
        at = match.end()
    parts.append(value[at:])
    if "${" in "".join([*parts[::2]]):
        return Declined(f"the value {value!r} holds a nested interpolation")
    return "".join(parts)


def _default(text: str | None) -> str | None:
    if text is None or text.lower() == "null":
        return None
    return text[1:-1] if text[0] in "\"'" else text


def as_switch(value: Scalar) -> bool | None:
    """The truth of a setting as the producer's validation reads it (words in any case, 0, 1); None when it refuses."""
    if isinstance(value, str):
        word = value.lower()
        if word in ("true", "t", "yes", "y", "on", "1"):
            return True
        return False if word in ("false", "f", "no", "n", "off", "0") else None
    if value is None or value not in (0, 1):
        return None
    return bool(value)
