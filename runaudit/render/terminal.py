"""A report for a person: the verdict first, then what is wrong, then the command's own sections.

Lines are wrapped at the given width between words; a path is never broken. All data is made printable before it is
coloured, so the only control characters in the output are those of the style.
"""

import textwrap
from collections.abc import Iterable, Iterator

from runaudit.model.finding import Group
from runaudit.model.report import Report
from runaudit.render import wording
from runaudit.render.escaping import inert
from runaudit.render.options import RenderOptions, Role


def render(report: Report, *, options: RenderOptions) -> str:
    """The report as text, with a final newline."""
    return "\n".join(_lines(report, options)) + "\n"


def _lines(report: Report, options: RenderOptions) -> Iterator[str]:
    yield from _wrapped(wording.verdict_line(report), options, role=report.verdict.word)
    for reason in report.verdict.reasons:
        yield from _wrapped(reason, options, indent="  ")
    for line in report.headline:
        yield from _wrapped(line, options)
    for group in report.findings:
        yield from _group(group, options)
    yield from _block("not checked", [wording.check_line(check) for check in wording.unmade(report)], options)
    for title, lines in report.sections:
        yield from _block(title, lines, options)
    if report.configuration is not None:
        yield from _block("configuration", wording.configuration_lines(report.configuration), options)
    if report.findings:
        yield ""
        yield from _wrapped("runaudit explain ID says what a finding means and what to do.", options, role="dim")


def _group(group: Group, options: RenderOptions) -> Iterator[str]:
    yield ""
    yield from _wrapped(f"{group.level} {group.id}: {group.title}, {wording.counted(group)}", options, role=group.level)
    if group.configured:
        yield from _wrapped(f"({group.configured})", options, indent="  ", role="dim")
    places, left_out = wording.shown_places(group, options)
    for place in places:
        yield from _wrapped(wording.place_text(place), options, indent="  - ")
    if left_out:
        yield from _wrapped(wording.more_places(left_out), options, indent="  ", role="dim")


def _block(title: str, lines: Iterable[str], options: RenderOptions) -> Iterator[str]:
    held = list(lines)
    if not held:
        return
    yield ""
    yield from _wrapped(title, options, role="title")
    for line in held:
        yield from _wrapped(line, options, indent="  ")


def _wrapped(text: str, options: RenderOptions, *, indent: str = "", role: Role | None = None) -> Iterator[str]:
    """The lines of a text; continuation lines stand two columns further in."""
    safe = inert(indent + text)
    lines = [safe]
    if len(safe) > options.width:
        lines = textwrap.wrap(
            safe,
            width=max(options.width, 20),
            subsequent_indent=" " * (len(indent) + 2),
            break_long_words=False,
            break_on_hyphens=False,
        ) or [safe]
    for line in lines:
        # a break between words can put `::` at the start of a line
        shown = inert(line)
        yield options.style(role, shown) if role else shown
