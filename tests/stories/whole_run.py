"""A run that has one of every kind of file, signed and summarized; and ways to audit a copy of it."""

import io
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.builders import TRAJECTORY, Run, failure, lines, native_input, row
from tests.stories.summaries import Document, command

TASKS = 4
FAILED = 3
LOGS = "verifier/task{}"
RUN_CONFIG = "sums_environment:\n  datasets:\n    - {name: sums}\n  dataset_digest: abc\n"


def write_run(folder: Path) -> Run:
    """Files of a merged run with four tasks: three scored, each with a log folder, and one that failed."""
    run = Run(folder)
    run.put("rollouts_failures.jsonl", "", at=-100)
    run.put("quality_summary.json", {"run": {"verdicts": {}}}, at=-100)
    assert command("signatures", run.rollouts) == 0
    run.inputs(*(native_input(task) for task in range(TASKS)))
    results = [row(task, reward=task / 2, verifier_logs_dir=_logs(run, task)) for task in range(FAILED)]
    run.results(*results)
    run.failures(failure(FAILED))
    for number in range(2):
        shard = Run(folder, f"shard{number}")
        shard.results(*results[number::2])
    run.put("rollouts_sources.json", ["shard0.jsonl", "shard1.jsonl"], at=10)
    run.aggregate(rewards=(0.0, 0.5, 1.0))
    run.health("shard0.jsonl", "shard1.jsonl")
    _prepared(run)
    assert command("summarize", run.rollouts) == 0
    return run


def write_run_with_a_stale_file(folder: Path) -> Run:
    """A run whose failures were left by an earlier one."""
    run = Run(folder)
    run.put("rollouts_failures.jsonl", lines([failure(0)]), at=-100)
    assert command("signatures", run.rollouts) == 0
    run.inputs(native_input(0))
    run.results(row(0))
    assert command("summarize", run.rollouts) == 0
    return run


def _logs(run: Run, task: int) -> str:
    folder = LOGS.format(task)
    rewards: Mapping[str, Any] = {"reward.txt": f"{task / 2}\n"} if task == 1 else {"reward.json": {"reward": task / 2}}
    files = {
        "test-stdout.txt": f"task {task}: done\n",
        "trajectory.json": TRAJECTORY.replace("Added.", f"Added {task}."),
        **rewards,
    }
    more = {"artifacts/out.txt": f"made by {task}\n", "verifier.log": f"log of {task}\n", "judge.log": "none\n"}
    for name, content in {**files, **more}.items():
        run.put(f"{folder}/{name}", content, at=9)
    return os.path.realpath(run.folder / folder)


def _prepared(run: Run) -> None:
    rows = lines({"_ng_task_id": {"task_id": f"sum-{task}"}} for task in range(TASKS))
    run.put("tasks.jsonl", rows, at=-5)
    run.put("tasks_prepare.jsonl", rows, at=-4)
    run.put("tasks_metrics.json", {"name": "sums", "jsonl_fpath": "tasks.jsonl"}, at=-4)
    run.put("rollouts/preprocessed_datasets/validation.jsonl", rows, at=-3)
    run.put("run_config.yaml", RUN_CONFIG, at=-2)


@dataclass(frozen=True)
class Audit:
    """What `runaudit verify` printed and its exit code."""

    code: int
    report: Document
    complaint: str

    def ids(self, level: str | None = None) -> dict[str, int]:
        """Finding id to count, of one level or of all."""
        groups = self.report.get("findings", [])
        return {group["id"]: group["count"] for group in groups if level in (None, group["level"])}

    def places(self, finding: str) -> list[Document]:
        """The places of one finding, of whatever level."""
        return [place for group in self.report["findings"] if group["id"] == finding for place in group["places"]]

    def unmade(self) -> dict[str, str]:
        """Checks that were not made, with their reasons."""
        return {check["name"]: check["reason"] for check in self.report["checks"] if not check["made"]}


def audit(*words: str | Path) -> Audit:
    """Runs `runaudit verify --format json` in this process; no traceback, and a report unless it ends with 2 or 3."""
    raw = io.BytesIO()
    out, err = io.TextIOWrapper(raw, encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = command("verify", "--format", "json", *words)
    out.flush()
    text = raw.getvalue().decode()
    complaint = err.getvalue()
    assert "internal error" not in complaint, complaint
    report: Document = json.loads(text) if text else {}
    if report:
        assert report["exit_code"] == code
    else:
        assert code in (2, 3), (code, complaint)
    return Audit(code, report, complaint)


def copied(run: Run, place: Path) -> Run:
    """The run's folder, copied with its times."""
    shutil.copytree(run.folder, place, symlinks=True)
    # pytest closes its folders to others, and the copy has the mode of the original
    place.chmod(0o755)
    return Run(place, run.stem)
