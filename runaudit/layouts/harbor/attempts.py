"""Attempts: how many trials of each task and agent the configuration asks for, against the lock's plan or the folders.

One agent that the configuration lists twice is planned twice. What the lock calls otherwise than the configuration does
cannot be counted, and is left to the rules that compare settings.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from runaudit.layouts.harbor.job import Job, planned_groups
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.harbor.trial_document import agent_of
from runaudit.layouts.json_fields import at, mapping, sequence, text
from runaudit.model.finding import Finding


def attempts_findings(job: Job, trials: Sequence[Trial]) -> Iterator[Finding]:
    """Groups of one task and agent with another number of trials than the configuration asks for.

    Folders stand in for the plan where neither the lock nor the job's result was kept. Too few of them are weaker
    evidence than a plan: a trial may not have been handed in.
    """
    wanted = job.attempts
    if wanted is None or job.config.value.get("source_jobs"):
        return
    listed = configured_agents(job)
    if job.planned:
        names = {plan.group: plan.name for plan in job.planned}
        yield from _differing(job, planned_groups(job), names, listed, f"{job.lock.path} plans", error=True)
    elif not job.result.present:
        held = Counter((trial.key, trial.agent_key, trial.model_key) for trial in trials if any(trial.key))
        called = {(trial.key, trial.agent_key, trial.model_key): trial.task or trial.task_name for trial in trials}
        yield from _differing(job, held, called, listed, "the folder holds", error=False)


def configured_agents(job: Job) -> Counter[tuple[str | None, str | None]]:
    """The agents that the configuration lists, by name with arguments and model; the oracle where it lists none."""
    agents = [mapping(agent) for agent in sequence(job.config.value.get("agents"))] or [{}]
    return Counter((agent_of(agent), text(agent.get("model_name"))) for agent in agents)


def agents_findings(job: Job) -> Iterator[Finding]:
    """Agents and models that the lock plans and the configuration does not list, and the other way round."""
    if not (job.config.usable and job.planned) or job.config.value.get("source_jobs"):
        return
    listed = {_named(agent) for agent in sequence(job.config.value.get("agents")) or [{}]}
    planned = {_named(at(entry, "agent")) for entry in sequence(job.lock.value.get("trials"))}
    if listed != planned:
        one, two = ", ".join(sorted(listed)), ", ".join(sorted(planned))
        yield Finding(
            "settings-differ",
            f"agents: {job.config.path} lists {one}, {job.lock.path} plans {two}",
            path=job.config.path,
            expected=two,
            found=one,
        )


def _named(agent: Any) -> str:
    """An agent and its model. Arguments are left out: what a document masks of them differs."""
    stated = mapping(agent)
    name = text(stated.get("import_path")) or text(stated.get("name")) or "oracle"
    model = text(stated.get("model_name"))
    return f"{name} with {model}" if model else name


def _differing(
    job: Job,
    groups: Counter[tuple[Any, ...]],
    names: dict[tuple[Any, ...], str | None],
    listed: Counter[tuple[str | None, str | None]],
    who: str,
    *,
    error: bool,
) -> Iterator[Finding]:
    for group, number in groups.items():
        expected = (job.attempts or 0) * listed[group[1], group[2]]
        if expected and number != expected:
            yield Finding(
                "counts-differ",
                f"{names[group]}, {group[1]}: {who} {number}, the configuration asks for {expected}",
                path=job.config.path,
                task_id=names[group],
                expected=str(expected),
                found=str(number),
                level=None if error else "warning",
            )
