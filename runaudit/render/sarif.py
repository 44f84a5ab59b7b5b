"""A report as SARIF 2.1.0, for findings on files of a repository.

One result for each place, at most 5,000 (what code scanning shows), each finding once before any comes twice; a
notification says how many were left out. Rules come from the definitions of the findings that occur. A place without a
file of the repository is attributed to the audited folder, since code scanning refuses results without a location.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any

from runaudit.model.check import Check
from runaudit.model.finding import Definition, Group, Place
from runaudit.model.report import Report
from runaudit.render import wording
from runaudit.render.escaping import printable
from runaudit.render.options import RenderOptions
from runaudit.render.strict import encode
from runaudit.render.uris import below_root, relative_uri

MOST_RESULTS = 5_000
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_FINGERPRINT = "runauditFinding/v1"


def render(report: Report, *, options: RenderOptions) -> str:
    """The report as one SARIF log with a single run."""
    ids = list(dict.fromkeys(group.id for group in report.findings))
    seen: Counter[str] = Counter()
    results = [
        _result(group, place, ids.index(group.id), seen, options)
        for group, place in islice(wording.fairly(report.findings), MOST_RESULTS)
    ]
    driver = {
        "name": "runaudit",
        "semanticVersion": options.tool_version,
        "rules": [_rule(name, report.findings, options) for name in ids],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(report, len(results))],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return encode({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(name: str, groups: Iterable[Group], options: RenderOptions) -> dict[str, Any]:
    definition = options.definitions.get(name)
    if definition is None:
        title = next(group.title for group in groups if group.id == name)
        return {"id": name, "shortDescription": {"text": title}}
    return {
        "id": name,
        "shortDescription": {"text": definition.title},
        "fullDescription": {"text": definition.meaning},
        "help": {"text": definition.remedy},
        **_default_level(definition),
    }


def _default_level(definition: Definition) -> dict[str, Any]:
    return {"defaultConfiguration": {"level": definition.level}} if definition.level else {}


def _result(group: Group, place: Place, rule: int, seen: Counter[str], options: RenderOptions) -> dict[str, Any]:
    path = below_root(place.path, options.base)
    base = f"{group.id}\0{path or place.path or ''}\0{place.task_id or place.task_index}\0{place.repeat}"
    seen[base] += 1
    result: dict[str, Any] = {
        "ruleId": group.id,
        "ruleIndex": rule,
        "level": group.level,
        "message": {"text": _message(group, place, named=path is not None)},
        "locations": [{"physicalLocation": _location(path, place, options)}],
        "partialFingerprints": {_FINGERPRINT: _fingerprint(f"{base}\0{seen[base]}")},
    }
    details = {
        name: value
        for name in ("task_id", "task_index", "repeat", "offset")
        if (value := getattr(place, name)) is not None
    }
    if group.configured:
        details["configured"] = group.configured
    return {**result, "properties": details} if details else result


def _location(path: str | None, place: Place, options: RenderOptions) -> dict[str, Any]:
    folder = below_root(options.base or ".", "") or "."
    location: dict[str, Any] = {"artifactLocation": {"uri": relative_uri(path or folder)}}
    if path is not None and place.line is not None and place.line > 0:
        location["region"] = {"startLine": place.line}
    return location


def _message(group: Group, place: Place, *, named: bool) -> str:
    """The result's text; brackets are escaped because SARIF reads `[text](target)` as a link."""
    said = wording.place_message(place) if named else wording.place_text(place)
    task = wording.task_name(place) if named else ""
    text = f"{group.title}" + (f" ({task})" if task else "") + (f": {said}" if said else "")
    return printable(text).replace("[", "\\[").replace("]", "\\]")


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _invocation(report: Report, listed: int) -> dict[str, Any]:
    notices = [_notice("note", f"{report.verdict.word}: {reason}") for reason in report.verdict.reasons]
    notices += [_unmade(check) for check in wording.unmade(report)]
    left_out = sum(group.count for group in report.findings) - listed
    if left_out:
        notices.append(_notice("warning", f"{left_out:,} more findings are not listed here; the JSON report has them"))
    if report.configuration is not None:
        notices += [_notice("note", f"configuration: {line}") for line in _configuration(report)]
    return {
        "executionSuccessful": report.verdict.word != "inconclusive",
        "exitCode": report.verdict.exit_code,
        "toolExecutionNotifications": notices,
    }


def _configuration(report: Report) -> tuple[str, ...]:
    return () if report.configuration is None else wording.configuration_lines(report.configuration)


def _unmade(check: Check) -> dict[str, Any]:
    return _notice("error" if check.belongs else "note", f"not checked: {wording.check_line(check)}")


def _notice(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": printable(text).replace("[", "\\[").replace("]", "\\]")}}
