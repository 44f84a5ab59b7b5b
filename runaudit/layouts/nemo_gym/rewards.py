"""What a verifier left as its reward, read as NeMo Gym's Harbor server reads it, never with Python's float().

reward.json is preferred; when it is unusable, reward.txt is tried. In reward.json the value is the key `reward`, else
the only key; several keys without `reward` are named rewards and no scalar. Booleans, text and numbers that are not
finite are no rewards to this writer. Source: resources_servers/harbor/app.py as described in the public sources.
"""

import re
from typing import Any, Literal

import msgspec

from runaudit.model.trouble import Trouble
from runaudit.read.documents import decode_json
from runaudit.read.values import Doubled, doubled_keys

LARGEST_REWARD = 1 << 20
_DECIMAL = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BOM = b"\xef\xbb\xbf"

Standing = Literal["number", "named", "unusable", "unclear", "unread"]


class Reading(msgspec.Struct, frozen=True):
    """What one reward file says.

    `unclear` marks a value that writers read differently (a bare number in reward.json, a key stated twice);
    `unread` a file that was not read, so that nothing follows from it.
    """

    name: str
    standing: Standing
    value: float | None = None
    reason: str | None = None
    marked: bool = False
    doubled: tuple[str, ...] = ()


def read_text(data: bytes) -> Reading:
    """A reward.txt: one decimal number between ASCII blanks."""
    marked = data.startswith(_BOM)
    text = data.removeprefix(_BOM).strip(b" \t\r\n")
    if not text:
        return Reading("reward.txt", "unusable", reason="it is empty")
    if _DECIMAL.fullmatch(text) is None:
        return Reading("reward.txt", "unusable", reason=f"no decimal number: {_glimpse(text)}", marked=marked)
    return _finite("reward.txt", float(text), marked=marked)


def read_json(data: bytes) -> Reading:
    """A reward.json: an object of named numbers."""
    document = decode_json(data, strict_keys=True)
    if isinstance(document, Trouble):
        return Reading("reward.json", "unusable", reason=document.message)
    value = document.value
    doubled = tuple(doubled_keys(value))
    marked = document.encoding == "utf-8-sig"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Reading("reward.json", "unclear", float(value), "a bare number, not an object", marked=marked)
    if not isinstance(value, dict) or not value:
        return Reading("reward.json", "unusable", reason="no object with a reward", marked=marked)
    if isinstance(value, Doubled):
        told = ", ".join(f"{key}: {values}" for key, values in value.values_of.items())
        return Reading("reward.json", "unclear", reason=f"a key is stated twice ({told})", doubled=doubled)
    if "reward" not in value and len(value) > 1:
        return Reading("reward.json", "named", reason=f"{len(value)} named rewards", marked=marked)
    return _number(value.get("reward", next(iter(value.values()))), marked=marked)


def _number(value: Any, *, marked: bool) -> Reading:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return Reading("reward.json", "unusable", reason=f"the reward is no number: {value!r:.40}", marked=marked)
    return _finite("reward.json", float(value), marked=marked)


def _finite(name: str, value: float, *, marked: bool) -> Reading:
    if value - value != 0:
        return Reading(name, "unusable", reason=f"not finite: {value}", marked=marked)
    return Reading(name, "number", value, marked=marked)


def _glimpse(data: bytes) -> str:
    text = data[:40].decode("utf-8", "backslashreplace")
    return repr(text) + ("…" if len(data) > 40 else "")  # noqa: PLR2004  # as many as were taken


def standing_of(readings: list[Reading]) -> Reading | None:
    """The reading that this writer goes by: reward.json unless it is unusable, then reward.txt."""
    if len(readings) == 1:
        return readings[0]
    ordered = sorted(readings, key=lambda reading: reading.name != "reward.json")
    usable = [reading for reading in ordered if reading.standing != "unusable"]
    return (usable or ordered or [None])[0]  # type: ignore[list-item]  # None where there is no file
