"""Interprets the three documents of a trial. Every field but the rewards may be absent, null or of another type."""

import json
import posixpath
from typing import Any

from runaudit.layouts.harbor.trial import Error, Tokens
from runaudit.layouts.json_fields import at, count, mapping, number, sequence, text

_MESSAGE = 200


def identity(result: dict[str, Any], config: dict[str, Any], lock: dict[str, Any]) -> dict[str, Any]:
    """Who the trial is, as the fields of `trial.Trial` of those names."""
    inner = mapping(result.get("config")) or config
    task = mapping(lock.get("task"))
    source = text(result.get("source")) or text(at(inner, "task", "source")) or text(task.get("source"))
    agent_lock = mapping(lock.get("agent")) or mapping(inner.get("agent"))
    return {
        "stated_name": text(result.get("trial_name")) or text(config.get("trial_name")),
        "id": text(result.get("id")),
        "key": task_key(task or mapping(at(inner, "task")) or {"name": result.get("task_name")}, source),
        "task": text(result.get("task_name")),
        "task_name": text(task.get("name")) or _short_name(inner, result),
        "source": source,
        "digest": text(task.get("digest")),
        "checksum": text(result.get("task_checksum")),
        "agent": text(at(result, "agent_info", "name")) or text(agent_lock.get("name")) or agent_of(agent_lock),
        "agent_key": agent_of(agent_lock),
        "model": text(at(result, "agent_info", "model_info", "name")) or text(agent_lock.get("model_name")),
        "model_key": text(agent_lock.get("model_name")),
        "uri": text(result.get("trial_uri")),
        "started": text(result.get("started_at")),
        "finished": text(result.get("finished_at")),
        "reward_valid": result["reward_valid"] if isinstance(result.get("reward_valid"), bool) else None,
    }


def task_key(task: dict[str, Any], source: str | None) -> tuple[str | None, ...]:
    """What tells one task of a job from another: where it came from, not what it holds.

    The last part of a path is enough inside a dataset, so that a moved dataset keeps its tasks.
    """
    place = text(task.get("path"))
    if source is not None and place is not None:
        place = posixpath.basename(place.rstrip("/"))
    return (source, text(task.get("git_url")), place or text(task.get("name")))


def agent_of(agent: dict[str, Any]) -> str | None:
    """What tells one agent configuration of a job from another; agents of one name can differ in their arguments."""
    name = text(agent.get("import_path")) or text(agent.get("name")) or ("oracle" if not agent else None)
    arguments = mapping(agent.get("kwargs"))
    return f"{name} {json.dumps(arguments, sort_keys=True, default=str)}" if arguments else name


def _short_name(inner: dict[str, Any], result: dict[str, Any]) -> str | None:
    place = text(at(inner, "task", "path")) or text(at(result, "task_id", "path"))
    if place:
        return posixpath.basename(place.rstrip("/")) or None
    organisation, name = text(at(result, "task_id", "org")), text(at(result, "task_id", "name"))
    return f"{organisation}/{name}" if organisation and name else name or text(at(inner, "task", "name"))


def errors_of(result: dict[str, Any]) -> tuple[Error, ...]:
    """The exceptions that a result states: the trial's own first, then those of its steps."""
    own = _error(result.get("exception_info"), None)
    steps = [
        _error(at(step, "exception_info"), text(at(step, "step_name")) or str(number))
        for number, step in enumerate(sequence(result.get("step_results")), 1)
    ]
    return tuple(error for error in (own, *steps) if error is not None)


def _error(info: Any, step: str | None) -> Error | None:
    if info is None:
        return None
    message = text(at(info, "exception_message"))
    valid = at(info, "policy_override", "has_valid_reward")
    if not isinstance(valid, bool):
        valid = at(info, "policy", "has_valid_reward")
    return Error(
        kind=text(at(info, "exception_type")) or "unknown",
        message=message[:_MESSAGE] if message else None,
        step=step,
        counts=valid if isinstance(valid, bool) else None,
    )


def tokens_of(result: dict[str, Any]) -> Tokens:
    """Tokens and cost of the trial: its own, or the sum over its steps."""
    own = result.get("agent_result")
    parts = (
        [own] if isinstance(own, dict) else [at(step, "agent_result") for step in sequence(result.get("step_results"))]
    )
    return total([_tokens(part) for part in parts if isinstance(part, dict)])


def _tokens(part: dict[str, Any]) -> Tokens:
    return Tokens(
        input=count(part.get("n_input_tokens")),
        cached=count(part.get("n_cache_tokens")),
        output=count(part.get("n_output_tokens")),
        cost=number(part.get("cost_usd")),
    )


def total(parts: list[Tokens]) -> Tokens:
    """The sum, in which what is absent everywhere stays absent."""
    return Tokens(
        input=_sum([part.input for part in parts]),
        cached=_sum([part.cached for part in parts]),
        output=_sum([part.output for part in parts]),
        cost=_sum([part.cost for part in parts]),
    )


def _sum(values: list[Any]) -> Any:
    known = [value for value in values if value is not None]
    return number(sum(known)) if known else None
