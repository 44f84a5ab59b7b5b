"""Tells by its bytes that an input row is the one before in everything but the number of its repeat."""

_NAME = b'"_ng_rollout_index"'
_REPEAT = _NAME + b":"
_MOST_DIGITS = 9
_ZERO = ord("0")
# how JSON may spell a letter of a key in another way
_ESCAPED_LETTER = b"\\u00"


def repeat_after(data: bytes, around: tuple[bytes, bytes]) -> int | None:
    """The number of the repeat of a line that has just these bytes around it; None where it has others."""
    before, behind = around
    if not data.startswith(before) or not data.endswith(behind):
        return None
    digits = data[len(before) : len(data) - len(behind)]
    return int(digits) if digits.isdigit() and _is_plain(digits) else None


def repeat_in(data: bytes) -> tuple[int, tuple[bytes, bytes] | None]:
    """The number of the repeat as the line spells it, and the bytes before and behind it.

    Two lines with the same bytes around the number say the same of their task, once the first one was parsed and
    holds the number at its top. The bytes are None where the number does not stand there just once, in plain digits.
    """
    start = data.rfind(_REPEAT) + len(_REPEAT)
    if start < len(_REPEAT) or data.count(_NAME) != 1 or _ESCAPED_LETTER in data:
        return 0, None
    stop = start
    while data[stop : stop + 1].isdigit():
        stop += 1
    digits = data[start:stop]
    if not _is_plain(digits) or data[stop : stop + 1] not in (b",", b"}"):
        return 0, None
    return int(digits), (data[:start], data[stop:])


def _is_plain(digits: bytes) -> bool:
    return 0 < len(digits) <= _MOST_DIGITS and (digits[0] != _ZERO or len(digits) == 1)
