"""Builds small Harbor job folders by hand, sound by default, so that a test states only what it changes."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any, Self

JSON = dict[str, Any]
JOB_ID = "11111111-2222-4333-8444-555555555555"


def digest_of(task: str) -> str:
    """A digest for a task that needs no files."""
    return "sha256:" + hashlib.sha256(task.encode()).hexdigest()


class HarborJob:
    """A job folder in the making. Trials start a second apart, in the order in which they are added."""

    def __init__(self, folder: Path, *, version: str | None = "0.25.0") -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self.version = version
        self.results: list[JSON] = []
        self.locks: list[JSON] = []

    def trial(
        self,
        task: str,
        tail: str,
        rewards: JSON | None,
        *,
        error: str | None = None,
        agent: str = "oracle",
        digest: str | None = None,
        files: dict[str, str] | None = None,
        **more: Any,
    ) -> Path:
        """Adds a finished trial. Its reward file says what the result says, unless `files` are given."""
        name = f"{task}__{tail}"
        folder = self.folder / name
        second = len(self.results)
        result = self._result(task, name, rewards, error, agent, second) | more
        lock = self._lock(task, agent, digest or digest_of(task))
        if files is None:
            files = {} if rewards is None else {"verifier/reward.json": json.dumps(rewards)}
        for path, text in {"verifier/test-stdout.txt": "tested\n", **files}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        write(folder / "result.json", result)
        write(folder / "config.json", {"trial_name": name, "task": result["config"]["task"], "job_id": JOB_ID})
        write(folder / "lock.json", lock)
        self.results.append(result)
        self.locks.append(lock)
        return folder

    def _result(self, task: str, name: str, rewards: JSON | None, error: str | None, agent: str, second: int) -> JSON:
        times = {
            "started_at": f"2026-03-04T05:06:{second:02}.000000Z",
            "finished_at": f"2026-03-04T05:06:{second:02}.9Z",
        }
        return {
            "id": f"00000000-0000-4000-8000-{second:012}",
            "task_name": task,
            "trial_name": name,
            "trial_uri": f"file:///evals/jobs/own/{name}",
            "task_id": {"path": f"tasks/own-set/{task}"},
            "source": "own-set",
            "task_checksum": hashlib.sha256(task.encode()).hexdigest(),
            "config": {"task": {"path": f"tasks/own-set/{task}", "source": "own-set"}, "agent": {"name": agent}},
            "agent_info": {"name": agent, "version": "1.0.0", "model_info": None},
            "agent_result": {"n_input_tokens": None, "n_cache_tokens": None, "n_output_tokens": None, "cost_usd": None},
            "verifier_result": None if rewards is None else {"rewards": rewards},
            "exception_info": None if error is None else {"exception_type": error, "exception_message": "it failed"},
            **times,
            "verifier": times,
            "step_results": None,
        }

    def _lock(self, task: str, agent: str, digest: str) -> JSON:
        where = {"name": task, "type": "local", "digest": digest, "source": "own-set", "path": f"tasks/own-set/{task}"}
        return {
            "schema_version": 2,
            "task": where,
            "agent": {"name": agent, "kwargs": {}},
            "verifier": {"disable": False},
        }

    def finish(self, evals: JSON, *, config: JSON | None = None, **more: Any) -> Self:
        """Writes the job's documents. `evals` are the statistics of its groups, `more` fields of its result."""
        write(
            self.folder / "config.json",
            {"job_name": "own", "n_attempts": 1, "datasets": [{"path": "tasks/own-set"}]} | (config or {}),
        )
        if self.version is not None:
            lock = {"schema_version": 3, "harbor": {"version": self.version}, "trials": self.locks}
            write(self.folder / "lock.json", lock)
        failed = sum(result["exception_info"] is not None for result in self.results)
        stats = {"n_completed_trials": len(self.results), "n_errored_trials": failed, "n_retries": 0, "evals": evals}
        result = {
            "id": JOB_ID,
            "started_at": "2026-03-04T07:06:00",
            "finished_at": "2026-03-04T07:07:00",
            "n_total_trials": len(self.results),
            "stats": stats,
        }
        write(self.folder / "result.json", result | more)
        (self.folder / "job.log").write_text("a job of our own\n")
        return self

    def group(self, mean: float | None, *, pass_at_k: JSON | None = None, agent: str = "oracle") -> JSON:
        """The statistics of one agent's trials, as Harbor writes them up to 0.25."""
        mine = [result for result in self.results if result["agent_info"]["name"] == agent]
        rewards: dict[str, dict[str, list[str]]] = {}
        errors: dict[str, list[str]] = {}
        for result in mine:
            for key, value in ((result["verifier_result"] or {}).get("rewards") or {}).items():
                rewards.setdefault(key, {}).setdefault(str(value), []).append(result["trial_name"])
            if result["exception_info"] is not None:
                errors.setdefault(result["exception_info"]["exception_type"], []).append(result["trial_name"])
        return {
            f"{agent}__own-set": {
                "n_trials": sum(result["verifier_result"] is not None for result in mine),
                "n_errors": sum(result["exception_info"] is not None for result in mine),
                "metrics": [] if mean is None else [{"mean": mean}],
                "pass_at_k": pass_at_k or {},
                "reward_stats": rewards,
                "exception_stats": errors,
            }
        }

    def sound(self) -> Self:
        """Two tasks, one passed and one failed, nothing wrong."""
        self.trial("greet", "AAAAAAA", {"reward": 1})
        self.trial("sum", "BBBBBBB", {"reward": 0})
        return self.finish(self.group(0.5))


def write(path: Path, document: JSON) -> None:
    """Writes one JSON document, and the folder that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1))


def edit(path: Path, **fields: Any) -> None:
    """Changes top-level fields of a JSON document."""
    write(path, json.loads(path.read_text()) | fields)
