"""Audits a results folder, moved or not: the library function behind `runaudit verify`.

Three questions. Integrity: is everything that the summary lists here, with the recorded size and content? Agreement:
does the summary follow from the evidence? Completeness: what is on disk and in no list? Nothing outside the folder
(or the told roots) is opened.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from runaudit.assemble.encode import summary_document
from runaudit.judge.agreement import document_findings, entry_findings
from runaudit.judge.integrity import file_findings, listed_files, task_findings
from runaudit.judge.outcomes import outcome_findings
from runaudit.model.account import Account
from runaudit.model.check import Check
from runaudit.model.finding import Finding, Group, Place
from runaudit.model.report import Report
from runaudit.model.request import Request
from runaudit.read.places import Places
from runaudit.usecases.completeness import disk_findings
from runaudit.usecases.conclude import Conclusion, Terms, conclude, worst
from runaudit.usecases.recorded import left_out_of, request_of
from runaudit.usecases.registry import definitions
from runaudit.usecases.runs import Run, runs_at
from runaudit.usecases.summarize import Options, summarize_account
from runaudit.usecases.target import folders_of

KIND = "verify_report"
VERSION = 1


class VerifyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of `verify`; names equal the command's."""

    terms: Terms = Terms()
    roots: tuple[str, ...] = ()
    map: tuple[tuple[str, str], ...] = ()
    relocate: bool = False
    strict: bool = False
    allow_empty: bool = False
    require_complete: bool = False
    workers: int = 1


class RunAudit(msgspec.Struct, frozen=True):
    """What the audit of one run found."""

    name: str
    findings: list[Finding]
    checks: list[Check]
    scored: int
    counts: Mapping[str, Any]
    account: Account


def verify(places: Sequence[str], options: VerifyOptions) -> Report:
    """Audits folders (or summaries) and reports on all of them; the verdict is the worst one.

    Raises InputError when a place does not exist, holds nothing recognised, or holds a newer document.
    """
    bodies, conclusions, checks = [], [], []
    places = [folder for place in places for folder in folders_of(place)]
    for place in places:
        conclusion, audits, made = _audit_place(place, options)
        conclusions.append(conclusion)
        checks += made
        bodies.append(_body(place, conclusion, audits))
    verdict = conclusions[0].verdict if len(conclusions) == 1 else worst([c.verdict for c in conclusions])
    return Report(
        kind=KIND,
        version=VERSION,
        subject=", ".join(places),
        verdict=verdict,
        checks=tuple(checks),
        findings=_joined(places, conclusions),
        body={"folders": bodies},
        headline=tuple(_line(body) for body in bodies),
        configuration=conclusions[0].configuration,
        fail_on=options.terms.fail_on,
    )


def _audit_place(place: str, options: VerifyOptions) -> tuple[Conclusion, list[RunAudit], list[Check]]:
    folder = os.path.realpath(place if os.path.isdir(place) else os.path.dirname(place) or ".")
    audits = [_audit(run, folder, options) for run in runs_at(place)]
    findings = [*options.terms.notes, *(finding for audit in audits for finding in audit.findings)]
    checks = [check for audit in audits for check in audit.checks]
    if os.path.isdir(place):
        listed = {path for audit in audits for path in audit.account.evidence}
        listed |= {path for audit in audits for path in _own_paths(audit.account)}
        entries = [entry for audit in audits for entry in audit.account.entries]
        claimed = {path for entry in entries for path in (entry.verifier_logs, entry.artifacts) if path}
        findings += disk_findings(folder, listed, claimed, strict=options.strict)
        checks.append(Check(name="completeness", made=True))
    checks += [
        Check(name=f"content of {f.path}", made=False, reason="no permission", belongs=True)
        for f in findings
        if f.id == "no-permission"
    ]
    scored = sum(audit.scored for audit in audits)
    conclusion = conclude(
        findings,
        checks,
        registry=definitions(),
        configuration=options.terms.configuration,
        today=options.terms.today,
        judged=scored,
        fail_on=options.terms.fail_on,
        allow_empty=options.allow_empty,
        verifying=True,
    )
    return conclusion, audits, checks


def _own_paths(account: Account) -> list[str]:
    """Paths that the account lists, sets aside or found stale."""
    paths = [file.path for file in account.stale_files] + [file.path for file in account.set_aside]
    for value in account.files.values():
        paths += [value] if isinstance(value, str) else list(value or ())
    return paths


def _audit(run: Run, folder: str, options: VerifyOptions) -> RunAudit:
    request = _request(run, options)
    account = run.layout.account(run.target, request)
    settings = Options(request=request, require_complete=options.require_complete)
    rebuilt = summary_document(summarize_account(account, settings, None))
    findings = [*account.findings, *outcome_findings(account, require_complete=options.require_complete)]
    checks = list(account.checks)
    if run.damaged is not None:
        findings.append(run.damaged)
    if run.summary is None:
        checks.append(_without_summary(run))
    else:
        findings += _against_summary(run, run.summary, rebuilt, folder, options, checks)
    return RunAudit(
        name=run.target.name or run.target.folder,
        findings=findings,
        checks=checks,
        scored=rebuilt["counts"]["scored"],
        counts=rebuilt["counts"],
        account=account,
    )


def _request(run: Run, options: VerifyOptions) -> Request:
    more: dict[str, Any] = {
        "beyond": False,
        "roots": options.roots,
        "map": options.map,
        "relocate": options.relocate,
        "workers": options.workers,
    }
    return Request(**more) if run.summary is None else request_of(run.summary, run.layout, **more)


def _without_summary(run: Run) -> Check:
    reason = (
        "the summary cannot be read"
        if run.damaged is not None
        else "there is no summary: only one could show what was changed, removed or added since"
    )
    return Check(name="integrity", made=False, reason=reason)


def _against_summary(
    run: Run,
    summary: Mapping[str, Any],
    rebuilt: dict[str, Any],
    folder: str,
    options: VerifyOptions,
    checks: list[Check],
) -> list[Finding]:
    places = Places([folder, *options.roots])
    now, findings, outside = _files_now(summary, rebuilt, places)
    findings += file_findings(summary, now)
    left_out = left_out_of(summary)
    findings += document_findings(summary, rebuilt, left_out=left_out)
    entries = {run.layout.entry_key(entry): entry for entry in rebuilt["tasks"]}
    for entry in summary["tasks"]:
        if not isinstance(entry, Mapping):
            findings.append(Finding(id="summary-unreadable", message="an entry of tasks is no object"))
            continue
        found = entries.pop(run.layout.entry_key(entry), None)
        findings += task_findings(entry, found, unlooked=lambda path: not places.reachable(path))
        findings += entry_findings(entry, found, left_out=left_out)
    findings += [
        Finding(
            id="summary-outdated",
            message="the evidence has an entry that the summary does not have",
            task_index=entry.get("task_index"),
            repeat=entry.get("repeat"),
            task_id=entry.get("task_id"),
        )
        for entry in entries.values()
    ]
    checks.append(Check(name="integrity", made=True, count=len(now)))
    checks.append(Check(name="agreement", made=True, count=len(summary["tasks"])))
    if outside:
        reason = f"{len(outside)} files lie outside the folder, for instance {outside[0]}"
        checks.append(Check(name="files outside the folder", made=False, reason=reason))
    if told := sorted(left_out - {"run.resumed", "run.selected_from"}):
        checks.append(Check(name="told values", made=False, reason=f"carried over, not rechecked: {', '.join(told)}"))
    return findings


def _files_now(
    summary: Mapping[str, Any], rebuilt: Mapping[str, Any], places: Places
) -> tuple[dict[str, Mapping[str, Any] | None], list[Finding], list[str]]:
    """Size and digest of each listed file as it is now, what is wrong with its place, and what lies outside."""
    now: dict[str, Mapping[str, Any] | None] = {}
    findings: list[Finding] = []
    outside: list[str] = []
    present = listed_files(rebuilt)
    for path in listed_files(summary):
        if path in present:
            now[path] = present[path]
        elif not places.reachable(path):
            outside.append(path)
            if os.path.isabs(path):
                message = "the summary names a path outside the folder; it was not opened"
                findings.append(Finding(id="outside-root", message=message, path=path))
        else:
            sight = places.look(path)
            trouble = sight.trouble("file")
            if trouble is not None:
                findings.append(trouble.at(path))
            else:
                now[path] = None if sight.kind == "absent" else {"size": sight.size}
    return now, findings, outside


def _joined(places: Sequence[str], conclusions: Sequence[Conclusion]) -> tuple[Group, ...]:
    """The findings of every folder; with several folders their paths begin with the folder's name."""
    if len(conclusions) == 1:
        return conclusions[0].findings
    joined: list[Group] = []
    for place, conclusion in zip(places, conclusions, strict=True):
        for group in conclusion.findings:
            moved = tuple(_below(place, each) for each in group.places)
            joined.append(msgspec.structs.replace(group, places=moved))
    return tuple(joined)


def _below(folder: str, place: Place) -> Place:
    return msgspec.structs.replace(place, path=os.path.join(folder, place.path) if place.path else folder)


def _body(place: str, conclusion: Conclusion, audits: Sequence[RunAudit]) -> dict[str, Any]:
    return {
        "folder": place,
        "verdict": conclusion.verdict.word,
        "exit_code": conclusion.verdict.exit_code,
        "runs": [{"run": audit.name, "counts": audit.counts} for audit in audits],
    }


def _line(body: Mapping[str, Any]) -> str:
    runs = []
    for run in body["runs"]:
        counts = run["counts"]
        mean = counts["mean_reward"]
        told = "no mean" if mean["value"] is None else f"mean reward {mean['value']:.4g} over {mean['n']}"
        runs.append(f"{run['run']}: {counts['scored']} of {counts['selected']} scored, {told}")
    return f"{body['folder']}: {body['verdict']}; {'; '.join(runs)}"
