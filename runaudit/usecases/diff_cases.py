"""Each task of a comparison as a test case, for formats that have such.

A task fails, or could not be judged where it was lost to the infrastructure, only by a class that the rule in force
fails on: so the cases are green whenever the gate has nothing against a task.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from runaudit.compare.change import LOST, Change
from runaudit.compare.comparison import Comparison
from runaudit.compare.gate import failing_classes
from runaudit.compare.policy import Policy
from runaudit.model.report import Case, Outcome
from runaudit.usecases.diff_sections import task_line


class Cases(msgspec.Struct, frozen=True):
    """The cases of several candidates, each under its name; made when they are iterated."""

    candidates: Sequence[tuple[str, Comparison]]
    policy: Policy

    def __iter__(self) -> Iterator[Case]:
        """One case after the other."""
        return (case for name, comparison in self.candidates for case in cases_of(name, comparison, self.policy))


def cases_of(suite: str, comparison: Comparison, policy: Policy) -> Iterable[Case]:
    """One case for each task and agent, in the report's order; the message says what changed."""
    failing: set[str] = set(failing_classes(policy, single=comparison.single))
    for change in comparison.changes:
        outcome = _outcome(change, failing)
        yield Case(
            suite=suite, name=change.key.name, outcome=outcome, message="" if outcome == "pass" else task_line(change)
        )


def _outcome(change: Change, failing: set[str]) -> Outcome:
    against = [name for name in change.classes if name in failing]
    if change.quarantined or change.kind == "not-comparable":
        return "skipped"
    if not against:
        return "pass"
    return "could-not-judge" if against[0] in LOST else "fail"
