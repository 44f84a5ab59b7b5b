"""Reads a trajectory in ATIF, the format in which both producers write them, as strictly as Harbor's own reader.

A version that no Harbor accepts, no steps, or a step without id or source is no trajectory. Whose a trajectory is
follows from its session id, in a way that only a producer's layout knows (`owner_of`).
"""

import re
from collections.abc import Callable
from typing import Any

from runaudit.layouts.clock import parsed
from runaudit.layouts.json_fields import at, count, mapping, number, sequence, text
from runaudit.layouts.trajectory import Amounts, Step, Trajectory
from runaudit.model.trouble import Trouble
from runaudit.read.documents import Document, read_json
from runaudit.read.places import Sight

_VERSION = re.compile(r"ATIF-v1\.[0-8]\Z")
_SOURCES = ("system", "user", "agent")


OwnerOf = Callable[[str | None], str | None]


def nobody(_: str | None) -> str | None:
    """For producers whose session ids say nothing about the owner."""
    return None


def read_trajectory(sight: Sight, path: str, owner_of: OwnerOf = nobody) -> Trajectory | Trouble:
    """The trajectory at `sight`, or why it is none; `path` is its name in findings."""
    document = read_json(sight)
    if not isinstance(document, Document):
        return Trouble(id="trajectory-unreadable", message=document.message)
    return trajectory_of(document.value, path, owner_of)


def trajectory_of(value: Any, path: str, owner_of: OwnerOf = nobody) -> Trajectory | Trouble:
    """The trajectory that a decoded document holds."""
    if (why := _refused(value)) is not None:
        return Trouble(id="trajectory-unreadable", message=why)
    final = mapping(value.get("final_metrics"))
    return Trajectory(
        path=path,
        steps=[_step(step) for step in value["steps"]],
        totals=_amounts(final, "total_"),
        total_steps=count(final.get("total_steps")),
        inner=_has_inner(value),
        belongs_to=owner_of(text(value.get("session_id"))),
    )


def _refused(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "it is no object"
    version = value.get("schema_version", "ATIF-v1.8")
    if not isinstance(version, str) or not _VERSION.match(version):
        return f"its version is {str(version)[:40]}, Harbor accepts ATIF-v1.0 to ATIF-v1.8"
    if not sequence(value.get("steps")):
        return "it has no steps"
    for name in ("name", "version"):
        if text(at(value, "agent", name)) is None:
            return f"its agent has no {name}"
    for position, step in enumerate(value["steps"], 1):
        if count(at(step, "step_id")) is None or at(step, "source") not in _SOURCES:
            return f"step {position} has no id or no source that Harbor knows"
    return _unanswered(value["steps"])


def _unanswered(steps: list[Any]) -> str | None:
    """A result must answer a call of its own step."""
    for position, step in enumerate(steps, 1):
        calls = {text(at(call, "tool_call_id")) for call in sequence(at(step, "tool_calls"))}
        for result in sequence(at(step, "observation", "results")):
            source = at(result, "source_call_id")
            if source is not None and source not in calls:
                return f"step {position} answers a call that it did not make"
    return None


def _step(step: dict[str, Any]) -> Step:
    return Step(
        id=count(step.get("step_id")),
        moment=parsed(text(step.get("timestamp"))),
        by_agent=step.get("source") == "agent",
        amounts=_amounts(mapping(step.get("metrics")), ""),
    )


def _amounts(metrics: dict[str, Any], prefix: str) -> Amounts:
    return Amounts(
        input=number(metrics.get(f"{prefix}prompt_tokens")),
        output=number(metrics.get(f"{prefix}completion_tokens")),
        cached=number(metrics.get(f"{prefix}cached_tokens")),
        cost=number(metrics.get(f"{prefix}cost_usd")),
    )


def _has_inner(value: dict[str, Any]) -> bool:
    """Whether agents inside the agent, or a continued file, may have taken tokens that no step here shows."""
    if value.get("subagent_trajectories") or value.get("continued_trajectory_ref"):
        return True
    results = (result for step in value["steps"] for result in sequence(at(step, "observation", "results")))
    return any(at(result, "subagent_trajectory_ref") for result in results)
