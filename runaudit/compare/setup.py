"""What differs between the set-ups of two runs: dataset, agents, models, harness, request parameters, repeats.

Such a difference explains a change and never is one. A value that only one side knows is listed as unknown, not as
different.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from runaudit.compare.comparability import same_digest
from runaudit.compare.document import Attempt, RunDocument
from runaudit.compare.pairing import Pair

_FIELDS = (
    "target",
    "taskset",
    "agents",
    "models",
    "split",
    "dataset.name",
    "dataset.source",
    "dataset.digests",
    "task_source",
    "rows_task_source",
    "harness_version",
    "timeouts",
    "overrides",
    "request",
)
_OPTIONS = ("pass_at",)


class SetupDifference(msgspec.Struct, frozen=True):
    """One difference of the set-up; `known` is False where only one side says anything."""

    field: str
    baseline: Any
    candidate: Any
    known: bool


def setup_differences(
    baseline: RunDocument, candidate: RunDocument, pairs: Sequence[Pair]
) -> tuple[SetupDifference, ...]:
    """The differences, in a fixed order of fields. Lists are compared without order."""
    left, right = _facts(baseline), _facts(candidate)
    left["repeats"] = repeats_of(pair.baseline for pair in pairs)
    right["repeats"] = repeats_of(pair.candidate for pair in pairs)
    found = []
    for field in dict.fromkeys([*left, *right]):
        before, after = left.get(field), right.get(field)
        if not _equal(field, before, after):
            known = before is not None and after is not None
            found.append(SetupDifference(field=field, baseline=before, candidate=after, known=known))
    return tuple(found)


def repeats_of(sides: Iterable[Sequence[Attempt]]) -> int | None:
    """The number of attempts that most tasks have, the larger one of equals; None without tasks."""
    counts = Counter(len(attempts) for attempts in sides if attempts)
    return max(counts, key=lambda n: (counts[n], n)) if counts else None


def _facts(document: RunDocument) -> dict[str, Any]:
    producer = document.producer or {}
    facts: dict[str, Any] = {"layout": document.layout}
    facts |= {f"producer.{key}": producer.get(key) for key in ("name", "version")}
    for field in _FIELDS:
        value: Any = document.run
        for part in field.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        facts |= _flat(field, value)
    facts |= {f"options.{key}": document.options.get(key) for key in _OPTIONS}
    return facts


def _flat(name: str, value: Any) -> dict[str, Any]:
    """Nested objects by dotted name, so that one changed timeout is one difference."""
    if isinstance(value, Mapping):
        return {key: leaf for part, inner in value.items() for key, leaf in _flat(f"{name}.{part}", inner).items()}
    return {name: None if value in ([], "") else value}


def _equal(field: str, left: Any, right: Any) -> bool:
    if left == right:
        return True
    if field.startswith("dataset.digests"):
        return same_digest(left, right) is True
    if isinstance(left, list) and isinstance(right, list):
        return sorted(map(repr, left)) == sorted(map(repr, right))
    return False
