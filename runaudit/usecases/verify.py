"""Audits a results folder, moved or not: the library function behind `runaudit verify`.

Three questions. Integrity: is everything that the summary lists here, with the recorded size and content? Agreement:
does the summary follow from the evidence? Completeness: what is on disk and in no list? Nothing outside the folder
(or the told roots) is opened.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import msgspec

from runaudit.assemble.encode import summary_chunks, values_of
from runaudit.compare.gate import Judgement
from runaudit.compare.policy import Policy
from runaudit.errors import InputError
from runaudit.judge.outcomes import outcome_findings
from runaudit.model.account import Account
from runaudit.model.check import Check
from runaudit.model.finding import Finding, Group, Place
from runaudit.model.report import Report, Verdict
from runaudit.model.request import Request
from runaudit.model.summary import Summary
from runaudit.read import hashing
from runaudit.read.forking import may_fork
from runaudit.read.listing import Listings, listings_ahead
from runaudit.read.named import is_folder
from runaudit.read.places import Places
from runaudit.usecases.completeness import disk_findings
from runaudit.usecases.conclude import Conclusion, Terms, conclude, unread, worst
from runaudit.usecases.configuration import inside
from runaudit.usecases.held import Held
from runaudit.usecases.held_quickly import Depth, look_quickly
from runaudit.usecases.recorded import request_of
from runaudit.usecases.registry import definitions
from runaudit.usecases.run_gate import gate, policy_document, reasons, rulings_document, threshold
from runaudit.usecases.runs import Run, runs_at
from runaudit.usecases.summarize import Options, summarize_account
from runaudit.usecases.target import folders_of

# tasks; below this many, starting a process takes longer than listing
_LISTED_AHEAD_ABOVE = 2000
KIND = "verify_report"
VERSION = 1


class VerifyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of `verify`; names equal the command's."""

    terms: Terms = Terms()
    roots: tuple[str, ...] = ()
    map: tuple[tuple[str, str], ...] = ()
    relocate: bool = False
    depth: Depth = "content"
    strict: bool = False
    allow_empty: bool = False
    require_complete: bool = False
    workers: int = 1
    policy: Policy | None = None


class RunAudit(msgspec.Struct, frozen=True):
    """What the audit of one run found."""

    name: str
    findings: list[Finding]
    checks: list[Check]
    scored: int
    counts: Mapping[str, Any]
    listed: set[str]
    claimed: set[str]
    judgement: Judgement | None = None


def verify(places: Sequence[str], options: VerifyOptions) -> Report:
    """Audits folders (or summaries) and reports on all of them; the verdict is the worst one.

    Raises InputError when the only place does not exist, holds nothing recognised, or holds a newer document; of
    several places such a one is a line of the report.
    """
    bodies, conclusions, checks = [], [], []
    places = _folders(places)
    for place in places:
        notes = options.terms.notes if len(places) == 1 else inside((os.path.realpath(place),))
        try:
            conclusion, audits, made = _audit_place(place, options, notes)
        except InputError as error:
            if len(places) == 1:
                raise
            conclusion, audits, made = _not_audited(str(error)), [], []
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
        body={**({"policy": policy_document(options.policy)} if options.policy else {}), "folders": bodies},
        headline=tuple(_line(body) for body in bodies),
        configuration=next((each.configuration for each in conclusions if each.configuration), None),
        fail_on=threshold(options.terms.fail_on, options.policy),
    )


def _folders(places: Sequence[str]) -> list[str]:
    """The folders of the runs at some places; of several places one that cannot be listed is left as it is."""
    found: list[str] = []
    for place in places:
        try:
            found += folders_of(place)
        except InputError:
            if len(places) == 1:
                raise
            found.append(place)
    return found


def _audit_place(
    place: str, options: VerifyOptions, notes: Sequence[Finding]
) -> tuple[Conclusion, list[RunAudit], list[Check]]:
    folder = os.path.realpath(place if is_folder(place) else os.path.dirname(place) or ".")
    runs = runs_at(place)
    with _listings(place, folder, runs, options) as listings:
        return _audit_runs(place, folder, runs, options, notes, listings)


def _listings(place: str, folder: str, runs: Sequence[Run], options: VerifyOptions) -> AbstractContextManager[Listings]:
    """Where the listings of the audited folder are kept; of a large one they are made while the runs are audited."""
    tasks = sum(len(run.summary["tasks"]) for run in runs if run.summary is not None)
    worth_it = options.depth == "content" and options.workers > 1 and tasks > _LISTED_AHEAD_ABOVE
    if worth_it and is_folder(place) and may_fork():
        return listings_ahead(folder)
    return nullcontext(Listings())


def _audit_runs(
    place: str,
    folder: str,
    runs: Sequence[Run],
    options: VerifyOptions,
    notes: Sequence[Finding],
    listings: Listings,
) -> tuple[Conclusion, list[RunAudit], list[Check]]:
    audits = [_audit(run, folder, options, listings) for run in runs]
    findings = [*notes, *(finding for audit in audits for finding in audit.findings)]
    checks = [check for audit in audits for check in audit.checks]
    if is_folder(place):
        listed = {path for audit in audits for path in audit.listed}
        claimed = {path for audit in audits for path in audit.claimed}
        disk = disk_findings(folder, listed, claimed, strict=options.strict, listings=listings)
        # the run's own account names its leftovers as well
        named = {finding.path for finding in disk if finding.id == "leftover-file"}
        findings = [f for f in findings if f.id != "leftover-file" or f.path not in named] + disk
        checks.append(Check(name="completeness", made=True))
    checks += unread(findings)
    scored = sum(audit.scored for audit in audits)
    judgements = [(audit.name, audit.judgement) for audit in audits if audit.judgement is not None]
    conclusion = conclude(
        findings,
        checks,
        registry=definitions(),
        configuration=options.terms.configuration,
        today=options.terms.today,
        judged=scored,
        fail_on=threshold(options.terms.fail_on, options.policy),
        allow_empty=options.allow_empty,
        verifying=True,
        failures=reasons(judgements, "fail"),
        unsettled=reasons(judgements, "inconclusive"),
    )
    return conclusion, audits, checks


def _not_audited(reason: str) -> Conclusion:
    """One of several places that could not be audited: it does not keep the others from being looked at."""
    return Conclusion(findings=(), verdict=Verdict(word="inconclusive", reasons=(reason,)))


def _own_paths(account: Account) -> Iterator[str]:
    """Paths that the account lists, sets aside or found stale."""
    yield from account.evidence
    yield from (file.path for file in account.stale_files)
    yield from (file.path for file in account.set_aside)
    for value in account.files.values():
        yield from [value] if isinstance(value, str) else value or ()


def _audit(run: Run, folder: str, options: VerifyOptions, listings: Listings) -> RunAudit:
    places = Places([folder, *options.roots])
    if options.depth != "content" and run.summary is not None:
        return _audit_quickly(run, run.summary, places, options, listings)
    request = _request(run, options)
    account = run.layout.account(run.target, request)
    settings = Options(request=request, require_complete=options.require_complete)
    rebuilt = _document(summarize_account(account, settings, None), run)
    findings = [*account.findings, *outcome_findings(account, require_complete=options.require_complete)]
    checks = list(account.checks)
    if run.damaged is not None:
        findings.append(run.damaged)
    if run.summary is None:
        checks.append(_without_summary(run))
    else:
        signatures = os.path.basename(run.layout.signatures_path(run.target))
        held = Held(
            run.layout, run.summary, rebuilt, places=places, signatures=signatures, made=findings
        ).against_the_folder()
        findings += held.findings
        checks += held.checks
    return RunAudit(
        name=run.target.name or run.target.folder,
        findings=findings,
        checks=checks,
        scored=rebuilt["counts"]["scored"],
        counts=rebuilt["counts"],
        listed=set(_own_paths(account)),
        claimed={path for entry in account.entries for path in (entry.verifier_logs, entry.artifacts) if path},
        judgement=gate(rebuilt, options.policy, allow_empty=options.allow_empty) if options.policy else None,
    )


def _document(rebuilt: Summary, run: Run) -> dict[str, Any]:
    """The rebuilt document as values. Where its tasks have the text of the recorded ones, they are those very values:
    nothing of a large run is decoded, held and compared twice."""
    chunks = list(summary_chunks(rebuilt))
    text = hashing.hasher("sha256")
    for chunk in chunks[1:]:
        text.update(chunk)
    if run.summary is not None and text.hexdigest() == run.tasks_digest:
        return values_of(chunks, run.summary["tasks"])
    return values_of(chunks)


def _audit_quickly(
    run: Run, summary: dict[str, Any], places: Places, options: VerifyOptions, listings: Listings
) -> RunAudit:
    """Names and sizes only; what the summary says of the run is taken from it and not rechecked."""
    quick = look_quickly(summary, places, options.depth, listings, options.workers)
    reason = f"--depth {options.depth} looks at {options.depth} only"
    checks = [
        Check(name=f"integrity ({options.depth})", made=True, count=quick.looked_at),
        Check(name="agreement", made=False, reason=reason),
    ]
    if quick.outside:
        lie = f"{quick.outside} paths lie outside the folder"
        checks.append(Check(name="files outside the folder", made=False, reason=lie))
    stated = summary["counts"].get("scored")
    return RunAudit(
        name=run.target.name or run.target.folder,
        findings=quick.findings,
        checks=checks,
        scored=stated if isinstance(stated, int) and not isinstance(stated, bool) else 0,
        counts={},
        listed=quick.listed,
        claimed=quick.claimed,
        judgement=gate(summary, options.policy, allow_empty=options.allow_empty) if options.policy else None,
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
        "runs": [{"run": audit.name, "counts": audit.counts, **rulings_document(audit.judgement)} for audit in audits],
    }


def _line(body: Mapping[str, Any]) -> str:
    runs = []
    for run in body["runs"]:
        counts = run["counts"]
        if not counts:
            runs.append(f"{run['run']}: its numbers were not rechecked")
            continue
        mean = counts["mean_reward"]
        told = "no mean" if mean["value"] is None else f"mean reward {mean['value']:.4g} over {mean['n']}"
        runs.append(f"{run['run']}: {counts['scored']} of {counts['selected']} scored, {told}")
    return "; ".join([f"{body['folder']}: {body['verdict']}", *runs])
