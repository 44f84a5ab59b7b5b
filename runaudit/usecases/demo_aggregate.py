"""The aggregate metrics of the demo's run, with what has no row counted as zero, as NeMo Gym can do."""

from typing import Any

from runaudit.usecases.demo_rows import AGENT, ATTEMPTS, REPEATS, SERVER, TASKS, WITH_A_ROW, Attempt

_COUNTED = tuple(attempt for attempt in ATTEMPTS if attempt.kind in ("scored", "degraded", "missing"))


def aggregate() -> list[dict[str, Any]]:
    """The content of the aggregate metrics: one entry, for the one server of the run."""
    masked = sum(attempt.kind == "masked" for attempt in ATTEMPTS)
    coverage = {"coverage/measured_rollouts": len(WITH_A_ROW) - masked, "coverage/masked_rollouts": masked}
    return [
        {
            "agent_ref": {"name": AGENT},
            "_ng_environment_server": SERVER,
            "agent_metrics": {"mean/reward": _mean(_COUNTED), **coverage},
            "key_metrics": {"mean/reward": _mean(_COUNTED)},
            "group_level_metrics": [_group(task) for task in range(len(TASKS))],
            "repeat_level_metrics": [_repeat(repeat) for repeat in range(REPEATS)],
        }
    ]


def _group(task: int) -> dict[str, Any]:
    own = [attempt for attempt in _COUNTED if attempt.task == task]
    return {
        "_ng_task_index": task,
        "mean/reward": _mean(own),
        "num_rollouts": len(own),
        "rollout_infos": [_info(attempt) for attempt in own],
    }


def _repeat(repeat: int) -> dict[str, Any]:
    own = [attempt for attempt in _COUNTED if attempt.repeat == repeat]
    return {"_ng_rollout_index": repeat, "mean/reward": _mean(own), "num_rollouts": len(own)}


def _info(attempt: Attempt) -> dict[str, Any]:
    info = {
        "rollout_id": f"{attempt.task}:{attempt.repeat}",
        "_ng_task_index": attempt.task,
        "_ng_rollout_index": attempt.repeat,
        "reward": attempt.reward,
    }
    # what is counted without a row carries no tokens
    return info if attempt.kind == "missing" else {**info, "input_tokens": 12, "output_tokens": 2, "total_tokens": 14}


def _mean(attempts: tuple[Attempt, ...] | list[Attempt]) -> float:
    return sum(attempt.reward for attempt in attempts) / len(attempts)
