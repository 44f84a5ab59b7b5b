"""Tells when one log repeats another: wholly inside it, or as two windows on one scroll that overlap.

Entries are compared by their text. Pure.
"""

from collections.abc import Sequence

from runaudit.layouts.games.mining import JobLog, Stats
from runaudit.model.finding import Finding


def without_repeats(logs: Sequence[JobLog]) -> tuple[tuple[JobLog, ...], tuple[Finding, ...]]:
    """The logs, each without the entries that an earlier log already gave; and what was left out."""
    kept: list[JobLog] = []
    findings: list[Finding] = []
    for log in logs:
        drop: set[int] = set()
        for earlier in logs[: len(kept)]:
            again = _again(earlier.entries, log.entries)
            if again - drop:
                findings.append(_finding(log, earlier, len(again)))
            drop |= again
        entries = tuple(entry for at, entry in enumerate(log.entries) if at not in drop)
        kept.append(JobLog(log.job, log.lines, entries, log.findings, log.lower_bound))
    return tuple(kept), tuple(findings)


def _finding(log: JobLog, earlier: JobLog, count: int) -> Finding:
    return Finding(
        id="games-log-repeated",
        message=f"{count} of its entries repeat those of {earlier.job} and are counted once",
        path=log.job,
    )


def _again(earlier: Sequence[Stats], later: Sequence[Stats]) -> set[int]:
    """The positions in `later` that repeat `earlier`."""
    a, b = [entry.text for entry in earlier], [entry.text for entry in later]
    if not a or not b:
        return set()
    if _position(b, a) is not None:
        return set(range(len(b)))
    if (at := _position(a, b)) is not None:
        return set(range(at, at + len(a)))
    for length in range(min(len(a), len(b)) - 1, 0, -1):
        if a[-length:] == b[:length]:
            return set(range(length))
        if a[:length] == b[-length:]:
            return set(range(len(b) - length, len(b)))
    return set()


def _position(part: Sequence[str], whole: Sequence[str]) -> int | None:
    return next(
        (at for at in range(len(whole) - len(part) + 1) if whole[at : at + len(part)] == part),
        None,
    )
