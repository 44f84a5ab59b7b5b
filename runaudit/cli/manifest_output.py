"""Prints a report as text or JSON."""

from typing import Any

import click
import msgspec

from runaudit.cli.exits import printable
from runaudit.model.report import Report

FORMATS = ("terminal", "json")


def print_report(report: Report, form: str) -> None:
    """The report on standard output, in one of FORMATS."""
    if form == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(_document(report)), indent=2).decode())
        return
    for line in _lines(report):
        click.echo(printable(line))


def _document(report: Report) -> dict[str, Any]:
    return {
        "kind": report.kind,
        "version": report.version,
        "subject": report.subject,
        "verdict": msgspec.to_builtins(report.verdict),
        "exit_code": report.verdict.exit_code,
        "checks": report.checks,
        "findings": report.findings,
        **report.body,
    }


def _lines(report: Report) -> list[str]:
    lines = [f"{report.subject}: {report.verdict.word}", *report.verdict.reasons, *report.headline]
    for group in report.findings:
        lines.append(f"{group.level} {group.id}: {group.title} ({group.count})")
        lines += [f"  {place.path or '-'}: {place.message or ''}" for place in group.places]
        if group.count > len(group.places):
            lines.append(f"  … and {group.count - len(group.places)} more (--all)")
    return lines
