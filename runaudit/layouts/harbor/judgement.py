"""Applies every rule to a job that was read, and gathers what they found, what they checked, and the entries."""

from collections.abc import Iterable

import msgspec

from runaudit.layouts.harbor.agreement import agreement_findings
from runaudit.layouts.harbor.chain import chain_findings
from runaudit.layouts.harbor.counts import copies_of, counts_findings, identity_findings, unfinished_findings
from runaudit.layouts.harbor.departures import departure_findings
from runaudit.layouts.harbor.digests import digest_findings
from runaudit.layouts.harbor.entries import entries_of, unscored_findings
from runaudit.layouts.harbor.headline import headline_findings
from runaudit.layouts.harbor.identity import run_identity
from runaudit.layouts.harbor.kept import kept_findings
from runaudit.layouts.harbor.ledger_file import may_retry
from runaudit.layouts.harbor.ledger_rules import ledger_findings
from runaudit.layouts.harbor.ledger_state import state_of
from runaudit.layouts.harbor.passing import with_passed
from runaudit.layouts.harbor.plan import match, plan_findings
from runaudit.layouts.harbor.reading import Run
from runaudit.layouts.harbor.reruns import rerun_findings
from runaudit.layouts.harbor.scoring import groups_of
from runaudit.layouts.harbor.tasks_at_hand import task_findings
from runaudit.layouts.harbor.totals import totals_findings
from runaudit.layouts.harbor.trajectories import trajectory_findings
from runaudit.model.account import RunIdentity
from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.request import Request
from runaudit.model.task import TaskEntry
from runaudit.read.places import Places

LEDGER_CHECK = "attempts against the ledger"


class Judged(msgspec.Struct, frozen=True):
    """What came of judging a job."""

    identity: RunIdentity
    entries: list[TaskEntry]
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]


def judge(places: Places, run: Run, request: Request) -> Judged:
    """Every rule of this layout, over the trials of the job; copies of a trial enter no sum."""
    job, root, writer = run.job, run.folder.path, run.writer
    copies = copies_of(run.trials)
    extra = {trial.name for members in copies.values() for trial in members[1:]}
    trials = [trial for trial in run.trials if trial.name not in extra]
    matched, groups = match(job, trials), groups_of(trials)
    entries, notes = with_passed(entries_of(matched, copies, request), request.pass_at)
    said: Iterable[Finding | Check] = (
        *run.findings,
        *notes,
        *unscored_findings(entries),
        *identity_findings(run.trials),
        *unfinished_findings(job, trials),
        *plan_findings(job, matched),
        *kept_findings(job, trials, writer),
        *chain_findings(job, run.trials, writer),
        *agreement_findings(job, run.trials, run.evidence.keys()),
        *headline_findings(job, groups, writer),
        *counts_findings(job, trials, groups, writer),
        *totals_findings(job, trials, writer),
        *digest_findings(job, trials),
        *task_findings(trials, request),
        *rerun_findings(job, trials),
        *departure_findings(job, trials),
        *trajectory_findings(places, root, run.trials),
        *_ledger(places, run),
    )
    return Judged(
        identity=run_identity(job, trials, writer, request),
        entries=entries,
        checks=_joined([one for one in said if isinstance(one, Check)]),
        findings=tuple(one for one in said if isinstance(one, Finding)),
    )


def _ledger(places: Places, run: Run) -> Iterable[Finding | Check]:
    if run.ledger is None:
        reason = "no ledger: that attempts were removed or edited cannot be stated as fact"
        return [Check(LEDGER_CHECK, made=False, reason=reason)]
    now = state_of(places, run.folder.path, run.trials)
    found = ledger_findings(run.ledger, now, retries=may_retry(run.job.config.value))
    return [*found, Check(LEDGER_CHECK, made=True, count=len(run.ledger.entries))]


def _joined(checks: list[Check]) -> tuple[Check, ...]:
    """One check for each name and reason; those that were made are added up."""
    joined: dict[tuple[str, bool, str | None], Check] = {}
    for check in checks:
        key = (check.name, check.made, check.reason)
        known = joined.get(key)
        total = (check.count or 0) + (known.count or 0) if known is not None else check.count
        joined[key] = msgspec.structs.replace(check, count=total)
    return tuple(joined.values())
