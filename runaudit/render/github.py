"""A report as GitHub workflow commands (annotations), and as the Markdown of a step summary.

GitHub shows ten annotations of a kind for each step and drops the rest without a word. So each finding gets one before
any gets a second, and where there are more than ten of a kind the tenth says how many are not shown.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from runaudit.model.finding import Group, Level, Place
from runaudit.model.report import Report
from runaudit.render import markdown, wording
from runaudit.render.escaping import inert, printable
from runaudit.render.options import RenderOptions
from runaudit.render.uris import below_root

MOST_OF_A_KIND = 10
SUMMARY_LIMIT = 1 << 20
Kind = Literal["error", "warning", "notice"]
_KINDS: dict[Level, Kind] = {"error": "error", "warning": "warning", "note": "notice"}


class Annotation(msgspec.Struct, frozen=True):
    """One annotation; `stands_for` counts the places that it speaks of."""

    kind: Kind
    title: str
    message: str
    path: str | None = None
    line: int | None = None
    stands_for: int = 1


def render(report: Report, *, options: RenderOptions) -> str:
    """The verdict on a line of its own, then the annotations."""
    annotations = [*_about_the_whole(report), *_about_places(report, options)]
    lines = [inert(wording.verdict_line(report))]
    for kind in _KINDS.values():
        lines += [command(entry) for entry in _capped([entry for entry in annotations if entry.kind == kind])]
    return "\n".join(lines) + "\n"


def step_summary(report: Report, *, options: RenderOptions, limit: int = SUMMARY_LIMIT) -> str:
    """The Markdown of the step summary, in fewer bytes than GitHub takes; beyond that it would show nothing at all."""
    return markdown.render(report, options=options, limit=limit)


def command(entry: Annotation) -> str:
    """The workflow command of an annotation. Nothing in it can end the command or start another."""
    properties = {"file": entry.path, "line": entry.line, "title": entry.title}
    told = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value is not None)
    message = _data("\n".join(printable(line) for line in entry.message.split("\n")))
    return f"::{entry.kind} {told}::{message}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    # A semicolon needs no escape in this syntax: the runner would not turn it back.
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")


def _capped(entries: list[Annotation]) -> list[Annotation]:
    if len(entries) <= MOST_OF_A_KIND:
        return entries
    shown, cut = entries[: MOST_OF_A_KIND - 1], entries[MOST_OF_A_KIND - 1 :]
    places = sum(entry.stands_for for entry in cut)
    message = f"{places:,} more of this kind are not shown here. The report has all of them."
    return [*shown, Annotation(kind=entries[0].kind, title="runaudit: more findings", message=message)]


def _about_the_whole(report: Report) -> Iterator[Annotation]:
    """Why the verdict is not pass: no file shows that."""
    if report.verdict.word != "pass":
        reasons = "\n".join(report.verdict.reasons) or report.verdict.word
        yield Annotation(kind="error", title=f"runaudit: {report.verdict.word}", message=reasons)


def _about_places(report: Report, options: RenderOptions) -> Iterator[Annotation]:
    told: set[int] = set()
    for group, place in wording.fairly(report.findings):
        unlisted = 0 if id(group) in told else group.count - len(group.places)
        more = f" (and at {group.count - 1:,} more)" if id(group) not in told and group.count > 1 else ""
        told.add(id(group))
        yield _annotation(group, place, more, options, stands_for=1 + unlisted)


def _annotation(group: Group, place: Place, more: str, options: RenderOptions, *, stands_for: int) -> Annotation:
    path = below_root(place.path, options.base)
    said = wording.place_message(place) if path else wording.place_text(place)
    return Annotation(
        kind=_KINDS[group.level],
        title=f"{group.id}: {group.title}{more}",
        message=said or group.title,
        path=path,
        line=place.line if path else None,
        stands_for=stands_for,
    )
