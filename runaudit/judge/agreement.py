"""Does a summary follow from the evidence? Pure: the recorded document against the one rebuilt from the files.

A difference is `summary-outdated`, with both values. Evidence (sizes and digests) is not compared here: that is
`judge.integrity`'s question. Findings are compared where they are errors; ages and places may honestly differ.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from runaudit.model.finding import Finding

Document = Mapping[str, Any]
_PARTS = ("counts", "files", "run", "skipped", "unvalidated", "producer", "layout")
_LONGEST = 160
# what redaction or left-out messages make uncomparable
_WORDING = ("message",)


def document_findings(recorded: Document, rebuilt: Document, *, left_out: frozenset[str]) -> Iterator[Finding]:
    """Differences of everything but tasks and evidence. `left_out` names dotted fields that cannot be rechecked."""
    for part in _PARTS:
        yield from _differences(part, recorded.get(part), rebuilt.get(part), left_out)
    for name in ("missing_paths", "stale_files", "set_aside"):
        if name not in left_out:
            yield from _lists(name, recorded.get(name), rebuilt.get(name))
    old, new = _errors(recorded), _errors(rebuilt)
    for finding in sorted(set(old) | set(new)):
        if old.get(finding) != new.get(finding):
            yield _outdated(f"findings {finding}", f"{old.get(finding, 0)} places", f"{new.get(finding, 0)} places", {})


def entry_findings(recorded: Document, rebuilt: Document | None, *, left_out: frozenset[str]) -> Iterator[Finding]:
    """Differences of one task's entry."""
    where = {name: recorded.get(name) for name in ("task_index", "repeat", "task_id")}
    if not all(isinstance(where[name], int | None) for name in ("task_index", "repeat")):
        where = {"task_id": where["task_id"] if isinstance(where["task_id"], str) else None}
    if rebuilt is None:
        yield _outdated("the entry", "present", "no such task and repeat in the evidence", where)
        return
    for name in dict.fromkeys([*recorded, *rebuilt]):
        if name == "evidence" or name in left_out:
            continue
        old, new = recorded.get(name), rebuilt.get(name)
        if name == "failure":
            old, new = _without_wording(old), _without_wording(new)
        if old != new:
            yield _outdated(name, _shown(old), _shown(new), where)


def _differences(name: str, old: Any, new: Any, left_out: frozenset[str]) -> Iterator[Finding]:
    if name in left_out:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            yield from _differences(f"{name}.{key}", old.get(key), new.get(key), left_out)
    elif old != new:
        yield _outdated(name, _shown(old), _shown(new), {})


def _lists(name: str, old: Any, new: Any) -> Iterator[Finding]:
    told = {json.dumps(_without_evidence(item), sort_keys=True) for item in old or ()}
    now = {json.dumps(_without_evidence(item), sort_keys=True) for item in new or ()}
    for item in sorted(told - now):
        yield _outdated(name, item, "not there", {})
    for item in sorted(now - told):
        yield _outdated(name, "not there", item, {})


def _without_evidence(item: Any) -> Any:
    if isinstance(item, Mapping):
        return {key: value for key, value in item.items() if key not in ("size", "digest", "reason")}
    return item


def _without_wording(failure: Any) -> Any:
    if isinstance(failure, Mapping):
        return {key: value for key, value in failure.items() if key not in _WORDING}
    return failure


def _errors(document: Document) -> dict[str, Any]:
    groups = document.get("findings")
    return {
        str(group.get("id")): group.get("count")
        for group in (groups if isinstance(groups, list) else ())
        if isinstance(group, Mapping) and group.get("level") == "error" and group.get("id") not in _OF_COMPLETENESS
    }


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


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
