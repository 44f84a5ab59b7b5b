"""How findings on games become a verdict: the configuration in force, and the day on which it is applied."""

from collections.abc import Iterable, Sequence
from datetime import date

import msgspec

from runaudit.model.check import Check
from runaudit.model.configuration import Configuration
from runaudit.model.finding import Finding, Level
from runaudit.usecases.conclude import Conclusion, conclude
from runaudit.usecases.configuration import Loaded
from runaudit.usecases.registry import definitions


class Settings(msgspec.Struct, frozen=True):
    """What the user configured. `today` decides which known findings have expired."""

    loaded: Loaded
    today: date


def concluded_on(
    findings: Iterable[Finding],
    checks: Sequence[Check],
    settings: Settings | None,
    *,
    judged: int,
    fail_on: Level | None,
) -> Conclusion:
    """The groups and the verdict; a finding that two rules made of one place is there once."""
    told = settings or Settings(loaded=Loaded(configuration=Configuration()), today=date.min)
    return conclude(
        dict.fromkeys((*findings, *told.loaded.notes)),
        checks,
        registry=definitions(),
        configuration=told.loaded.configuration,
        today=told.today,
        judged=judged,
        fail_on=fail_on,
        verifying=True,
    )
