"""Which runs lie in a folder that is audited, each with its summary, when it has one."""

import os
from typing import Any

import msgspec

from runaudit.errors import InputError
from runaudit.judge.showing import shown_value
from runaudit.layouts import layout_named, layouts
from runaudit.layouts.base import Layout, Target
from runaudit.model.finding import Finding
from runaudit.model.summary import KIND, VERSION
from runaudit.model.trouble import Trouble
from runaudit.read.folder import list_folder
from runaudit.read.named import is_folder
from runaudit.usecases.stored import Stored, read_stored

_ENDS = ("_run_summary.json", "_runaudit_summary.json")
_NONE = type(None)
# the types that options of a summary have; a rebuild goes by them
_OPTIONS: dict[str, tuple[type, ...]] = {
    "split": (str,),
    "pass_at": (int, float, _NONE),
    "messages": (bool,),
    "max_row": (int,),
    "resumed": (bool, _NONE),
    "signatures": (str, _NONE),
    "redacted": (int,),
    "told": (list,),
}
_WHOLE = ("run_summary.json", "runaudit_summary.json")


class Run(msgspec.Struct, frozen=True):
    """One run of the audited folder; `summary` None when it has none, or one that cannot be read (`damaged`)."""

    layout: Layout
    target: Target
    summary: dict[str, Any] | None
    summary_path: str | None
    damaged: Finding | None = None
    tasks_digest: str | None = None


def is_summary_name(name: str) -> bool:
    """Whether a file name can be that of a run summary, ours or a producer's; temporary files never are."""
    return not name.startswith(".") and (name.endswith(_ENDS) or name in _WHOLE)


def runs_at(path: str) -> list[Run]:
    """The runs at a path: a folder, a summary, or rollouts.

    Raises InputError when nothing is there or nothing is recognised, and for a summary of a newer version.
    """
    if not os.path.lexists(path):
        raise InputError(f"{path}: there is no such file or folder")
    if is_folder(path):
        found = _in_folder(path)
    elif is_summary_name(os.path.basename(path)):
        found = [_of_summary(path)]
    else:
        found = [_of_target(layout, target) for layout in layouts() for target in layout.recognise(path)][:1]
    if not found:
        raise InputError(f"{path}: nothing that a known producer writes was recognised")
    return found


def _in_folder(folder: str) -> list[Run]:
    items = list_folder(folder)
    if isinstance(items, Trouble):
        raise InputError(f"{folder}: {items.message}")
    runs: dict[tuple[str, str], Run] = {}
    for item in items:
        if is_summary_name(item.name):
            run = _of_summary(os.path.join(folder, item.name))
            key = (run.target.layout, run.target.name)
            if run.summary is not None or key not in runs:
                runs[key] = run
    parts = {path for run in runs.values() for path in _listed_by(run.summary)}
    for layout in layouts():
        for target in layout.recognise(folder):
            if target.name not in parts:
                runs.setdefault((target.layout, target.name), _of_target(layout, target))
    return [runs[key] for key in sorted(runs)]


def _listed_by(summary: dict[str, Any] | None) -> list[str]:
    """Files that a summary lists as parts of its run, shards for instance: none of them is a run of its own."""
    files = summary["files"] if summary is not None else {}
    found: list[Any] = []
    for value in files.values():
        found += value if isinstance(value, list) else [value]
    return [path for path in found if isinstance(path, str)]


def _of_target(layout: Layout, target: Target) -> Run:
    for path in (layout.summary_path(target), layout.alternative_summary_path(target)):
        if os.path.lexists(path):
            run = _of_summary(path)
            if run.summary is not None or run.damaged is not None:
                return msgspec.structs.replace(run, layout=layout, target=target)
    return Run(layout, target, None, None)


def _of_summary(path: str) -> Run:
    name = os.path.basename(path)
    stored = read_stored(path)
    value = stored.value if isinstance(stored, Stored) else stored
    if isinstance(value, dict) and value.get("kind") == KIND:
        version = value.get("version")
        if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
            raise InputError(f"{path}: summary-newer: version {version}; this runaudit reads up to {VERSION}")
        layout = _layout_of(value)
        fault = _fault_of(value)
        if layout is not None and fault is None:
            _refuse_elsewhere(path, value)
            digest = stored.tasks_digest if isinstance(stored, Stored) else None
            return Run(layout, layout.target_of(path, value), value, path, tasks_digest=digest)
        message = fault or "it names no layout that is known"
        return _without(path, Finding(id="summary-unreadable", message=message, path=name))
    if isinstance(value, dict):
        # a document of the producer's own under this name is evidence, not a summary of ours
        return _without(path, None)
    trouble = value if isinstance(value, Trouble) else Trouble(id="summary-unreadable", message="it is not there")
    told = trouble.id if trouble.id == "no-permission" else "summary-unreadable"
    return _without(path, Finding(id=told, message=trouble.message, path=name))


def _refuse_elsewhere(path: str, document: dict[str, Any]) -> None:
    """A summary that was written away from its run says nothing of the folder that it lies in."""
    rollouts = document["files"].get("rollouts")
    if isinstance(rollouts, str) and rollouts.startswith("../"):
        raise InputError(f"{path}: this summary is about {rollouts}, in another folder; audit the run's own folder")


def _without(path: str, damaged: Finding | None) -> Run:
    layout = layouts()[0] if os.path.basename(path).startswith(_WHOLE) else layouts()[-1]
    return Run(layout, layout.target_of(path, {}), None, path if damaged else None, damaged)


def _layout_of(document: dict[str, Any]) -> Layout | None:
    try:
        return layout_named(document.get("layout", ""))
    except (KeyError, TypeError):
        return None


def _fault_of(document: dict[str, Any]) -> str | None:
    """Why a document of our kind is no summary that can be held against anything; None when it is one."""
    version = document.get("version")
    if version != VERSION or not isinstance(version, int) or isinstance(version, bool):
        return f"it states no version that there is: {shown_value(version)}"
    shapes = {"tasks": list, "counts": dict, "files": dict, "evidence": dict, "options": dict}
    wrong = [name for name, shape in shapes.items() if not isinstance(document.get(name), shape)]
    if wrong:
        return f"it does not have the shape of a summary: {', '.join(wrong)}"
    options = document["options"]
    odd = [name for name, shapes in _OPTIONS.items() if name in options and type(options[name]) not in shapes]
    if odd:
        return f"options.{odd[0]}: a value of another type: {shown_value(options[odd[0]])}"
    digest = options.get("digest")
    if digest not in ("xxh3", "sha256", "none"):
        return f"options.digest: expected xxh3, sha256 or none, found {shown_value(digest)}"
    if digest == "none" and any(_states_digest(told) for told in document["evidence"].values()):
        return "options.digest says that nothing was hashed, and evidence states digests"
    return None


def _states_digest(told: Any) -> bool:
    return isinstance(told, dict) and told.get("digest") is not None
