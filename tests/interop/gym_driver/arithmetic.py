"""Invented tasks, small enough to read: sums and spellings, with the rows that two agents answer.

The rows have the shape that an environment returns (a Responses API object, a reward, fields of its own); the
collector adds its stamps.
"""

import json
from pathlib import Path
from typing import Any

ADDER = "adder_agent"
SPELLER = "speller_agent"
SUMS = ((1, 2), (3, 4), (5, 6), (7, 8))
WORDS = ("apple", "pear", "plum")


def sum_task(first: int, second: int, **more: object) -> dict[str, Any]:
    """An input row that asks the adder for one sum."""
    return {
        "responses_create_params": {"input": [{"role": "user", "content": f"What is {first} plus {second}?"}]},
        "expected": first + second,
        "agent_ref": {"type": "responses_api_agents", "name": ADDER},
        **more,
    }


def word_task(word: str, **more: object) -> dict[str, Any]:
    """An input row that asks the speller for one word, backwards."""
    return {
        "responses_create_params": {"input": [{"role": "user", "content": f"Spell {word} backwards."}]},
        "expected": word[::-1],
        "agent_ref": {"type": "responses_api_agents", "name": SPELLER},
        **more,
    }


def result(task: dict[str, Any], reward: float | None, **more: object) -> dict[str, Any]:
    """What an environment returns for a task that it measured."""
    said = str(task["expected"]) if reward else "I do not know."
    return {
        "responses_create_params": task["responses_create_params"],
        "response": _response(said),
        "expected": task["expected"],
        "reward": reward,
        **more,
    }


def _response(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": "resp_1",
        "created_at": 1.0,
        "model": "small-model",
        "object": "response",
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 12,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1 + len(text.split()),
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 13 + len(text.split()),
        },
    }


def write_tasks(path: Path, tasks: list[dict[str, Any]]) -> Path:
    """Write the input rows of a run, one per line."""
    path.write_text("".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")
    return path
