"""Whether the folder's two health reports are this run's, and the verdicts in them.

The reports keep one name per folder whatever the run's stem, so a folder with several stems holds those of whichever
run completed last. They are linked only when the quality summary records this rollouts file (or exactly the shards of
a merged one) and is at least as new. Time alone never links one.
"""

import os
from collections.abc import Callable
from typing import Any

import msgspec
import orjson

from runaudit.layouts.nemo_gym.names import QUALITY_SUMMARY
from runaudit.layouts.nemo_gym.own_files import OwnFiles
from runaudit.model.finding import Finding
from runaudit.model.request import Recorded
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes, read_json
from runaudit.read.places import Sight

KEYS = ("quality_summary", "rollout_verdicts")


def attribute(
    own: OwnFiles,
    folder: str,
    expected: frozenset[str],
    *,
    recorded: Recorded | None,
    mapped: Callable[[str], str],
) -> bool:
    """Takes the reports off the run's list unless they are its own. Returns whether age decided.

    `expected` holds the located paths that the report must record; `mapped` applies told maps to recorded paths.
    """
    if not any(key in own.sights for key in KEYS):
        return False
    by_age = False
    if recorded is not None and QUALITY_SUMMARY in (*recorded.listed, *recorded.set_aside):
        reason = None if QUALITY_SUMMARY in recorded.listed else "not attributed when the summary was written"
    else:
        reason, by_age = _reason_against(own, folder, expected, mapped)
    if reason is not None:
        _drop(own, reason)
    return by_age


def _drop(own: OwnFiles, reason: str) -> None:
    unreadable = reason.startswith("unreadable: ")
    finding = Finding(
        id="health-unreadable" if unreadable else "health-not-attributed", message=reason, path=QUALITY_SUMMARY
    )
    told: Finding | None = finding
    for key in KEYS:
        if key in own.sights:
            own.withdraw(key, reason, told)
            told = None


def _reason_against(
    own: OwnFiles, folder: str, expected: frozenset[str], mapped: Callable[[str], str]
) -> tuple[str | None, bool]:
    if "rollouts" not in own.sights:
        return "there are no rollouts of this run that it could be about", False
    if "quality_summary" not in own.sights:
        return "verdicts without the quality summary that would say whose they are", False
    summary = own.sights["quality_summary"]
    document = read_json(summary)
    if isinstance(document, Trouble):
        return f"unreadable: {document.message}", False
    recorded = _recorded(document.value)
    if recorded is None:
        return "it records no rollouts file (an older check wrote it)", False
    located = frozenset(_located(mapped(path), folder) for path in recorded)
    if located != expected:
        return f"it records {_names(recorded)}, not this run's rollouts", False
    if summary.mtime_ns < own.sights["rollouts"].mtime_ns:
        return "it is older than the rollouts", True
    return None, True


def _recorded(value: Any) -> list[str] | None:
    run = value.get("run") if isinstance(value, dict) else None
    recorded = run.get("rollouts") if isinstance(run, dict) else None
    if isinstance(recorded, str):
        return [recorded]
    if isinstance(recorded, list) and recorded and all(isinstance(path, str) for path in recorded):
        return recorded
    return None


def _located(path: str, folder: str) -> str:
    """The path with its directories resolved and its own name kept: a shard that is a link keeps its name."""
    whole = os.path.join(folder, path)
    return os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))


def _names(paths: list[str]) -> str:
    shown = ", ".join(os.path.basename(path) for path in paths[:5])
    return shown if len(paths) <= 5 else f"{shown} and {len(paths) - 5} more"  # noqa: PLR2004  # as many as are shown


class Verdicts(msgspec.Struct):
    """The health check's verdict by (stage, task index, repeat). `unreadable` counts lines that are none."""

    of: dict[tuple[Any, int, int], str] = msgspec.field(default_factory=dict)
    unreadable: int = 0


def read_verdicts(sight: Sight) -> Verdicts | Trouble:
    """The verdicts of one report."""
    data = read_bytes(sight)
    if isinstance(data, Trouble):
        return data
    verdicts = Verdicts()
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            key = (row.get("stage_index"), row["_ng_task_index"], row["_ng_rollout_index"])
            verdicts.of[key] = str(row["verdict"])
        except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            verdicts.unreadable += 1
    return verdicts
