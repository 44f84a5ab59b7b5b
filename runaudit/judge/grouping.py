"""Joins findings of one id and level into groups, in a stable order: errors first, then by id, then by place.

Findings whose level a configuration changed stand in groups of their own, so that a report can name them.
"""

from collections.abc import Callable, Iterable, Sequence

from runaudit.model.finding import LEVELS, Definition, Finding, Group, Level, Place

PLACES_SHOWN = 20


def group(
    findings: Iterable[Finding],
    registry: dict[str, Definition],
    *,
    level_of: Callable[[Finding], Level],
    most: int | None = PLACES_SHOWN,
) -> tuple[Group, ...]:
    """The findings as groups, each with its first `most` places (None: all).

    Raises KeyError for an id that the registry does not know: that is a bug, never a user's fault.
    """
    found: dict[tuple[int, str, str], list[Finding]] = {}
    for finding in findings:
        key = (LEVELS.index(level_of(finding)), finding.id, finding.configured or "")
        found.setdefault(key, []).append(finding)
    return tuple(
        _group_of(registry[name], LEVELS[rank], members, most) for (rank, name, _), members in sorted(found.items())
    )


def _group_of(definition: Definition, level: Level, members: Sequence[Finding], most: int | None) -> Group:
    ordered = sorted(members, key=_order)
    return Group(
        id=definition.id,
        level=level,
        title=definition.title,
        count=len(ordered),
        places=tuple(finding.place() for finding in ordered[:most]),
        configured=ordered[0].configured,
    )


def _order(finding: Finding) -> tuple[object, ...]:
    return (
        finding.path or "",
        finding.line or 0,
        -1 if finding.task_index is None else finding.task_index,
        -1 if finding.repeat is None else finding.repeat,
        finding.task_id or "",
        finding.message,
    )


def places_left_out(group: Group) -> int:
    """How many places of the group are not listed."""
    return group.count - len(group.places)


def every_place(groups: Iterable[Group]) -> Iterable[tuple[Group, Place]]:
    """Each listed place with its group."""
    return ((group, place) for group in groups for place in group.places)
