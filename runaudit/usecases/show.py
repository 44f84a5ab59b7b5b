"""Finds the summary that a path means, and reads it for a person."""

import os
from typing import Any

import msgspec

from runaudit.errors import InputError, UsageError
from runaudit.model.stored import StoredSummary
from runaudit.model.summary import KIND
from runaudit.model.trouble import Trouble
from runaudit.read.folder import list_folder
from runaudit.read.named import is_folder
from runaudit.usecases.stored import load_summary, read_summary
from runaudit.usecases.target import target_at

_ENDS = ("_run_summary.json", "_runaudit_summary.json")
_OF_A_JOB = "run_summary.json"


class Found(msgspec.Struct, frozen=True):
    """A summary: where it lies, its document as it stands there, and the same as a value."""

    path: str
    document: dict[str, Any]
    summary: StoredSummary


def find_summary(path: str) -> Found:
    """The summary at a path: its own, that of the rollouts it belongs to, or of the folder it lies in.

    Raises InputError when there is none that can be read, UsageError when a folder holds several.
    """
    place = _place_of(path)
    document = load_summary(place)
    try:
        return Found(place, document, msgspec.convert(document, StoredSummary))
    except msgspec.ValidationError as error:
        raise InputError(f"{place}: summary-unreadable: {error}") from error


def _place_of(path: str) -> str:
    if is_folder(path):
        return _in_folder(path)
    if path.endswith(".json"):
        return path
    layout, target = target_at(path)
    candidates = [layout.summary_path(target), layout.alternative_summary_path(target)]
    for candidate in candidates:
        if _is_ours(candidate):
            return candidate
    broken = [candidate for candidate in candidates if os.path.lexists(candidate)]
    if broken:
        return broken[0]
    raise InputError(f"{path}: no summary of it at {candidates[0]}; runaudit summarize {path} writes one")


def _in_folder(folder: str) -> str:
    items = list_folder(folder)
    if isinstance(items, Trouble):
        raise InputError(f"{folder}: {items.message}")
    named = [item.name for item in items if item.name == _OF_A_JOB or item.name.endswith(_ENDS)]
    ours = [name for name in named if _is_ours(os.path.join(folder, name))]
    if len(ours) > 1:
        raise UsageError(f"{folder} holds several summaries; name one of: {', '.join(ours)}")
    if not ours and not named:
        raise InputError(f"{folder}: no run summary lies there; runaudit summarize writes one")
    return os.path.join(folder, (ours or named)[0])


def _is_ours(path: str) -> bool:
    document = read_summary(path)
    return isinstance(document, dict) and document.get("kind") == KIND
