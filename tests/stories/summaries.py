"""How stories ask for a summary and read it: through the library, and through the command line in this process."""

import json
from pathlib import Path
from typing import Any

import pytest

import runaudit
from runaudit.cli.exits import guarded
from tests.builders import Run

Document = dict[str, Any]


def summary_of(run: Run | Path, **told: Any) -> Document:
    """What the library builds."""
    return runaudit.build_run_summary(run.rollouts if isinstance(run, Run) else run, **told)


def command(*words: str | Path) -> int:
    """Runs the command line in this process; the exit code."""
    return guarded([str(word) for word in words])


def summarized(run: Run, *options: str | Path) -> Document:
    """What `runaudit summarize` wrote; it must end with 0."""
    assert command("summarize", run.rollouts, *options) == 0
    return stored(run.summary)


def stored(path: Path) -> Document:
    """A document on disk, which must be strict JSON."""

    def refuse(token: str) -> None:
        pytest.fail(f"{path.name} holds {token}")

    document: Document = json.loads(path.read_bytes(), parse_constant=refuse)
    return document


def findings(document: Document, level: str | None = None) -> dict[str, int]:
    """The findings: id to count, of one level or of all."""
    groups = [group for group in document["findings"] if level in (None, group["level"])]
    return {group["id"]: group["count"] for group in groups}


def places(document: Document, finding: str) -> list[Document]:
    """The places of one finding."""
    return [place for group in document["findings"] if group["id"] == finding for place in group["places"]]


def outcomes(document: Document) -> dict[str, str]:
    """Outcome by `task index/repeat`."""
    return {f"{entry['task_index']}/{entry['repeat']}": entry["outcome"] for entry in document["tasks"]}


def rewards(document: Document) -> dict[str, float | None]:
    """Reward by `task index/repeat`."""
    return {f"{entry['task_index']}/{entry['repeat']}": entry["reward"] for entry in document["tasks"]}


def entry(document: Document, task: int = 0, repeat: int = 0) -> Document:
    """The one entry of a task and repeat."""
    found = [e for e in document["tasks"] if (e["task_index"], e["repeat"]) == (task, repeat)]
    assert len(found) == 1
    one: Document = found[0]
    return one


def stale(document: Document) -> set[str]:
    """The paths of the files that an earlier run left."""
    return {file["path"] for file in document["stale_files"]}
