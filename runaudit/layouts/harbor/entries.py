"""The entries of a job's summary: one for each planned trial, repeats in the order in which they started."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from runaudit.layouts.clock import seconds
from runaudit.layouts.harbor.outcome import verdict_of
from runaudit.layouts.harbor.plan import Match, group_of
from runaudit.layouts.harbor.rewards import equal
from runaudit.layouts.harbor.trial import Trial
from runaudit.model.finding import Finding
from runaudit.model.relative import shown
from runaudit.model.request import Request
from runaudit.model.task import TaskEntry, Usage


def entries_of(found: Match, copies: dict[str, list[Trial]], request: Request) -> list[TaskEntry]:
    """One entry for each trial of the match and for each planned one without; copies of a trial count once."""
    extra = {trial.name for members in copies.values() for trial in members[1:]}
    members = [trial for trial in found.members if trial.name not in extra]
    known = _task_names(members)
    made = [(group_of(trial), _entry(trial, known, copies, request)) for trial in _in_order(members)]
    made += [
        (
            plan.group,
            TaskEntry(
                task_id=known.get(plan.key) or plan.name,
                taskset=request.taskset or plan.source,
                agent=_agents(members).get(plan.agent, plan.agent),
                model=plan.model,
                outcome="missing",
            ),
        )
        for plan in found.absent
    ]
    made += [((), TaskEntry(outcome="missing")) for _ in range(found.nameless)]
    return _numbered(made)


def _in_order(trials: list[Trial]) -> list[Trial]:
    return sorted(trials, key=lambda trial: (trial.started is None, trial.started or "", trial.name))


def _task_names(trials: list[Trial]) -> dict[tuple[str | None, ...], str]:
    """What finished trials call their task: a trial without a result knows only the name of its folder."""
    return {trial.key: trial.task for trial in trials if trial.task is not None and any(trial.key)}


def _agents(trials: list[Trial]) -> dict[str | None, str]:
    return {trial.agent_key: trial.agent for trial in trials if trial.agent is not None and trial.finished_ok}


def _numbered(made: list[tuple[Any, TaskEntry]]) -> list[TaskEntry]:
    """Gives each entry its repeat and sorts them. Groups of one task that differ in arguments number on."""
    counted: Counter[tuple[Any, ...]] = Counter()
    by_place: dict[tuple[str, ...], list[TaskEntry]] = defaultdict(list)
    for _, entry in made:
        named = (entry.taskset, entry.task_id, entry.agent, entry.model)
        repeat = counted[named]
        counted[named] += 1
        where = tuple(part or "" for part in named)
        by_place[where].append(msgspec.structs.replace(entry, repeat=repeat))
    return [entry for where in sorted(by_place) for entry in by_place[where]]


def _entry(
    trial: Trial, known: dict[tuple[str | None, ...], str], copies: dict[str, list[Trial]], request: Request
) -> TaskEntry:
    verdict = verdict_of(trial, messages=request.messages)
    others = copies.get(trial.id or "", [])
    conflicted = any(not equal(other.rewards, trial.rewards) for other in others[1:] if other.rewards or trial.rewards)
    files = trial.files
    return TaskEntry(
        task_id=trial.task or known.get(trial.key) or trial.task_name,
        taskset=request.taskset or trial.source,
        agent=trial.agent,
        model=trial.model,
        trial_name=shown(trial.name),
        trial_id=trial.id,
        outcome="conflicted" if conflicted else verdict.outcome,
        reward=None if conflicted or verdict.reward is None else float(verdict.reward),
        recorded_reward=verdict.recorded,
        failure=verdict.failure,
        verifier_logs=_text(files.logs),
        test_stdout=_text(files.test_stdout),
        reward_file=_text(files.reward_file),
        trajectory=_text(files.trajectory),
        artifacts=_text(files.artifacts),
        input=_input(trial),
        usage=_usage(trial),
        cost_usd=None if trial.tokens.cost is None else float(trial.tokens.cost),
        started_at=trial.started,
        seconds=seconds(trial.started, trial.finished),
        evidence=files.evidence,
    )


def _input(trial: Trial) -> dict[str, Any] | None:
    """The digest of the task as it ran; the checksum, which stray files change, only where no digest was recorded."""
    digests = {"task": trial.digest} if trial.digest else {"checksum": trial.checksum} if trial.checksum else {}
    return {"digest": None, "digests": digests, "metadata": None, "turns": []} if digests else None


def _text(path: str | None) -> str | None:
    return None if path is None else shown(path)


def _usage(trial: Trial) -> Usage | None:
    tokens = trial.tokens
    if tokens.input is None and tokens.output is None and tokens.cached is None:
        return None
    total = tokens.input + tokens.output if tokens.input is not None and tokens.output is not None else None
    return Usage(tokens.input, tokens.output, total, tokens.cached)


def unscored_findings(entries: list[TaskEntry]) -> Iterator[Finding]:
    """Results without a usable reward: by design where no trial has one, or where rewards have several names."""
    unscored = [entry for entry in entries if entry.outcome == "unscored"]
    if unscored and not any(isinstance(entry.recorded_reward, int | float) for entry in entries):
        by_design = all(entry.recorded_reward is msgspec.UNSET for entry in unscored)
        if by_design:
            yield Finding("tasks-unscored", f"no trial has a reward ({len(unscored)} results)", level="note")
            return
    for entry in unscored:
        several = isinstance(entry.recorded_reward, str) and entry.recorded_reward.startswith('{"')
        yield Finding(
            "tasks-unscored",
            "several named rewards, none of which is the reward" if several else "a result without a usable reward",
            path=f"{entry.trial_name}/result.json",
            repeat=entry.repeat,
            task_id=entry.task_id,
            level="note" if several else None,
        )
