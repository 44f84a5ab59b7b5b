"""Lines of a fixed width, counted in the columns of a terminal. No line is longer, and nothing is cut in silence.

Text is broken between words. A word that is longer than a line goes on in the next one, after a mark: a `\\` as the
last character says that the next line belongs to it without a space.
"""

import unicodedata
from collections.abc import Iterator

GOES_ON = "\\"
NARROWEST = 20


def columns_of(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int) -> str:
    """The text, filled up with spaces to at least `width` columns."""
    return text + " " * max(0, width - columns_of(text))


def wrapped(text: str, *, width: int, lead: str = "", hanging: int = 0) -> list[str]:
    """The lines of a text behind `lead`; later lines start `hanging` columns in. Runs of spaces inside are kept.

    `width` below NARROWEST counts as NARROWEST. `lead` must leave room on its line.
    """
    room = max(width, NARROWEST)
    hanging = min(hanging, room // 2)
    lines: list[str] = []
    line, empty = lead, True
    for word in text.split(" "):
        gap = "" if empty else " "
        if columns_of(line) + len(gap) + columns_of(word) <= room:
            line, empty = line + gap + word, False
            continue
        if not empty or (line.strip() and columns_of(line) > hanging):
            lines.append(line.rstrip())
            line = " " * hanging
        *whole, rest = _pieces(word, room - columns_of(line), room - hanging)
        for piece in whole:
            lines.append(line + piece)
            line = " " * hanging
        line, empty = line + rest, False
    return [*lines, line.rstrip()]


def _pieces(word: str, first: int, later: int) -> Iterator[str]:
    """A word cut to the room of its lines, each piece but the last with the mark; after a `/` where one is near."""
    room = first
    while columns_of(word) > room:
        end = _fitting(word, room - len(GOES_ON))
        slash = word.rfind("/", 1, end)
        if slash >= end // 2:
            end = slash + 1
        yield word[:end] + GOES_ON
        word, room = word[end:], later
    yield word


def _fitting(word: str, room: int) -> int:
    """How many characters fit, at least one."""
    used = 0
    for end, character in enumerate(word):
        used += _columns(character)
        if used > room:
            return max(end, 1)
    return len(word)
