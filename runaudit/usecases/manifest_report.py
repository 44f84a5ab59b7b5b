"""The report of `manifest verify`."""

import os
from collections import Counter
from typing import Any, get_args

import msgspec

from runaudit.manifests.entry import Manifest, Outcome, Result
from runaudit.manifests.names import shown
from runaudit.manifests.tree_digest import tree_digest
from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.report import Report
from runaudit.model.trouble import Trouble
from runaudit.usecases.conclude import Conclusion, Terms, conclude
from runaudit.usecases.manifest_checking import Checked
from runaudit.usecases.manifest_reading import Opened
from runaudit.usecases.manifest_unlisted import Unlisted
from runaudit.usecases.registry import definitions

KIND = "manifest_verification"
VERSION = 1
_NOT_ANCHORED = (
    "not anchored: whoever can change the files can change this manifest as well; --expect SHA256 with a digest from "
    "elsewhere closes that gap"
)


class Facts(msgspec.Struct, frozen=True):
    """Everything that the report is made of."""

    checked: Checked
    unlisted: Unlisted
    refused: tuple[tuple[str, Trouble], ...]
    findings: tuple[Finding, ...]
    anchored: bool
    strict: bool
    allow_empty: bool


def report_of(opened: Opened, manifest: Manifest, facts: Facts, terms: Terms) -> Report:
    """The report over everything that was found."""
    checks = _checks(opened, manifest, facts)
    counts = _counts(facts)
    done = _concluded(facts.findings, checks, terms, judged=counts["verified"], allow_empty=facts.allow_empty)
    return Report(
        kind=KIND,
        version=VERSION,
        subject=shown(opened.path),
        verdict=done.verdict,
        checks=checks,
        findings=done.findings,
        body={
            "counts": counts,
            "files": [_row(result) for result in facts.checked.results if result.outcome != "verified"],
            "unlisted": [shown(name) for name, _ in facts.unlisted.names],
            "leftovers": [shown(name) for name in facts.unlisted.leftovers],
            "anchored": facts.anchored,
            "manifest": {"path": shown(opened.path), "format": manifest.form, "sha256": opened.anchor},
            "tree_digest": _tree_digest(facts) if done.verdict.word == "pass" else None,
        },
        headline=_headline(counts, anchored=facts.anchored),
        configuration=done.configuration,
        fail_on=terms.fail_on,
    )


def report_unreadable(opened: Opened, trouble: Trouble, terms: Terms) -> Report:
    """The report when the manifest is there and cannot be read: nothing that it may promise holds."""
    finding = Finding(
        id="manifest-unreadable",
        message=trouble.message,
        path=shown(os.path.basename(opened.path)),
        line=trouble.line,
        offset=trouble.offset,
    )
    checks = (Check(name="listed files", made=False, reason="the manifest cannot be read", belongs=True),)
    done = _concluded((finding,), checks, terms, judged=0, allow_empty=False)
    return Report(
        kind=KIND,
        version=VERSION,
        subject=shown(opened.path),
        verdict=done.verdict,
        checks=checks,
        findings=done.findings,
        body={"counts": {}, "files": [], "unlisted": [], "leftovers": [], "anchored": False},
        headline=(f"the manifest cannot be read: {trouble.message}",),
        configuration=done.configuration,
        fail_on=terms.fail_on,
    )


def _concluded(
    findings: tuple[Finding, ...], checks: tuple[Check, ...], terms: Terms, *, judged: int, allow_empty: bool
) -> Conclusion:
    return conclude(
        [*terms.notes, *findings],
        checks,
        registry=definitions(),
        configuration=terms.configuration,
        today=terms.today,
        judged=judged,
        fail_on=terms.fail_on,
        allow_empty=allow_empty,
    )


def _checks(opened: Opened, manifest: Manifest, facts: Facts) -> tuple[Check, ...]:
    listed = len(manifest.entries) + len(manifest.malformed)
    folders = f"{len(facts.refused)} folders cannot be listed"
    walked = Check(name="unlisted files", made=True)
    if facts.refused:
        walked = Check(name="unlisted files", made=False, reason=folders, belongs=facts.strict)
    return (Check(name="listed files", made=True, count=listed), walked, *opened.checks)


def _counts(facts: Facts) -> dict[str, int]:
    results = facts.checked.results
    by_outcome = Counter(result.outcome for result in results)
    return {
        "entries": len(results),
        **{name.replace("-", "_"): by_outcome[name] for name in get_args(Outcome)},
        "unlisted": len(facts.unlisted.names),
        "leftovers": len(facts.unlisted.leftovers),
        "verified_bytes": sum(result.size for result in results),
        "from_cache": facts.checked.contents.remembered,
    }


def _row(result: Result) -> dict[str, Any]:
    row = {
        "path": None if result.path is None else shown(result.path),
        "result": result.outcome,
        "message": result.message,
        "source": shown(result.source),
        "line": result.line,
        "expected": result.expected,
        "found": result.found,
        "at": None if result.at is None else shown(result.at),
    }
    return {key: value for key, value in row.items() if value is not None or key == "path"}


def _tree_digest(facts: Facts) -> str:
    """Over what was verified, under the names on disk."""
    pairs = {}
    for result in facts.checked.results:
        if result.outcome == "verified" and result.path is not None:
            pairs[result.at or result.path] = result.digest
    return tree_digest(pairs.items())


def _headline(counts: dict[str, int], *, anchored: bool) -> tuple[str, ...]:
    wrong = [f"{counts[name]} {name.replace('_', ' ')}" for name in _TROUBLES if counts[name]]
    extra = [f"{counts[name]} {name}" for name in ("unlisted", "leftovers") if counts[name]]
    first = f"{counts['verified']} of {counts['entries']} entries verified ({counts['verified_bytes']} bytes)"
    return (
        "; ".join([first, *wrong, *extra]),
        "anchored: the manifest has the expected SHA-256" if anchored else _NOT_ANCHORED,
    )


_TROUBLES = tuple(name.replace("-", "_") for name in get_args(Outcome) if name != "verified")
