"""The envelope that every report shares: kind, version, verdict, exit code, checks, findings, then its own part.

The verdict printed and the exit code are one value: `Verdict`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from runaudit.model.check import Check
from runaudit.model.configuration import ConfigurationUse
from runaudit.model.finding import Group, Level

Word = Literal["pass", "fail", "inconclusive"]
Outcome = Literal["pass", "fail", "could-not-judge", "skipped"]


class Verdict(msgspec.Struct, frozen=True):
    """What a command concluded, with the reasons in words. `exit_code` follows from `word`."""

    word: Word
    reasons: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 for pass, 1 for fail, 3 for inconclusive."""
        return {"pass": 0, "fail": 1, "inconclusive": 3}[self.word]


class Case(msgspec.Struct, frozen=True):
    """One thing that a command judged by itself, a task for instance: a test case where the format has such."""

    suite: str
    name: str
    outcome: Outcome
    message: str = ""


class Report(msgspec.Struct, frozen=True):
    """What a reporting command found.

    `body` holds the command's own fields, in the order in which they are printed; `headline` and `sections` are the
    same for a person: lines, and titled blocks of lines. `findings` hold every place; how many of them are shown is
    the renderer's business. `cases` may be made anew each time that they are iterated: most formats do not ask.
    `fail_on` is the level from which findings fail, None where they never do. Paths of findings are relative to the
    audited folder.
    """

    kind: str
    version: int
    subject: str
    verdict: Verdict
    checks: tuple[Check, ...] = ()
    findings: tuple[Group, ...] = ()
    body: Mapping[str, Any] = {}
    headline: tuple[str, ...] = ()
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    cases: Iterable[Case] = ()
    configuration: ConfigurationUse | None = None
    fail_on: Level | None = "error"
