"""From job logs to rewards: each log's entries, what they say of each game, and what makes the counts lower bounds.

Pure: a log comes as a name and its lines. Nothing here is evaluated, and nothing is joined with files (see `joining`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from runaudit.layouts.games.literals import LiteralError, read_literal
from runaudit.layouts.games.loglines import Cut, Entry, entries_of, plain
from runaudit.model.finding import Finding

# Ray keeps or serves at most this many lines of a log; a log of exactly this length has probably lost its beginning.
CAPS = (10_000, 20_000, 50_000)
_SAYS_CAPPED = re.compile(r"log has been truncated to (?:the )?last \d+ lines", re.IGNORECASE)
_MIDDLE = re.compile(r"""\.py['"]: ?\[""")
_TEXT_SHOWN = 80


class Stats(msgspec.Struct, frozen=True):
    """One entry as parsed: where it began, its text, and the rewards that it states for each game's path."""

    line: int
    text: str
    rewards: dict[str, tuple[float, ...]]


class JobLog(msgspec.Struct, frozen=True):
    """One log: its entries, its findings, and why its counts are only lower bounds (empty: they are not)."""

    job: str
    lines: int
    entries: tuple[Stats, ...]
    findings: tuple[Finding, ...] = ()
    lower_bound: tuple[str, ...] = ()


class _Watched:
    """Passes lines on, counts them, and keeps what the first and any line say about a cap."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.count = 0
        self.says_capped = False
        self.begins_inside = False
        self.nul = False

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.count += 1
            if self.count == 1:
                self.begins_inside = _starts_inside(plain(line))
                self.nul = "\0" in line
            if "runcated" in line and _SAYS_CAPPED.search(line):
                self.says_capped = True
            yield line


def _starts_inside(first: str) -> bool:
    return "stats:" not in first.partition(".py")[0] and _MIDDLE.search(first) is not None


def mine(job: str, lines: Iterable[str], *, cap: int | None = None) -> JobLog:
    """The entries of one log. `cap` is a number of lines that the source is known to keep at most."""
    watched = _Watched(lines)
    found: list[Stats] = []
    findings: list[Finding] = []
    lost: list[str] = []
    for piece in entries_of(watched):
        if isinstance(piece, Cut):
            message = "an entry that never closes: its rewards are lost, and counts are lower bounds"
            findings.append(Finding(id="games-log-truncated", message=message, path=job, line=piece.line))
            lost.append(f"the entry on line {piece.line} is cut")
            continue
        stats = _parsed(piece)
        if isinstance(stats, LiteralError):
            findings.append(_unreadable(job, piece, stats))
            lost.append(f"the entry on line {piece.line} cannot be read")
            continue
        found.append(stats)
        if piece.stands_for > 1:
            findings.append(_folded(job, piece))
            lost.append(f"Ray shows one of {piece.stands_for} entries on line {piece.line}")
    for reason in _capped(watched, cap):
        findings.append(
            Finding(id="games-log-truncated", message=f"{reason}: counts are lower bounds", path=job, line=1)
        )
        lost.append(reason)
    if not found and not lost:
        findings.append(_empty(job, watched))
    # An entry is known to be cut only when the next one begins: order by where each began.
    found.sort(key=lambda stats: stats.line)
    findings += _doubled(job, found)
    return JobLog(job=job, lines=watched.count, entries=tuple(found), findings=tuple(findings), lower_bound=tuple(lost))


def _parsed(entry: Entry) -> Stats | LiteralError:
    try:
        value, end = read_literal(entry.text)
        if entry.text[end:].strip():
            return LiteralError("more than one value", end)
        return Stats(line=entry.line, text=entry.text, rewards=_rewards(value))
    except LiteralError as error:
        return error


def _rewards(value: Any) -> dict[str, tuple[float, ...]]:
    games = value.get("game") if isinstance(value, dict) else None
    if not isinstance(games, dict):
        raise LiteralError("no dictionary under the key 'game'", 0)
    found: dict[str, tuple[float, ...]] = {}
    for path, rewards in games.items():
        if not isinstance(path, str) or not isinstance(rewards, list):
            raise LiteralError(f"no list of rewards for {str(path)[:_TEXT_SHOWN]!r}", 0)
        if any(isinstance(reward, bool) or not isinstance(reward, int | float) for reward in rewards):
            raise LiteralError(f"a reward of {path[-_TEXT_SHOWN:]!r} is no number", 0)
        found[path] = tuple(_real(reward) for reward in rewards)
    return found


def _real(reward: float) -> float:
    try:
        return float(reward)
    except OverflowError:
        raise LiteralError("a reward that is too large for a number", 0) from None


def _empty(job: str, watched: _Watched) -> Finding:
    why = "; it begins with NUL bytes, as text in UTF-16 does" if watched.nul else ""
    return Finding(id="games-log-empty", message=f"no entry of rewards in its {watched.count} lines{why}", path=job)


def _unreadable(job: str, entry: Entry, error: LiteralError) -> Finding:
    return Finding(
        id="games-log-unreadable",
        message=f"an entry that cannot be read: {error}",
        path=job,
        line=entry.line,
        found=entry.text[max(0, error.at - 20) : error.at + 20],
    )


def _folded(job: str, entry: Entry) -> Finding:
    return Finding(
        id="games-log-folded",
        message=f"Ray shows one of {entry.stands_for} entries that differ in numbers only; the others' rewards are "
        "lost, and counts are lower bounds",
        path=job,
        line=entry.line,
    )


def _capped(watched: _Watched, cap: int | None) -> list[str]:
    reasons = []
    if watched.says_capped:
        reasons.append("the log says that it was cut to its last lines")
    elif watched.count in (CAPS if cap is None else (*CAPS, cap)) or (cap is not None and watched.count > cap):
        reasons.append(f"the log has {watched.count} lines, as many as are kept at most")
    if watched.begins_inside:
        reasons.append("the log begins in the middle of an entry")
    return reasons


def _doubled(job: str, entries: Sequence[Stats]) -> list[Finding]:
    """Entries of one log that are the same to the letter. They are counted: only two logs can repeat each other."""
    first: dict[str, int] = {}
    findings = []
    for entry in entries:
        earlier = first.setdefault(entry.text, entry.line)
        if earlier != entry.line:
            message = f"the same entry as on line {earlier}; both are counted"
            findings.append(Finding(id="games-log-repeated", message=message, path=job, line=entry.line))
    return findings
