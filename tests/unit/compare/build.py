"""Builds run summaries for comparisons: a task is a list of rewards, or the word of an outcome that is not scored."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from runaudit.compare.comparison import Comparison, compare
from runaudit.compare.document import RunDocument, decode
from runaudit.compare.policy import DEFAULT, Policy

Result = float | str
Tasks = Mapping[str, Sequence[Result]]


def entry(task: str | None, repeat: int, result: Result, index: int = 0, **fields: Any) -> dict[str, Any]:
    """One entry of `tasks`; a reward of 1 passes."""
    scored = not isinstance(result, str)
    return {
        "task_id": task,
        "taskset": "demo",
        "task_index": index,
        "repeat": repeat,
        "server": "environment",
        "agent": "agent",
        "model": "model",
        "outcome": "scored" if scored else result,
        "reward": result if scored else None,
        "passed": result >= 1 if not isinstance(result, str) else None,
        "input": {"digest": None, "digests": {"task": f"{task}-digest"}, "metadata": None, "turns": []},
        **fields,
    }


def summary(tasks: Tasks | Sequence[Mapping[str, Any]], **fields: Any) -> dict[str, Any]:
    """A run summary of these tasks (or of these ready entries), with further top-level fields."""
    entries: list[Any] = []
    if isinstance(tasks, Mapping):
        for index, (name, results) in enumerate(tasks.items()):
            entries += [entry(name, repeat, result, index) for repeat, result in enumerate(results)]
    else:
        entries = list(tasks)
    return {"kind": "run_summary", "version": 1, "layout": "nemo-gym", "run": {}, "tasks": entries, **fields}


def document(tasks: Tasks | Sequence[Mapping[str, Any]], **fields: Any) -> RunDocument:
    """The same, decoded as it is from a file."""
    return decode(json.dumps(summary(tasks, **fields)).encode(), "test")


def compared(
    before: Tasks | Sequence[Mapping[str, Any]], after: Tasks | Sequence[Mapping[str, Any]], policy: Policy = DEFAULT
) -> Comparison:
    """Both sides compared, with seed 0."""
    return compare(document(before), document(after), policy, Random(0), 0)


def classes(comparison: Comparison) -> dict[str, tuple[str, ...]]:
    """Each task's classes."""
    return {change.key.task: change.classes for change in comparison.changes}


def write(folder: Path, tasks: Tasks | Sequence[Mapping[str, Any]], **fields: Any) -> str:
    """Writes a summary into a folder, as `summarize` names it; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rollouts_run_summary.json").write_text(json.dumps(summary(tasks, **fields)), encoding="utf-8")
    return str(folder)
