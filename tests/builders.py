"""Builds small NeMo Gym results folders in the producer's shapes, with every file's time set on purpose.

`Run` writes files; the functions above it make rows. Times count from `START` in seconds; nothing is left to the clock.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# not a whole second: whole seconds are weak evidence
START = 1_790_000_000.25
SERVER = "sums_environment"
AGENT = "solver"
SOURCE = "sums_resources_server"
DIGEST = "3f" * 32

Json = dict[str, Any]
Content = bytes | str | Json | list[Any]

# a trajectory as both producers export it, small and sound
TRAJECTORY = json.dumps(
    {
        "schema_version": "ATIF-v1.7",
        "agent": {"name": "adder", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "Add."},
            {"step_id": 2, "source": "agent", "message": "Added."},
        ],
        "final_metrics": {"total_steps": 2},
    }
)


def question(task: int) -> str:
    """The prompt of a task."""
    return f"What is {task} plus {task}? Answer with the number only."


def request(task: int) -> Json:
    """A task's request with its metadata."""
    return {
        "input": [{"role": "user", "content": question(task)}],
        "metadata": {"agent_timeout_sec": "600"},
        "temperature": 0.5,
    }


def native_input(task: int, repeat: int = 0, **more: Any) -> Json:
    """An input row of a task set: `task_id` and `task_input`."""
    return {
        "task_id": {"taskset": "sums", "task_id": f"sum-{task}"},
        "task_input": {"responses_create_params": request(task), "task_data": {"_ng_digest": DIGEST}},
        "task_source": SOURCE,
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "_ng_environment_server": SERVER,
    } | more


def flat_input(task: int, repeat: int = 0, **more: Any) -> Json:
    """An input row of a plain dataset: the request at its top, the agent resolved."""
    return {
        "responses_create_params": request(task),
        "expected": 2 * task,
        "task_source": SOURCE,
        "agent_ref": {"type": "responses_api_agents", "name": AGENT},
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
    } | more


def _answer() -> Json:
    return {
        "responses_create_params": {},
        "response": {
            "model": "small-model",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": "two", "annotations": []}]}],
            "usage": {"input_tokens": 12, "output_tokens": 3, "total_tokens": 15},
        },
    }


def row(task: int, repeat: int = 0, reward: Any = 1.0, **more: Any) -> Json:
    """A rollouts row of a task set."""
    return (
        _answer()
        | {
            "responses_create_params": request(task),
            "reward": reward,
            "task_source": SOURCE,
            "_ng_task_id": {"taskset": "sums", "task_id": f"sum-{task}"},
            "_ng_task_index": task,
            "_ng_rollout_index": repeat,
            "_ng_environment_server": SERVER,
            "_ng_result_type": "harbor",
        }
        | more
    )


def flat_row(task: int, repeat: int = 0, reward: Any = 1.0, **more: Any) -> Json:
    """A rollouts row of a plain dataset: no task id, the agent named."""
    return (
        _answer()
        | {
            "responses_create_params": request(task),
            "reward": reward,
            "task_source": SOURCE,
            "agent_ref": {"type": "responses_api_agents", "name": AGENT},
            "_ng_task_index": task,
            "_ng_rollout_index": repeat,
        }
        | more
    )


def failure(task: int, repeat: int = 0, **more: Any) -> Json:
    """A row of the failures sidecar."""
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": repeat,
        "_ng_environment_server": SERVER,
        "_ng_task_id": {"taskset": "sums", "task_id": f"sum-{task}"},
        "_ng_failure_class": "environment_server_failed",
        "_ng_failure_stage": "agent",
        "_ng_failure_terminal": False,
        "_ng_failure_message": "the server went away",
        "task_source": SOURCE,
    } | more


def lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as the collector writes them: compact, one line each."""
    return b"".join(json.dumps(item, separators=(",", ":")).encode() + b"\n" for item in rows)


def without(item: Json, *names: str) -> Json:
    """A row less some of its fields."""
    return {key: value for key, value in item.items() if key not in names}


@dataclass(frozen=True)
class Run:
    """One results folder and the stem of the run in it."""

    folder: Path
    stem: str = "rollouts"

    @property
    def rollouts(self) -> Path:
        """The path that the run's command named."""
        return self.folder / f"{self.stem}.jsonl"

    @property
    def summary(self) -> Path:
        """Where the run's summary belongs."""
        return self.folder / f"{self.stem}_run_summary.json"

    def put(self, name: str, content: Content, *, at: float = 0.0) -> Path:
        """Writes a file below the folder, `at` seconds after START; values become JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict | list):
            content = json.dumps(content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self.date(path, at)

    def date(self, path: Path | str, at: float) -> Path:
        """Sets a file's times to `at` seconds after START."""
        whole = self.folder / path
        os.utime(whole, (START + at, START + at))
        return whole

    def inputs(self, *rows: Json, at: float = 0.0) -> Path:
        """The materialized inputs."""
        return self.put(f"{self.stem}_materialized_inputs.jsonl", lines(rows), at=at)

    def results(self, *rows: Json, at: float = 10.0) -> Path:
        """The rollouts."""
        return self.put(f"{self.stem}.jsonl", lines(rows), at=at)

    def failures(self, *rows: Json, at: float = 10.0) -> Path:
        """The failures sidecar."""
        return self.put(f"{self.stem}_failures.jsonl", lines(rows), at=at)

    def aggregate(
        self, *, at: float = 20.0, rewards: tuple[float, ...] = (1.0,), agent: str = SERVER, server: str | None = SERVER
    ) -> Path:
        """Aggregate metrics of one server that hold the rewards of tasks 0, 1, … with one repeat each."""
        groups = [
            {
                "_ng_task_index": task,
                "num_rollouts": 1,
                "expected_num_rollouts": 1,
                "missing_num_rollouts": 0,
                "mean/reward": reward,
                "rollout_infos": [
                    {"rollout_id": f"{task}:0", "_ng_task_index": task, "_ng_rollout_index": 0, "reward": reward}
                ],
            }
            for task, reward in enumerate(rewards)
        ]
        metrics = {"mean/reward": sum(rewards) / len(rewards)}
        entry = {"agent_ref": {"name": agent}, "agent_metrics": metrics}
        if server is not None:
            entry["_ng_environment_server"] = server
        whole = [entry | {"key_metrics": metrics, "group_level_metrics": groups, "repeat_level_metrics": []}]
        return self.put(f"{self.stem}_aggregate_metrics.json", whole, at=at)

    def health(self, *recorded: str, at: float = 30.0, verdicts: bool = True) -> None:
        """The health check's two reports; `recorded` are the rollouts that the quality summary names."""
        told: Json = {"verdicts": {"healthy": 1, "unhealthy": 0, "unobserved": 0}}
        if recorded:
            told["rollouts"] = list(recorded)
        self.put("quality_summary.json", {"run": told, "tasks": {}}, at=at)
        if verdicts:
            verdict = {"_ng_task_index": 0, "_ng_rollout_index": 0, "verdict": "healthy", "findings": []}
            self.put("rollout_verdicts.jsonl", lines([verdict]), at=at)

    def logs(self, name: str, files: Mapping[str, Content], *, at: float = 9.0) -> str:
        """A verifier log folder below `verifier/`, and the absolute path that a row names it by."""
        folder = self.folder / "verifier" / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            self.put(f"verifier/{name}/{file}", content, at=at)
        return os.path.realpath(folder)

    def scored(self, *rewards: float) -> None:
        """A whole clean run: inputs, rollouts and empty failures, one task for each reward."""
        self.inputs(*(native_input(task) for task in range(len(rewards))))
        self.results(*(row(task, reward=reward) for task, reward in enumerate(rewards)))
        self.failures()
