"""The report about compared runs: the verdict over all candidates, the complete body, the sections for a person."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from runaudit.compare.change import Change
from runaudit.compare.comparison import Comparison
from runaudit.compare.gate import Judgement
from runaudit.compare.policy import Policy
from runaudit.compare.ruling import verdict_of, worst
from runaudit.compare.tally import Tally
from runaudit.model.finding import Group
from runaudit.model.report import Report, Verdict
from runaudit.usecases.comparands import Comparand
from runaudit.usecases.diff_cases import Cases
from runaudit.usecases.diff_sections import headline, sections

KIND = "diff_report"
VERSION = 1


class Judged(msgspec.Struct, frozen=True):
    """One candidate under the name that the report gives it, compared and judged."""

    name: str
    side: Comparand
    comparison: Comparison
    judgement: Judgement


def report_of(baseline: str, base: Comparand | None, judged: Sequence[Judged], policy: Policy, seed: int) -> Report:
    """The report. Its verdict is the gravest of the candidates' verdicts, with the reasons of those."""
    verdicts = [verdict_of(j.judgement.rulings, _prefix(j, judged)) for j in judged]
    word = worst(v.word for v in verdicts)
    verdict = Verdict(word, tuple(reason for v in verdicts if v.word == word for reason in v.reasons))
    return Report(
        kind=KIND,
        version=VERSION,
        subject=_subject(baseline, [j.name for j in judged]),
        verdict=verdict,
        findings=tuple(_findings(judged, policy)),
        body={
            "baseline": _baseline(baseline, base),
            "policy": {"source": policy.source, "digest": policy.digest},
            "seed": seed,
            "candidates": [_candidate(j, v) for j, v in zip(judged, verdicts, strict=True)],
            "tasks": [row for j in judged for row in _rows(j, alone=base is None)],
        },
        headline=headline(policy, (j.judgement for j in judged)),
        sections=tuple(s for j in judged for s in sections(j.comparison, j.judgement, _prefix(j, judged))),
        cases=Cases([(j.name, j.comparison) for j in judged], policy),
        fail_on=policy.fail_level,
    )


def missing_baseline_report(baseline: str, candidates: Sequence[Comparand], policy: Policy) -> Report:
    """The report when there is no baseline: inconclusive, with the line that makes one."""
    first = candidates[0].name
    file = baseline if baseline.endswith(".json") else os.path.join(baseline, "run_summary.json")
    line = f"runaudit diff {baseline} {first} --allow-missing-baseline --update-baseline {file}"
    verdict = Verdict("inconclusive", (f"no baseline at {baseline}; make one with: {line}",))
    return Report(
        kind=KIND,
        version=VERSION,
        subject=_subject(baseline, [c.name for c in candidates]),
        verdict=verdict,
        body={
            "baseline": _baseline(baseline, None),
            "policy": {"source": policy.source, "digest": policy.digest},
            "seed": None,
            "candidates": [],
            "tasks": [],
        },
        headline=headline(policy),
        fail_on=policy.fail_level,
    )


def _subject(baseline: str, names: Sequence[str]) -> str:
    return f"{', '.join(names)} against {baseline}"


def _prefix(judged: Judged, of: Sequence[Judged]) -> str:
    return f"{judged.name}: " if len(of) > 1 else ""


def _baseline(name: str, base: Comparand | None) -> dict[str, Any]:
    return {"name": name, "present": base is not None, "digest": None if base is None else base.digest}


def _candidate(judged: Judged, verdict: Verdict) -> dict[str, Any]:
    comparison = judged.comparison
    return {
        "run": judged.name,
        "digest": judged.side.digest,
        "verdict": verdict.word,
        "reasons": list(verdict.reasons),
        "rule": judged.judgement.rule,
        "rulings": msgspec.to_builtins(judged.judgement.rulings),
        "counts": comparison.counts,
        "repeats": dict(zip(("baseline", "candidate"), comparison.repeats, strict=True)),
        "remarks": list(comparison.remarks),
        "setup": msgspec.to_builtins(comparison.setup),
        "metrics": msgspec.to_builtins(comparison.metrics),
        "test": msgspec.to_builtins(comparison.test),
        "files": msgspec.to_builtins(comparison.files),
        "findings": msgspec.to_builtins(comparison.findings),
    }


def _rows(judged: Judged, *, alone: bool) -> Iterable[dict[str, Any]]:
    """Every task of a candidate, the unchanged ones, too: the report is complete."""
    return [] if alone else [_row(judged.name, change) for change in judged.comparison.changes]


def _row(run: str, change: Change) -> dict[str, Any]:
    key = change.key
    row: dict[str, Any] = {
        "run": run,
        "task_id": change.task_id,
        "taskset": key.taskset,
        "task_index": change.task_index,
        "agent": change.agent,
        "class": change.kind,
        "inputs": change.inputs,
        "baseline": _side(change.baseline),
        "candidate": _side(change.candidate),
    }
    if len(change.classes) > 1:
        row["also"] = list(change.classes[1:])
    if key.stage is not None:
        row["stage"] = key.stage
    if change.other_name is not None:
        row["same_input_as"] = change.other_name
    if change.quarantined:
        row["quarantined"] = True
    return row


def _side(tally: Tally | None) -> dict[str, Any] | None:
    if tally is None:
        return None
    return {"outcomes": tally.outcomes, "rewards": tally.rewards, "mean_reward": tally.mean, "passed": tally.passes}


def _findings(judged: Sequence[Judged], policy: Policy) -> Iterable[Group]:
    """The candidates' findings, where the policy counts them."""
    if policy.fail_level is None:
        return
    for one in judged:
        for found in one.comparison.findings:
            yield Group(id=found.id, level=found.level, title=found.title, count=found.count, places=())
