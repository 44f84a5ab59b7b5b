"""What a gate asks of a comparison, or of one run: the policy as values, and the rule where there is none."""

from decimal import Decimal
from fnmatch import fnmatchcase

import msgspec

from runaudit.compare.change import LOST, Class
from runaudit.model.finding import Level

ALWAYS: tuple[Class, ...] = ("removed", *LOST)
"""What fails without a policy, whatever the number of repeats."""

SIGNIFICANT = Decimal("0.05")
"""The two-sided level of the default gate's paired test."""


class Require(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold before anything is concluded; where it does not, the verdict is inconclusive.

    `coverage` is a share of the selected attempts, `repeats` a number per task.
    """

    comparable: bool = False
    coverage: Decimal | None = None
    repeats: int | None = None


class Margin(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of one metric. `min` and `max` are of the candidate alone, the others of the change."""

    min: Decimal | None = None
    max: Decimal | None = None
    max_drop: Decimal | None = None
    max_rise: Decimal | None = None


class TaskRule(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for the tasks whose id, or `taskset/id`, matches the shell pattern."""

    match: str = "*"
    max_drop: Decimal | None = None
    quarantine: bool | None = None


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A policy. `fail_on` and `significant` None leave the default rule in force.

    `source` and `digest` (`sha256:…` of the file's bytes) are None for the policy that applies without a file.
    """

    require: Require = Require()
    fail_on: tuple[Class, ...] | None = None
    significant: Decimal | None = None
    metrics: dict[str, Margin] = {}
    fail_level: Level | None = None
    tasks: tuple[TaskRule, ...] = ()
    source: str | None = None
    digest: str | None = None

    def max_drop_of(self, taskset: str | None, task: str) -> Decimal | None:
        """The mean drop that a task is allowed: of the first rule that matches it and states one."""
        return next((r.max_drop for r in self.tasks if r.max_drop is not None and _matches(r, taskset, task)), None)

    def quarantined(self, taskset: str | None, task: str) -> bool:
        """Whether a task is listed only: by the first rule that matches it and says so or not."""
        told = (r.quarantine for r in self.tasks if r.quarantine is not None and _matches(r, taskset, task))
        return next(told, False)


def _matches(rule: TaskRule, taskset: str | None, task: str) -> bool:
    return fnmatchcase(task, rule.match) or (taskset is not None and fnmatchcase(f"{taskset}/{task}", rule.match))


DEFAULT = Policy()
