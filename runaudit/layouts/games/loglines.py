"""From the lines of a job log to the texts of its `[COLLECT] stats` entries. Pure: lines in, pieces out.

Escape codes go first, then Ray's worker prefix is told from the text. An entry that does not close on its line goes on
in the next lines of the same worker (a wrapped line); other workers' lines between them do not disturb it. Where it
never closes it is a `Cut`.
"""

import re
from collections.abc import Iterable, Iterator

import msgspec

MARKER = "[COLLECT] stats:"
MOST_LINES = 2000
MOST_CHARACTERS = 8 << 20

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]")
# bounded: what begins like a prefix may be a line of any length
_PREFIX = re.compile(r"(?P<worker>\([^()\n]{0,300}\bpid=\d{1,20}[^()\n]{0,300}\)) ?")
_FOLDED = re.compile(r"\s*\[repeated (?P<times>\d+)x across [^\]]*\]")
_NOISE = re.compile(r"""\\.|['"{}\[\]()]""", re.DOTALL)


class Entry(msgspec.Struct, frozen=True):
    """One entry: the literal's text, the line it began on, and for how many entries Ray says that it stands."""

    line: int
    text: str
    stands_for: int = 1


class Cut(msgspec.Struct, frozen=True):
    """An entry that begins on `line` and never closes."""

    line: int


class _Open:
    """An entry that has not closed yet. Follows quotes and brackets, and reads each character once."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.lines = 0
        self.size = 0
        self._parts: list[str] = []
        self._quote = ""
        self._depth = 0

    def feed(self, text: str) -> int | None:
        """Adds a piece; the offset behind the closing bracket in it, or None when it goes on."""
        self.lines += 1
        for match in _NOISE.finditer(text):
            sign = match.group()
            if self._quote:
                self._quote = "" if sign == self._quote else self._quote
            elif sign in "'\"":
                self._quote = sign
            elif sign in "{[(":
                self._depth += 1
            elif sign in "}])":
                self._depth -= 1
                if self._depth <= 0:
                    self._parts.append(text[: match.end()])
                    return match.end()
        self._parts.append(text)
        self.size += len(text)
        return None

    @property
    def too_long(self) -> bool:
        return self.lines > MOST_LINES or self.size > MOST_CHARACTERS

    @property
    def text(self) -> str:
        return "".join(self._parts).strip()


def plain(line: str) -> str:
    """The line without escape codes and line end."""
    return (_ANSI.sub("", line) if "\x1b" in line else line).rstrip("\r\n")


def split_worker(line: str) -> tuple[str, str]:
    """Ray's worker prefix (empty for the driver's own lines), and the text."""
    match = _PREFIX.match(line)
    return (match["worker"], line[match.end() :]) if match else ("", line)


def entries_of(lines: Iterable[str]) -> Iterator[Entry | Cut]:
    """The entries in order of where they close; what never closes comes when that is known."""
    waiting: dict[str, _Open] = {}
    for number, raw in enumerate(lines, start=1):
        worker, text = split_worker(plain(raw))
        marked = MARKER in text
        if worker in waiting:
            opened = waiting.pop(worker)
            if marked:
                yield Cut(opened.line)
            elif (end := opened.feed(text)) is None:
                if opened.too_long:
                    yield Cut(opened.line)
                else:
                    waiting[worker] = opened
                continue
            else:
                yield Entry(line=opened.line, text=opened.text, stands_for=_stands_for(text[end:]))
                text = text[end:]
        if marked:
            yield from _begun(text, number, worker, waiting)
    yield from (Cut(opened.line) for opened in waiting.values())


def _begun(text: str, number: int, worker: str, waiting: dict[str, _Open]) -> Iterator[Entry]:
    """The entries that begin on a line; one that does not close is left waiting."""
    while (at := text.find(MARKER)) >= 0:
        rest = text[at + len(MARKER) :]
        opened = _Open(number)
        end = opened.feed(rest)
        if end is None:
            waiting[worker] = opened
            return
        text = rest[end:]
        yield Entry(line=number, text=opened.text, stands_for=_stands_for(text))


def _stands_for(behind: str) -> int:
    match = _FOLDED.match(behind)
    return max(1, int(match["times"][:9])) if match else 1
