"""The sentences that the formats for people share. Plain text as the data has it: each format escapes for itself."""

from collections.abc import Iterator, Sequence

from runaudit.model.check import Check
from runaudit.model.configuration import ConfigurationUse
from runaudit.model.finding import Group, Place
from runaudit.model.report import Report
from runaudit.render.options import RenderOptions


def place_name(place: Place) -> str:
    """Where a finding was made: path and line, or the task; empty when it is about the whole."""
    name = place.path or ""
    if name and place.line is not None:
        name += f":{place.line}"
    elif name and place.offset is not None:
        name += f" at byte {place.offset}"
    task = task_name(place)
    return f"{name} ({task})" if name and task else name or task


def task_name(place: Place) -> str:
    """The task and repeat of a place, as far as they are known."""
    parts = []
    if place.task_id is not None:
        parts.append(f"task {place.task_id}")
    elif place.task_index is not None:
        parts.append(f"task {place.task_index}")
    if place.repeat is not None:
        parts.append(f"repeat {place.repeat}")
    return ", ".join(parts)


def place_message(place: Place) -> str:
    """What was found at a place; what was expected there, too, unless the message says both."""
    pair = []
    if place.message and all(value is not None and value in place.message for value in (place.expected, place.found)):
        return place.message
    if place.expected is not None:
        pair.append(f"expected {place.expected}")
    if place.found is not None:
        pair.append(f"found {place.found}")
    said = [part for part in (place.message, ", ".join(pair)) if part]
    return "; ".join(said)


def place_text(place: Place) -> str:
    """A place and what was found there, on one line."""
    return ": ".join(part for part in (place_name(place), place_message(place)) if part)


def shown_places(group: Group, options: RenderOptions) -> tuple[Sequence[Place], int]:
    """The places of a group to show, and how many are not shown."""
    shown = group.places[: options.places]
    return shown, group.count - len(shown)


def fairly(groups: Sequence[Group]) -> Iterator[tuple[Group, Place]]:
    """Every listed place with its group: the first of each group, then the others, so that a cap hides no group."""
    yield from ((group, group.places[0]) for group in groups if group.places)
    yield from ((group, place) for group in groups for place in group.places[1:])


def more_places(left_out: int) -> str:
    """The line that says how many places are not shown."""
    return f"{left_out:,} more (--all)"


def counted(group: Group) -> str:
    """How many places a group has."""
    return _places(group.count)


def _places(count: int) -> str:
    return "1 place" if count == 1 else f"{count:,} places"


def verdict_line(report: Report) -> str:
    """Kind, verdict and exit code of a report, and what it is about."""
    kind = report.kind.replace("_", " ")
    return f"{report.verdict.word.upper()} {kind} of {report.subject} (exit {report.verdict.exit_code})"


def check_line(check: Check) -> str:
    """A check that was not made, and why."""
    owed = "" if check.belongs else " (not needed here)"
    return f"{check.name}{owed}" + (f": {check.reason}" if check.reason else "")


def unmade(report: Report) -> tuple[Check, ...]:
    """The checks that were not made, those that are owed first."""
    return tuple(sorted((check for check in report.checks if not check.made), key=lambda check: not check.belongs))


def configuration_lines(use: ConfigurationUse) -> tuple[str, ...]:
    """The configuration file, each level it changed, and each known finding of it that has expired."""
    return (
        f"{use.file} ({use.digest})",
        *(
            f"{change.id}: {change.before} to {change.after}, {_places(change.count)}"
            + (f": {change.reason}" if change.reason else "")
            for change in use.changes
        ),
        *(f"{entry.id} at {entry.path}: expired on {entry.expires}, not applied" for entry in use.expired),
    )
