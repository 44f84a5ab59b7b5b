"""The command line as the interop tests use it: a process of its own, judged by its exit code."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.interop.environments import ROOT


def runaudit(*arguments: str) -> None:
    """Run the command line; AssertionError with what it said unless it exits 0."""
    answer = subprocess.run(
        [sys.executable, "-m", "runaudit", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def summarized(rollouts: Path, *options: str) -> dict[str, Any]:
    """The summary document of a rollouts file, written beside it by the command line."""
    runaudit("summarize", str(rollouts), *options)
    document = rollouts.with_name(f"{rollouts.stem}_run_summary.json")
    summary: dict[str, Any] = json.loads(document.read_bytes())
    return summary


def ids(summary: dict[str, Any], level: str) -> list[str]:
    """The ids of a summary's findings of one level."""
    return [finding["id"] for finding in summary["findings"] if finding["level"] == level]
