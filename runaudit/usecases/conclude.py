"""The one place where findings and checks become a verdict.

Precedence: a finding at the failing level fails (1); else a check that belongs to the audited thing and could not be
made leaves it open, as does having judged nothing (3); else it passes (0).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import msgspec

from runaudit.judge import levels
from runaudit.judge.grouping import group
from runaudit.judge.registry import stated_level
from runaudit.model.check import Check
from runaudit.model.configuration import Configuration, ConfigurationUse
from runaudit.model.finding import Definition, Finding, Group, Level
from runaudit.model.report import Verdict
from runaudit.model.severity import at_least

NOTHING_JUDGED = "nothing was judged, and nothing judged has not passed (--allow-empty says that this is fine)"


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How findings are judged: the configuration with its notes, the failing level, and the day that it is.

    The default is what a library caller without a configuration wants; no date matters then.
    """

    configuration: Configuration = Configuration()
    notes: tuple[Finding, ...] = ()
    fail_on: Level | None = "error"
    today: date = date.min


PLAIN_TERMS = Terms()


class Conclusion(msgspec.Struct, frozen=True):
    """Findings with their configured levels, grouped with every place; the verdict; what the configuration did."""

    findings: tuple[Group, ...]
    verdict: Verdict
    configuration: ConfigurationUse | None = None


def conclude(
    findings: Iterable[Finding],
    checks: Sequence[Check],
    *,
    registry: Mapping[str, Definition],
    configuration: Configuration,
    today: date,
    judged: int,
    fail_on: Level | None = "error",
    allow_empty: bool = False,
    verifying: bool = False,
    failures: Sequence[str] = (),
    unsettled: Sequence[str] = (),
) -> Conclusion:
    """Configured levels, groups and verdict of one audit, in one step.

    `judged` counts what was judged at all (tasks, entries, claims); 0 has not passed unless `allow_empty`.
    `verifying` takes the stricter levels that `verify` has. `failures` and `unsettled` are what a gate says besides:
    reasons to fail, and reasons why it cannot tell.
    """
    table = dict(registry)
    levelled = levels.apply(
        findings, configuration, level_of=lambda finding: stated_level(finding, table, verifying=verifying), today=today
    )
    groups = group(levelled.findings, table, level_of=lambda finding: finding.level or "note", most=None)
    return Conclusion(
        findings=groups,
        verdict=verdict_of(
            groups,
            checks,
            judged=judged,
            fail_on=fail_on,
            allow_empty=allow_empty,
            failures=failures,
            unsettled=unsettled,
        ),
        configuration=_use_of(configuration, levelled),
    )


def unread(findings: Iterable[Finding]) -> list[Check]:
    """The checks that were not made because something belongs to the audited thing and may not be read."""
    return [
        Check(name=f"content of {finding.path}", made=False, reason="no permission", belongs=True)
        for finding in findings
        if finding.id == "no-permission"
    ]


def verdict_of(
    groups: Iterable[Group],
    checks: Iterable[Check],
    *,
    judged: int,
    fail_on: Level | None = "error",
    allow_empty: bool = False,
    failures: Sequence[str] = (),
    unsettled: Sequence[str] = (),
) -> Verdict:
    """The verdict on grouped findings, checks and what a gate says (see `conclude`)."""
    failing = [f"{found.level} {found.id} ({found.count})" for found in groups if at_least(found.level, fail_on)]
    if failures or failing:
        return Verdict(word="fail", reasons=(*failures, *failing))
    owed = [check for check in checks if check.belongs and not check.made]
    open_reasons = [
        *unsettled,
        *(f"not checked: {check.name}" + (f": {check.reason}" if check.reason else "") for check in owed),
    ]
    if not judged and not allow_empty:
        open_reasons.append(NOTHING_JUDGED)
    if open_reasons:
        return Verdict(word="inconclusive", reasons=tuple(open_reasons))
    return Verdict(word="pass")


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict over several: fail before inconclusive before pass; over none it is inconclusive.

    The reasons are those of every verdict that has the resulting word.
    """
    every = list(verdicts)
    for word in ("fail", "inconclusive"):
        told = [verdict for verdict in every if verdict.word == word]
        if told:
            return Verdict(word=told[0].word, reasons=tuple(reason for verdict in told for reason in verdict.reasons))
    return Verdict(word="pass") if every else Verdict(word="inconclusive", reasons=(NOTHING_JUDGED,))


def _use_of(configuration: Configuration, levelled: levels.Levelled) -> ConfigurationUse | None:
    if configuration.file is None:
        return None
    return ConfigurationUse(
        file=configuration.file,
        digest=configuration.digest or "",
        changes=levelled.changes,
        expired=levelled.expired,
    )
