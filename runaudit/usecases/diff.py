"""Compares one baseline with one or more candidates and judges the change: the library function behind `runaudit diff`.

Equal inputs give equal reports: the random draws are seeded, and the seed stands in the report.
"""

import os
from collections.abc import Sequence
from random import Random

import msgspec

from runaudit.compare.comparison import Comparison, compare
from runaudit.compare.document import RunDocument
from runaudit.compare.exact import holm
from runaudit.compare.gate import judge, judge_alone
from runaudit.compare.policy import DEFAULT, Policy
from runaudit.compare.policy_file import parse
from runaudit.errors import InputError, UsageError
from runaudit.model.report import Report
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.places import Places
from runaudit.usecases.comparands import Comparand, Summarise, find
from runaudit.usecases.diff_report import Judged, missing_baseline_report, report_of
from runaudit.usecases.in_memory import summarise_in_memory

SEED = 0


class Compared(msgspec.Struct, frozen=True):
    """A finished comparison: the report, and the sides that it speaks of (the baseline None where it is missing)."""

    report: Report
    baseline: Comparand | None
    candidates: tuple[Comparand, ...]
    comparisons: tuple[Comparison, ...]


def diff(
    baseline: str,
    candidates: Sequence[str],
    *,
    policy: str | None = None,
    seed: int = SEED,
    allow_missing_baseline: bool = False,
    allow_empty: bool = False,
    summarise: Summarise = summarise_in_memory,
) -> Report:
    """The report about each candidate against the baseline; see `compare_runs`."""
    return compare_runs(
        baseline,
        candidates,
        policy=policy,
        seed=seed,
        allow_missing_baseline=allow_missing_baseline,
        allow_empty=allow_empty,
        summarise=summarise,
    ).report


def compare_runs(
    baseline: str,
    candidates: Sequence[str],
    *,
    policy: str | None = None,
    seed: int = SEED,
    allow_missing_baseline: bool = False,
    allow_empty: bool = False,
    summarise: Summarise = summarise_in_memory,
) -> Compared:
    """Compares runs (paths of summaries, or of folders that hold one) under the policy in a TOML file.

    `summarise` makes the summary of a folder that has none. A missing baseline is an inconclusive report; with
    `allow_missing_baseline` the rules that need none decide. Raises UsageError for a policy that does not parse or no
    candidate, InputError for a candidate that is missing and for anything that is no run summary.
    """
    if not candidates:
        raise UsageError("nothing to compare with the baseline: name at least one candidate")
    rules = DEFAULT if policy is None else read_policy(policy)
    found = tuple(_candidate(name, summarise) for name in candidates)
    base = find(baseline, summarise)
    if base is None and not allow_missing_baseline:
        return Compared(missing_baseline_report(baseline, found, rules), None, found, ())
    before = RunDocument() if base is None else base.document
    comparisons = [compare(before, c.document, rules, Random(seed), seed) for c in found]  # noqa: S311  # statistics
    comparisons = _with_holm(comparisons)
    judge_one = judge if base is not None else judge_alone
    judged = [
        Judged(name, side, comparison, judge_one(comparison, rules, allow_empty=allow_empty))
        for name, side, comparison in zip(_names(found), found, comparisons, strict=True)
    ]
    report = report_of(baseline, base, judged, rules, seed)
    return Compared(report, base, found, tuple(comparisons))


def read_policy(path: str) -> Policy:
    """The policy in a file. Raises UsageError when it is not there, cannot be read or does not parse."""
    real = os.path.realpath(path)
    data = read_bytes(Places([os.path.dirname(real)]).look(real))
    if isinstance(data, Trouble):
        raise UsageError(f"policy {path}: {data.message}")
    return parse(data, path)


def _candidate(name: str, summarise: Summarise) -> Comparand:
    found = find(name, summarise)
    if found is None:
        raise InputError(f"{name}: no such run: neither a summary nor a folder is there")
    return found


def _names(candidates: Sequence[Comparand]) -> list[str]:
    """What the candidates are called in the report: as they were named, numbered where a name comes twice."""
    names = [c.name for c in candidates]
    return [n if names.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(names, 1)]


def _with_holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    adjusted = holm([c.test.p_value for c in comparisons])
    return [
        msgspec.structs.replace(c, test=msgspec.structs.replace(c.test, adjusted=p))
        for c, p in zip(comparisons, adjusted, strict=True)
    ]
