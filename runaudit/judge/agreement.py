"""Does a summary follow from the evidence? Pure: the recorded document against the one rebuilt from the files.

A difference is `summary-outdated`, with both values. Whether evidence (sizes and digests) has changed is
`judge.integrity`'s question; here it must only be stated. Findings that rest on ages and places may honestly differ.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from runaudit.judge.showing import comparable, same, shown_text, shown_value
from runaudit.judge.whereabouts import whereabouts
from runaudit.model.finding import Finding

Document = Mapping[str, Any]
_LISTS = ("missing_paths", "stale_files", "set_aside", "checks")
# parts that are compared in a way of their own, or say how the document was made
_APART = frozenset({"kind", "version", "options", "tasks", "evidence", "findings", *_LISTS})
# what redaction or left-out messages make uncomparable
_WORDING = ("message",)


def document_findings(recorded: Document, rebuilt: Document, *, left_out: frozenset[str]) -> Iterator[Finding]:
    """Differences of everything but tasks and evidence. `left_out` names dotted fields that cannot be rechecked."""
    for part in (name for name in rebuilt if name not in _APART):
        yield from _differences(part, recorded.get(part), rebuilt.get(part), left_out)
    for name in _LISTS:
        if name not in left_out:
            yield from _lists(name, recorded.get(name), rebuilt.get(name))
    if "evidence" not in left_out:
        yield from _unstated(recorded.get("evidence"), rebuilt.get("evidence"), {})
    if "findings" not in left_out:
        yield from _told_findings(recorded, rebuilt)


def entry_findings(recorded: Document, rebuilt: Document | None, *, left_out: frozenset[str]) -> Iterator[Finding]:
    """Differences of one task's entry."""
    where = whereabouts(recorded)
    if rebuilt is None:
        yield _outdated("the entry", "present", "no such task and repeat in the evidence", where)
        return
    if "evidence" not in left_out:
        yield from _unstated(recorded.get("evidence"), rebuilt.get("evidence"), where)
    for name in dict.fromkeys([*recorded, *rebuilt]):
        if name == "evidence" or name in left_out:
            continue
        old, new = recorded.get(name), rebuilt.get(name)
        if name == "failure":
            old, new = _without_wording(old), _without_wording(new)
        if not same(old, new):
            yield _outdated(name, shown_value(old), shown_value(new), where)


def _differences(name: str, old: Any, new: Any, left_out: frozenset[str]) -> Iterator[Finding]:
    if name in left_out:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            yield from _differences(f"{name}.{key}", old.get(key), new.get(key), left_out)
    elif not same(old, new):
        yield _outdated(name, shown_value(old), shown_value(new), {})


def _unstated(old: Any, new: Any, where: Mapping[str, Any]) -> Iterator[Finding]:
    """Evidence that is there and that the summary does not state: what is not stated cannot be found changed."""
    told = old if isinstance(old, Mapping) else {}
    for name, now in (new if isinstance(new, Mapping) else {}).items():
        before = told.get(name)
        if not isinstance(before, Mapping):
            yield _outdated(f"evidence of {name}", shown_value(before), shown_value(now), where)
        elif before.get("digest") is None and now.get("digest") is not None:
            yield _outdated(f"digest of {name}", "none", str(now["digest"]), where)


def _lists(name: str, old: Any, new: Any) -> Iterator[Finding]:
    if not isinstance(old, list):
        if not same(old, new):
            yield _outdated(name, shown_value(old), shown_value(new), {})
        return
    told = {comparable(_without_evidence(item)): item for item in old}
    now = {comparable(_without_evidence(item)): item for item in new or ()}
    for text in sorted(told.keys() - now.keys()):
        yield _outdated(name, shown_value(told[text]), "not there", {})
    for text in sorted(now.keys() - told.keys()):
        yield _outdated(name, "not there", shown_value(now[text]), {})


def _without_evidence(item: Any) -> Any:
    if isinstance(item, Mapping):
        return {key: value for key, value in item.items() if key not in ("size", "digest", "reason")}
    return item


def _without_wording(failure: Any) -> Any:
    if isinstance(failure, Mapping):
        return {key: value for key, value in failure.items() if key not in _WORDING}
    return failure


def _told_findings(recorded: Document, rebuilt: Document) -> Iterator[Finding]:
    """Differences between the findings that the summary states and those that the evidence gives again."""
    old, new = _places_by_finding(recorded), _places_by_finding(rebuilt)
    for name in sorted({*old, *new}):
        told, now = old.get(name, _NOWHERE), new.get(name, _NOWHERE)
        if not same(told.count, now.count):
            yield _outdated(f"finding {name}", f"{shown_value(told.count)} places", f"{now.count} places", {})
        elif comparable(told.places) != comparable(now.places):
            yield _outdated(f"finding {name}", shown_value(told.places), shown_value(now.places), {})


class _Stated(msgspec.Struct, frozen=True):
    """How often a document states a finding, and where; None where the places are not compared."""

    count: Any
    places: Any


_NOWHERE = _Stated(0, None)


def _places_by_finding(document: Document) -> dict[str, _Stated]:
    groups = document.get("findings")
    redacted = bool(document["options"].get("redacted")) if isinstance(document.get("options"), Mapping) else False
    found = {}
    for group in groups if isinstance(groups, list) else ():
        name = group.get("id") if isinstance(group, Mapping) else None
        if not isinstance(name, str) or name in _OF_THE_MOMENT:
            continue
        count = group.get("count")
        level = group.get("level")
        if name in _OF_COMPLETENESS and level == "error":
            level = "warning"
        worded = name not in _WORDED_BY_CIRCUMSTANCE and not redacted
        key = f"{name} ({shown_text(level)})"
        found[key] = _Stated(count, group.get("places") if worded else None)
    return found


# Ages, links, permissions and places: these describe the folder at one moment, and may honestly differ later.
_OF_THE_MOMENT = frozenset(
    {
        "coarse-times",
        "dangling-link",
        "evidence-outside-folder",
        "inner-copy-used",
        "leftover-file",
        "link-loop",
        "no-permission",
        "outside-root",
        "stale-log-folder",
        "stale-reward",
        "times-look-reset",
        "wrong-kind",
    }
)
# The same finding, told with an age or a hint the first time.
_WORDED_BY_CIRCUMSTANCE = frozenset({"aggregate-older", "health-not-attributed", "missing-log-folder"})
# --require-complete makes these errors; whether it was given is nobody's evidence
_OF_COMPLETENESS = frozenset({"tasks-missing", "tasks-failed"})


def _outdated(name: str, old: str, new: str, where: Mapping[str, Any]) -> Finding:
    return Finding(
        id="summary-outdated",
        message=f"{name}: the summary says {old}, the evidence says {new}",
        expected=new,
        found=old,
        **where,
    )
