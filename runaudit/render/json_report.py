"""A report for a program: `schemas/report.v1.json`, in stable order, the command's own fields last."""

from typing import Any

import msgspec

from runaudit.model.finding import Group
from runaudit.model.report import Report
from runaudit.render.options import RenderOptions
from runaudit.render.strict import encode


def render(report: Report, *, options: RenderOptions) -> str:
    """The report as one JSON document.

    Raises ValueError when the command's own fields take a name of the envelope.
    """
    return encode(document(report, options=options))


def document(report: Report, *, options: RenderOptions) -> dict[str, Any]:
    """The report as the value that `render` encodes."""
    envelope: dict[str, Any] = {
        "kind": report.kind,
        "version": report.version,
        "subject": report.subject,
        "verdict": report.verdict.word,
        "exit_code": report.verdict.exit_code,
        "reasons": report.verdict.reasons,
        "checks": report.checks,
        "findings": [_listed(group, options) for group in report.findings],
    }
    if report.configuration is not None:
        envelope["configuration"] = report.configuration
    taken = sorted(envelope.keys() & report.body.keys())
    if taken:
        raise ValueError(f"{report.kind}: the report's own fields take names of the envelope: {taken}")
    return {**envelope, **report.body}


def _listed(group: Group, options: RenderOptions) -> Group:
    return msgspec.structs.replace(group, places=group.places[: options.places])
