"""Applies a configuration to findings: levels by id, and known findings.

Pure: the date is passed in. A known finding becomes a note, it never disappears; one that has expired does not apply
and is itself named by a finding. A known finding goes before a level stated for its id.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache

import msgspec

from runaudit.model.configuration import Configuration, KnownFinding, LevelChange
from runaudit.model.finding import LEVELS, Finding, Level

EXPIRED = "known-finding-expired"
EVERYWHERE = "**"


class Levelled(msgspec.Struct, frozen=True):
    """Findings with their final level each, what was changed, and the known findings that have expired."""

    findings: tuple[Finding, ...]
    changes: tuple[LevelChange, ...]
    expired: tuple[KnownFinding, ...]


def apply(
    findings: Iterable[Finding], configuration: Configuration, *, level_of: Callable[[Finding], Level], today: date
) -> Levelled:
    """The findings with the levels that the configuration gives them, `level_of` being their levels without it.

    Every finding comes back with its `level` set; one whose level was changed says so in `configured`.
    """
    expired = tuple(entry for entry in configuration.known if entry.expires < today)
    current = tuple(entry for entry in configuration.known if entry.expires >= today)
    levelled: list[Finding] = []
    changed: Counter[tuple[str, Level, Level, str | None]] = Counter()
    for finding in (*findings, *(_named(entry, configuration) for entry in expired)):
        before = level_of(finding)
        after, reason = _configured(finding, before, configuration, current)
        note = None
        if after != before:
            changed[finding.id, before, after, reason] += 1
            note = f"{before} by default" + (f", known: {reason}" if reason else "")
        levelled.append(msgspec.structs.replace(finding, level=after, configured=note))
    return Levelled(findings=tuple(levelled), changes=_changes(changed), expired=expired)


def _configured(
    finding: Finding, before: Level, configuration: Configuration, current: tuple[KnownFinding, ...]
) -> tuple[Level, str | None]:
    for entry in current:
        if entry.id == finding.id and matches(entry.path, finding.path):
            return "note", entry.reason
    return configuration.levels.get(finding.id, before), None


def _changes(changed: Counter[tuple[str, Level, Level, str | None]]) -> tuple[LevelChange, ...]:
    ordered = sorted(changed.items(), key=lambda item: (item[0][0], LEVELS.index(item[0][1]), item[0][3] or ""))
    return tuple(
        LevelChange(id=name, before=before, after=after, count=count, reason=reason)
        for (name, before, after, reason), count in ordered
    )


def _named(entry: KnownFinding, configuration: Configuration) -> Finding:
    return Finding(
        id=EXPIRED,
        message=f"{configuration.file} accepted {entry.id} at {entry.path} until {entry.expires}: {entry.reason}",
    )


def matches(pattern: str, path: str | None) -> bool:
    """Whether a path matches a pattern: `*` and `?` stay within one folder, `**` crosses folders.

    A finding without a path is matched by `**` alone.
    """
    if path is None:
        return pattern == EVERYWHERE
    return _compiled(pattern).fullmatch(path) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(wild.get(part, re.escape(part)) for part in parts), re.DOTALL)
