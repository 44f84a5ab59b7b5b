"""The rows of the demo's run, in the shape in which NeMo Gym writes them: six additions, each tried twice.

Nothing here is random or dated, so the demo shows the same every time.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

SERVER, AGENT, MODEL = "adder_environment", "adder_agent", "small-model"
TASKS = ((1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12))
REPEATS = 2


class Attempt(msgspec.Struct, frozen=True):
    """What came out of one task and repeat: `row` is what the run recorded of it, `logged` what its verifier wrote."""

    task: int
    repeat: int
    kind: str
    reward: float = 0.0
    logged: str | None = None

    @property
    def log_name(self) -> str:
        """The name of its log folder."""
        return f"task{self.task}-repeat{self.repeat}"


# The two missing ones are those that an earlier run failed at; the verifier of task 4, repeat 1, wrote another reward.
ATTEMPTS = (
    Attempt(0, 0, "scored", 1.0, "1"),
    Attempt(0, 1, "scored", 1.0, "1"),
    Attempt(1, 0, "scored", 1.0, "1"),
    Attempt(1, 1, "scored", 0.0, "0"),
    Attempt(2, 0, "scored", 0.0, "0"),
    Attempt(2, 1, "masked"),
    Attempt(3, 0, "missing"),
    Attempt(3, 1, "scored", 1.0, "1"),
    Attempt(4, 0, "degraded", 0.0),
    Attempt(4, 1, "scored", 1.0, "0"),
    Attempt(5, 0, "scored", 0.0, "0"),
    Attempt(5, 1, "missing"),
)
# a second run, of the same tasks: two results are the other way round, and nothing is missing
SECOND = tuple(
    msgspec.structs.replace(attempt, kind="scored", reward=1.0 - attempt.reward, logged=None)
    if (attempt.task, attempt.repeat) in ((0, 1), (1, 1)) or attempt.kind == "missing"
    else msgspec.structs.replace(attempt, logged=None)
    for attempt in ATTEMPTS
)
WITH_A_ROW = tuple(attempt for attempt in ATTEMPTS if attempt.kind in ("scored", "degraded", "masked"))


def inputs() -> Iterator[dict[str, Any]]:
    """What the run owed: the materialized inputs."""
    for attempt in ATTEMPTS:
        yield {**task(attempt.task), **_place(attempt)}


def task(number: int) -> dict[str, Any]:
    """One prepared row."""
    one, other = TASKS[number]
    return {
        "responses_create_params": {"input": [{"role": "user", "content": f"What is {one} plus {other}?"}]},
        "expected": one + other,
        "task_source": "additions",
        "agent_ref": {"type": "responses_api_agents", "name": AGENT},
    }


def rollouts(attempts: Iterable[Attempt], logs: str) -> Iterator[dict[str, Any]]:
    """The rows of the results; `logs` is the folder of the log folders."""
    for attempt in attempts:
        row = {**task(attempt.task), "response": _response(attempt), "reward": attempt.reward, **_place(attempt)}
        if attempt.kind == "masked":
            row |= {"mask_sample": True, "failure_kind": "provider_unavailable"}
        elif attempt.kind == "degraded":
            row |= {"failure_kind": "verifier_output_unparsable"}
        if attempt.logged is not None:
            row |= {"verifier_logs_dir": f"{logs}/{attempt.log_name}", "verifier_seconds": 1.5}
        yield row


def earlier_failures() -> Iterator[dict[str, Any]]:
    """What an earlier run left under the name of the failures sidecar; this run wrote none."""
    for attempt in ATTEMPTS:
        if attempt.kind == "missing":
            yield {"_ng_failure_class": "agent_run_error", "_ng_failure_terminal": True, **_place(attempt)}


def verdicts() -> Iterator[dict[str, Any]]:
    """The health check's verdict on every row."""
    for attempt in WITH_A_ROW:
        word = "unhealthy" if attempt.kind == "degraded" else "healthy"
        yield {
            "_ng_task_index": attempt.task,
            "_ng_rollout_index": attempt.repeat,
            "rollout_id": f"{attempt.task}-{attempt.repeat}",
            "verdict": word,
            "findings": [],
            "unobserved": [],
        }


def _place(attempt: Attempt) -> dict[str, Any]:
    return {
        "_ng_task_index": attempt.task,
        "_ng_rollout_index": attempt.repeat,
        "agent_ref": {"type": "responses_api_agents", "name": AGENT},
        "_ng_environment_server": SERVER,
        "_ng_result_type": "legacy_agent",
    }


def _response(attempt: Attempt) -> dict[str, Any]:
    text = str(sum(TASKS[attempt.task])) if attempt.reward else "I do not know."
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    return {"id": "resp_1", "model": MODEL, "object": "response", "output": [message], "usage": _usage(attempt)}


def _usage(attempt: Attempt) -> dict[str, int]:
    said = 2 if attempt.reward else 5
    return {"input_tokens": 12, "output_tokens": said, "total_tokens": 12 + said}
