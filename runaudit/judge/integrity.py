"""Is everything that a summary lists still here, with the recorded size and content? Pure: two documents are compared.

`recorded` is the summary as it was written, `rebuilt` the same document made from the files as they are now.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runaudit.judge.showing import same, shown_text, shown_value
from runaudit.judge.whereabouts import whereabouts
from runaudit.model.finding import Finding

Document = Mapping[str, Any]
# evidence of a task: its name in `evidence`, and the entry's field that holds its path
TASK_FILES = (("test_stdout", "test_stdout"), ("reward_file", "reward_file"), ("trajectory", "trajectory"))
_TREES = (("artifacts", "the files below artifacts/"), ("other", "other files in the log folder"))


def listed_files(recorded: Document) -> dict[str, Mapping[str, Any]]:
    """Every file of the run that the summary states evidence of, also those it set aside, by path."""
    found: dict[str, Mapping[str, Any]] = {}
    for name in ("stale_files", "set_aside"):
        found.update({str(f["path"]): f for f in _mappings(recorded.get(name)) if isinstance(f.get("path"), str)})
    evidence = recorded.get("evidence")
    if isinstance(evidence, Mapping):
        found.update({str(path): told for path, told in evidence.items() if isinstance(told, Mapping)})
    return found


def file_findings(recorded: Document, now: Mapping[str, Mapping[str, Any] | None]) -> Iterator[Finding]:
    """What is wrong with the run's own files. `now` holds size and digest by path, None where nothing is there.

    Paths that are not in `now` could not be looked at; the caller says why.
    """
    for path, told in sorted(listed_files(recorded).items()):
        if path not in now:
            continue
        current = now[path]
        if current is None:
            yield Finding(id="file-missing", message="the summary lists it and it is not there", path=path)
        else:
            yield from _changed(path, told, current, {})


def task_findings(
    entry: Document, rebuilt: Document | None, *, unlooked: Callable[[str], bool], trees: bool = True
) -> Iterator[Finding]:
    """What is wrong with one task's own files.

    `unlooked` says that a path could not be looked at; `trees` is False where that is so of something below the log
    folder, so that what was counted there cannot be compared.
    """
    where = whereabouts(entry)
    logs = entry.get("verifier_logs")
    if not isinstance(logs, str) or unlooked(logs):
        return
    if rebuilt is None or rebuilt.get("verifier_logs") is None:
        # without its row the folder is not read; that it is there was looked at by the caller
        return
    old, new = _evidence(entry), _evidence(rebuilt)
    for name, field in TASK_FILES:
        path = entry.get(field)
        if isinstance(path, str) and not unlooked(path):
            current, present = new.get(name), rebuilt.get(field)
            if present not in (None, path):
                # another file took its part: the recorded one is a second one now
                current = _mapping(new.get("files")).get(path.rpartition("/")[2])
            yield from _one(path, old.get(name), current, present, where)
    for name, told in _mapping(old.get("files")).items():
        yield from _one(f"{logs}/{name}", told, _mapping(new.get("files")).get(name), None, where)
    for name, words in _TREES if trees and isinstance(rebuilt.get("evidence"), Mapping) else ():
        yield from _tree(logs, words, old.get(name), new.get(name), where)


def _one(path: str, old: Any, new: Any, present: Any, where: dict[str, Any]) -> Iterator[Finding]:
    if not isinstance(new, Mapping):
        if present is None:
            yield Finding(id="file-missing", message="the summary lists it and it is not there", path=path, **where)
    elif isinstance(old, Mapping):
        yield from _changed(path, old, new, where)


def _tree(logs: str, words: str, old: Any, new: Any, where: dict[str, Any]) -> Iterator[Finding]:
    if not isinstance(old, Mapping) or same(old, new):
        return
    told, current = _tree_text(old), _tree_text(new)
    yield Finding(
        id="file-changed" if isinstance(new, Mapping) else "file-missing",
        message=f"{words}: the summary recorded {told}, now {current}",
        path=logs,
        expected=told,
        found=current,
        **where,
    )


def _tree_text(tree: Any) -> str:
    if not isinstance(tree, Mapping):
        return "nothing"
    files, size, digest = (tree.get(name) for name in ("files", "bytes", "digest"))
    return f"{shown_value(files)} files, {shown_value(size)} bytes, {shown_text(digest)}"


def _changed(path: str, old: Mapping[str, Any], new: Mapping[str, Any], where: dict[str, Any]) -> Iterator[Finding]:
    digest = old.get("digest")
    if not same(old.get("size"), new.get("size")):
        expected, found = f"{shown_value(old.get('size'))} bytes", f"{shown_value(new.get('size'))} bytes"
    elif digest is not None and "digest" in new and new["digest"] is None:
        message = "its size is the recorded one, and reading its content failed"
        yield Finding(id="file-unreadable", message=message, path=path, expected=shown_text(digest), **where)
        return
    elif digest is not None and new.get("digest") is not None and digest != new["digest"]:
        expected, found = shown_text(digest), shown_text(new["digest"])
    else:
        return
    message = f"the summary recorded {expected}, the file has {found}"
    yield Finding(id="file-changed", message=message, path=path, expected=expected, found=found, **where)


def _evidence(entry: Document) -> Mapping[str, Any]:
    return _mapping(entry.get("evidence"))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
