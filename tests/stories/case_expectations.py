"""Holds what a command left against the expectation of a case's step; differences come back in words.

The words of an expectation are the keys of `CHECKS`, which take the document, and those that test_cases.py looks after.
"""

import fnmatch
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

Document = dict[str, Any]
ABSENT = "<absent>"
_LEVELS = {"@error": ("error",), "@warn": ("warning", "error"), "@note": ("note",)}


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def strings(node: Any) -> Iterator[str]:
    """Every key and value below a node as text."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value)
    else:
        yield node if isinstance(node, str) else json.dumps(node)


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return any(_fits(value, one) for one in wanted)
    if isinstance(wanted, float) and isinstance(value, int | float) and not isinstance(value, bool):
        return math.isclose(value, wanted, abs_tol=1e-9)
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


def _tell(name: str, value: Any, wanted: Any) -> list[str]:
    return [] if _fits(value, wanted) else [f"{name} is {json.dumps(value)}, want {json.dumps(wanted)}"]


def _at(node: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        node = node.get(part, ABSENT) if isinstance(node, dict) else ABSENT
    return node


def _task(document: Document, key: str) -> Document | None:
    """The entry of a `task_index/repeat`; of several the last."""
    found = [e for e in document["tasks"] if f"{e['task_index']}/{e['repeat']}" == key]
    return found[-1] if found else None


def _files(document: Document, wanted: dict[str, Any]) -> list[str]:
    return [d for key, path in wanted.items() for d in _tell(f"files.{key}", document["files"].get(key), path)]


def _outcomes(document: Document, wanted: dict[str, Any]) -> list[str]:
    found = {key: (_task(document, key) or {}).get("outcome") for key in wanted}
    return [d for key, outcome in wanted.items() for d in _tell(f"{key} outcome", found[key], outcome)]


def _fields(document: Document, wanted: dict[str, dict[str, Any]]) -> list[str]:
    return [
        difference
        for key, fields in wanted.items()
        for name, value in fields.items()
        for difference in _tell(f"{key} {name}", _at(_task(document, key), name), value)
    ]


def _rewards(document: Document, wanted: dict[str, Any]) -> list[str]:
    return _fields(document, {key: {"reward": value} for key, value in wanted.items()})


def _selected(document: Document, wanted: int) -> list[str]:
    entries = _tell("number of entries", len(document["tasks"]), wanted)
    return entries + _tell("counts.selected", document["counts"]["selected"], wanted)


def _counts(document: Document, wanted: dict[str, Any]) -> list[str]:
    return [d for name, value in wanted.items() for d in _tell(f"counts.{name}", document["counts"].get(name), value)]


def _stale(document: Document, wanted: list[str]) -> list[str]:
    found = sorted(file["path"] for file in document["stale_files"])
    return [] if found == sorted(wanted) else [f"stale files are {found}, want {sorted(wanted)}"]


def _parts_of(name: str) -> Callable[[Document, list[str]], list[str]]:
    def check(document: Document, wanted: list[str]) -> list[str]:
        there = "\n".join(strings(document[name]))
        return [f"{part!r} is not in {name}" for part in wanted if part not in there]

    return check


def _missing_count(document: Document, wanted: int) -> list[str]:
    return _tell("number of missing paths", len(document["missing_paths"]), wanted)


def _changes(document: Document, wanted: dict[str, list[str]]) -> list[str]:
    found = {task["task_id"]: task for task in document["tasks"]}
    told = {name: set(strings(found.get(name, {"class": "same"}))) for name in wanted}
    return [f"{name} is not {' or '.join(classes)}" for name, classes in wanted.items() if not told[name] & {*classes}]


def _groups(document: Document) -> list[Document]:
    groups: list[Document] = document["findings"]
    return groups


def _findings_any(document: Document, wanted: list[list[str]]) -> list[str]:
    ids = [group["id"] for group in _groups(document)]
    lacking = [any_of for any_of in wanted if not any(fnmatch.filter(ids, pattern) for pattern in any_of)]
    return [f"no finding {' or '.join(any_of)} (found {ids})" for any_of in lacking]


def _findings_level(document: Document, wanted: dict[str, list[str]]) -> list[str]:
    return [
        f"{group['id']} is {group['level']}, want {' or '.join(levels)}"
        for pattern, levels in wanted.items()
        for group in _groups(document)
        if fnmatch.fnmatchcase(group["id"], pattern) and group["level"] not in levels
    ]


def _holds(words: list[str], texts: Iterator[str], level: str | None) -> bool:
    whole = "\n".join(texts).lower()
    return all(
        level in _LEVELS[word] if word in _LEVELS else any(part.lower() in whole for part in word.split("|"))
        for word in words
    )


def _findings_say(document: Document, wanted: list[list[str]]) -> list[str]:
    groups = _groups(document)
    silent = [words for words in wanted if not any(_holds(words, strings(g), g["level"]) for g in groups)]
    return [f"no finding says {words} (found {[group['id'] for group in groups]})" for words in silent]


def _no_level(document: Document, wanted: Any) -> list[str]:
    return [f"{g['id']} of level {g['level']}" for g in _groups(document) if g["level"] in _many(wanted)]


def _no_ids(document: Document, wanted: list[str]) -> list[str]:
    ids = [group["id"] for group in _groups(document)]
    return [f"{name} is there" for pattern in wanted for name in fnmatch.filter(ids, pattern)]


def _no_findings_about(document: Document, wanted: Any) -> list[str]:
    loud = [(group["id"], "\n".join(strings(group))) for group in _groups(document) if group["level"] != "note"]
    return [f"{name} speaks of {part!r}" for part in _many(wanted) for name, text in loud if part in text]


def _spoken(node: Any, trail: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """Everything in a document that says something: a finding, an object with its plain values, an item of a list."""
    if isinstance(node, dict):
        yield list(strings(node)) if "level" in node else []
        plain = {key: value for key, value in node.items() if not isinstance(value, dict)}
        yield [*trail, *strings({key: value for key, value in plain.items() if not _holds_objects(value)})]
        for key, value in node.items():
            yield from _spoken(value, (*trail, key))
    elif isinstance(node, list):
        for value in node:
            yield from _spoken(value, trail)
    else:
        yield [*trail, *strings(node)]


def _holds_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict | list) for item in value)


def _says(document: Document, wanted: list[list[str]]) -> list[str]:
    spoken = list(_spoken(document))
    return [f"nothing says {words}" for words in wanted if not any(_holds(words, iter(t), None) for t in spoken)]


CHECKS: dict[str, Callable[[Document, Any], list[str]]] = {
    "files": _files,
    "outcomes": _outcomes,
    "rewards": _rewards,
    "fields": _fields,
    "selected": _selected,
    "counts": _counts,
    "stale": _stale,
    "missing": _parts_of("missing_paths"),
    "missing_count": _missing_count,
    "unvalidated": _parts_of("unvalidated"),
    "skipped": _parts_of("skipped"),
    "changes": _changes,
    "findings_any": _findings_any,
    "findings_level": _findings_level,
    "findings_say": _findings_say,
    "no_level": _no_level,
    "no_ids": _no_ids,
    "no_findings_about": _no_findings_about,
    "says": _says,
}
