"""Prints a games report as JSON or text. A stand-in until every command prints through `render`."""

import click
import msgspec

from runaudit.cli.exits import printable
from runaudit.judge.grouping import places_left_out
from runaudit.model.finding import Place
from runaudit.model.report import Report


def as_json(report: Report) -> str:
    """The shared envelope, then the command's own fields."""
    document = {
        "kind": report.kind,
        "version": report.version,
        "verdict": report.verdict.word,
        "exit_code": report.verdict.exit_code,
        "checks": report.checks,
        "findings": report.findings,
        **report.body,
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def as_text(report: Report) -> str:
    """Lines for a person."""
    lines = [f"{report.subject}: {report.verdict.word}", *report.headline]
    lines += [f"not checked: {check.name}: {check.reason}" for check in report.checks if not check.made]
    for group in report.findings:
        lines.append(f"{group.level}: {group.id} ({group.count}): {group.title}")
        lines += [f"  {_where(place)}{place.message}" for place in group.places]
        if left := places_left_out(group):
            lines.append(f"  and {left} more (--all)")
    for title, block in report.sections:
        lines += [title, *block]
    return "\n".join(printable(line) for line in lines)


def _where(place: Place) -> str:
    at = f":{place.line}" if place.line else ""
    return f"{place.path}{at}: " if place.path else ""


def show(report: Report, output_format: str, *, err: bool = False) -> None:
    """Prints the report."""
    click.echo(as_json(report) if output_format == "json" else as_text(report), err=err)
