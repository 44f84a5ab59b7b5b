"""Documents to show: a run of 300 tasks with everything in it, and small ones."""

from typing import Any

import msgspec

from runaudit.model.stored import StoredSummary

SERVERS = ("math_environment", "swe_environment")
OUTCOMES = {"scored": 251, "masked": 18, "unscored": 4, "failed": 19, "missing": 7, "conflicted": 1}
KINDS = (("timeout_exceeded", "agent_timeout"), ("environment_server_failed", None), ("agent_run_error", None))


def task(number: int, outcome: str, **more: Any) -> dict[str, Any]:
    entry = {
        "task_id": f"django__django-{11000 + number}",
        "taskset": "swe-verified",
        "task_index": number,
        "repeat": 0,
        "server": SERVERS[number % 2],
        "agent": "coder_agent",
        "model": "qwen3-coder-480b",
        "outcome": outcome,
        "reward": None,
        "passed": None,
        "degraded": None,
        "failure": None,
        "verifier_logs": None,
        "test_stdout": None,
        "reward_file": None,
        "trajectory": None,
        "artifacts": None,
        "input": None,
        "usage": None,
        "cost_usd": None,
        "started_at": None,
        "seconds": None,
        "health": None,
        "evidence": None,
    }
    return {**entry, **more}


def failure(name: str | None, kind: str | None, attempts: int = 0, *, terminal: bool | None = None) -> dict[str, Any]:
    return {
        "class": name,
        "kind": kind,
        "stage": None,
        "attempts": attempts,
        "terminal": terminal,
        "message": None,
    }


def _tasks() -> list[dict[str, Any]]:
    outcomes = [outcome for outcome, count in OUTCOMES.items() for _ in range(count)]
    tasks = []
    for number, outcome in enumerate(outcomes):
        more: dict[str, Any] = {}
        if outcome == "scored":
            more = {"reward": float(number % 5 < 3), "passed": number % 5 < 3, "health": "healthy"}
            more["degraded"] = "verifier_output_unparsable" if number % 50 == 4 else None
            more["verifier_logs"] = f"artifacts/{'math' if number % 2 == 0 else 'swe'}/verifier/run-{number:04}"
        elif outcome == "masked":
            more = {"failure": failure(None, ("provider_unavailable", "sandbox_lost")[number % 3 == 0])}
        elif outcome == "failed":
            name, kind = KINDS[(number % 7) // 3]
            more = {"failure": failure(name, kind, 1 + number % 3, terminal=number % 2 == 0)}
        tasks.append(task(number, outcome, **more))
    return tasks


def _group(name: str, level: str, title: str, count: int, *places: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "level": level, "title": title, "count": count, "places": list(places)}


def _about(number: int, message: str, **more: Any) -> dict[str, Any]:
    return {
        "task_index": number,
        "repeat": 0,
        "task_id": f"django__django-{11000 + number}",
        "message": message,
        **more,
    }


def _findings() -> list[dict[str, Any]]:
    lines = {"path": "results/swe_verified.jsonl", "line": 300, "offset": 81234567}
    mismatch = {"expected": "0.0", "found": "1.0", "path": "artifacts/swe/verifier/run-0101/reward.txt"}
    return [
        _group(
            "conflicting-rows",
            "error",
            "one key, different rewards",
            1,
            _about(299, "line 299 says reward 1.0; line 300 says reward 0.0", **lines),
        ),
        _group(
            "reward-mismatch",
            "error",
            "the reward file and the result disagree",
            1,
            _about(101, "the row says 1.0, the file says 0.0", **mismatch),
        ),
        _group(
            "stale-file", "warning", "left by an earlier run", 1, {"path": "swe_sources.json", "message": "unchanged"}
        ),
        _group(
            "tasks-failed",
            "warning",
            "tasks with failed attempts only",
            19,
            *(_about(273 + number, "timeout_exceeded, 2 attempts") for number in range(19)),
        ),
        _group(
            "missing-log-folder",
            "warning",
            "log folders that are not there",
            57,
            *(_about(number, f"/scratch/job-8812/artifacts/run-{number:04} is not on disk") for number in range(20)),
        ),
        _group("tasks-degraded", "note", "scored, with a failure kind", 5, _about(4, "verifier_output_unparsable")),
    ]


def _means() -> list[dict[str, Any]]:
    counted = {"scored": 126, "masked": 9, "unscored": 2, "n": 126}
    first = {"server": SERVERS[0], "agent": "coder_agent", "rows": 137, "imputed": 10, "mean": 76 / 126, **counted}
    second = {"server": SERVERS[1], "agent": "coder_agent", "rows": 137, "imputed": 0, "mean": 0.6, **counted}
    why = "In the aggregate 10 keys without a row are counted (timeout_exceeded: 10)."
    return [
        {**first, "aggregate_mean": 76 / 136, "aggregate_n": 136, "explanation": why},
        {**second, "aggregate_mean": 0.6, "aggregate_n": 126, "explanation": "Nothing sets them apart."},
    ]


def large() -> dict[str, Any]:
    """A document of 300 tasks."""
    passed = sum(number % 5 < 3 for number in range(OUTCOMES["scored"]))
    value = passed / OUTCOMES["scored"]
    mean = {"value": value, "n": 251, "coverage": 251 / 300}
    return {
        "kind": "run_summary",
        "version": 1,
        "layout": "nemo-gym",
        "producer": {"name": "nemo-gym", "version": None, "basis": "rows name their environment server: 0.7 or later"},
        "options": {
            "split": "validation",
            "digest": "xxh3",
            "pass_at": None,
            "messages": True,
            "max_row": 1 << 28,
            "resumed": None,
            "signatures": None,
            "redacted": 0,
            "told": [],
        },
        "run": {
            "target": "swe-nightly",
            "taskset": "swe-verified",
            "agents": ["coder_agent"],
            "models": ["qwen3-coder-480b"],
            "split": "validation",
            "dataset": None,
            "task_source": None,
            "rows_task_source": None,
            "harness_version": None,
            "timeouts": None,
            "overrides": None,
            "request": None,
            "resumed": None,
            "selected_from": "materialized_inputs",
        },
        "counts": {
            "selected": 300,
            **OUTCOMES,
            "passed": passed,
            "degraded": 5,
            "unvalidated": 0,
            "skipped": 3,
            "rows_unplaced": 2,
            "mean_reward": mean,
            "mean_reward_over_tasks": mean,
        },
        "means": _means(),
        "files": {
            "rollouts": "swe_verified.jsonl",
            "failures": "swe_verified_failures.jsonl",
            "materialized_inputs": "swe_verified_materialized_inputs.jsonl",
            "aggregate_metrics": "swe_verified_aggregate_metrics.json",
            "sources": None,
            "quality_summary": None,
            "rows": "../../../datasets/software-engineering/swe-verified/2026-01/prepared/tasks-for-coder_agent.jsonl",
            "shards": [],
        },
        "skipped": {"astropy-1": "image not found", "astropy-2": "image not found", "sympy-9": "no tests"},
        "unvalidated": {},
        "stale_files": [{"path": "swe_sources.json", "size": 812, "digest": "xxh3:" + "0" * 32}],
        "set_aside": [],
        "missing_paths": [
            {
                "path": f"/scratch/job-8812/artifacts/run-{number:04}",
                "field": "verifier_logs",
                "task_index": number,
                "repeat": 0,
            }
            for number in range(57)
        ],
        "checks": [
            {
                "name": "content of swe_verified_failures.jsonl",
                "made": False,
                "reason": "may not be read",
                "belongs": True,
            }
        ],
        "findings": _findings(),
        "evidence": {},
        "tasks": _tasks(),
    }


def stored(**changes: Any) -> StoredSummary:
    """The large document as it is read back, with some of its parts changed."""
    return msgspec.convert({**large(), **changes}, StoredSummary)
