"""The ledger: one line for each attempt that ended and for each state of the job that somebody looked at.

It is the only record kept from an earlier state, and so the only thing that can state as fact that an attempt vanished
or that a result was edited. It is appended to, never rewritten; that it, too, can be deleted is said in the docs.
"""

from typing import Any

import msgspec
import orjson

from runaudit.layouts.harbor.rewards import Rewards, as_rewards
from runaudit.layouts.harbor.trial import Tokens
from runaudit.layouts.json_fields import Number, count, mapping, number, sequence, text

KIND = "runaudit_ledger"
VERSION = 1
STATES = ("start", "end", "summary")
ATTEMPT = "attempt"


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt as it was seen. `result` and `reward_files` are digests; absent where the files were not final."""

    name: str
    id: str | None = None
    task: str | None = None
    rewards: Rewards | None = None
    exception: str | None = None
    started: str | None = None
    tokens: Tokens = Tokens()
    result: str | None = None
    reward_files: dict[str, str] = {}
    line: int = 0

    @property
    def key(self) -> str:
        """What tells attempts apart: the id, which is new with every attempt, else the name."""
        return self.id or f"name {self.name}"


class Entry(msgspec.Struct, frozen=True):
    """One line of the ledger."""

    event: str
    line: int
    attempts: tuple[Attempt, ...]


class Ledger(msgspec.Struct, frozen=True):
    """The lines that could be read, in order, and the numbers of those that could not."""

    entries: tuple[Entry, ...] = ()
    damaged: tuple[int, ...] = ()
    newer: bool = False

    @property
    def last_state(self) -> Entry | None:
        """The last state that was recorded."""
        return next((entry for entry in reversed(self.entries) if entry.event in STATES), None)


def parse_ledger(data: bytes) -> Ledger:
    """The ledger in the bytes of its file."""
    entries, damaged, newer = [], [], False
    for line_number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        value = _decoded(line)
        if value.get("kind") != KIND:
            damaged.append(line_number)
        elif (count(value.get("version")) or 0) > VERSION:
            newer = True
        elif (entry := _entry(value, line_number)) is None:
            damaged.append(line_number)
        else:
            entries.append(entry)
    return Ledger(tuple(entries), tuple(damaged), newer)


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        return mapping(orjson.loads(line))
    except orjson.JSONDecodeError:
        return {}


def _entry(value: dict[str, Any], line: int) -> Entry | None:
    event = text(value.get("event"))
    if event != ATTEMPT and event not in STATES:
        return None
    trials = [value.get("trial")] if event == ATTEMPT else sequence(value.get("trials"))
    attempts = tuple(_attempt(trial, line) for trial in trials if text(mapping(trial).get("trial_name")))
    return Entry(event, line, attempts)


def _attempt(trial: Any, line: int) -> Attempt:
    stated: dict[str, Any] = trial
    digests = mapping(stated.get("reward_files")).items()
    return Attempt(
        name=text(stated.get("trial_name")) or "",
        id=text(stated.get("trial_id")),
        task=text(stated.get("task_name")),
        rewards=as_rewards(stated.get("rewards")),
        exception=text(stated.get("exception")),
        started=text(stated.get("started_at")),
        tokens=Tokens(
            input=count(stated.get("n_input_tokens")),
            cached=count(stated.get("n_cache_tokens")),
            output=count(stated.get("n_output_tokens")),
            cost=number(stated.get("cost_usd")),
        ),
        result=text(stated.get("result")),
        reward_files={path: digest for path, digest in digests if isinstance(digest, str)},
        line=line,
    )


def line_of(event: str, attempts: list[Attempt], job_id: str | None) -> bytes:
    """One line for the ledger, with its line end. The inverse of what `parse_ledger` reads."""
    trials = [_stated(attempt) for attempt in attempts]
    body: dict[str, Any] = {"kind": KIND, "version": VERSION, "event": event, "job_id": job_id}
    body |= {"trial": trials[0]} if event == ATTEMPT else {"trials": trials}
    return orjson.dumps(body) + b"\n"


def _stated(attempt: Attempt) -> dict[str, Any]:
    fields: dict[str, str | Number | Rewards | dict[str, str] | None] = {
        "trial_name": attempt.name,
        "trial_id": attempt.id,
        "task_name": attempt.task,
        "rewards": attempt.rewards,
        "exception": attempt.exception,
        "started_at": attempt.started,
        "n_input_tokens": attempt.tokens.input,
        "n_cache_tokens": attempt.tokens.cached,
        "n_output_tokens": attempt.tokens.output,
        "cost_usd": attempt.tokens.cost,
        "result": attempt.result,
        "reward_files": attempt.reward_files or None,
    }
    return {name: value for name, value in fields.items() if value is not None}
