"""Prints a diff report: text for a person, or the JSON envelope that every report shares."""

from typing import Any

import click
import msgspec

from runaudit.cli.exits import printable
from runaudit.model.report import Report


def show(report: Report, wanted: str) -> None:
    """The report on stdout, as `text` or `json`."""
    if wanted == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(envelope(report)), indent=2))
        return
    for line in report.headline:
        click.echo(printable(line))
    for title, lines in report.sections:
        click.echo(f"\n{printable(title)}")
        for line in lines:
            click.echo(f"  {printable(line)}")


def envelope(report: Report) -> dict[str, Any]:
    """The report as the values of its JSON document."""
    return {
        "kind": report.kind,
        "version": report.version,
        "subject": report.subject,
        "verdict": report.verdict.word,
        "exit_code": report.verdict.exit_code,
        "reasons": report.verdict.reasons,
        "checks": report.checks,
        "findings": report.findings,
        **report.body,
    }
