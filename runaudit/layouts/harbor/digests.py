"""One task, one digest: within the job, and against what the job's lock promised.

The digest covers the files that make a task. The checksum in a result covers the whole folder, stray files included:
it is weaker evidence and is used only where no digest was recorded.
"""

from collections import Counter
from collections.abc import Iterator

from runaudit.layouts.harbor.job import Job, Planned
from runaudit.layouts.harbor.trial import Trial
from runaudit.model.check import Check
from runaudit.model.finding import Finding

CHECK = "one digest for each task"
_BRIEF = 19


def digest_findings(job: Job, trials: list[Trial]) -> Iterator[Finding | Check]:
    """Tasks whose trials do not all have one digest, and digests that the job's lock does not know."""
    by_task: dict[tuple[str | None, ...], list[Trial]] = {}
    for trial in trials:
        if any(trial.key):
            by_task.setdefault(trial.key, []).append(trial)
    known = [trial for trial in trials if trial.digest is not None]
    mixed: set[tuple[str | None, ...]] = set()
    for key, members in by_task.items():
        digests = Counter(trial.digest for trial in members if trial.digest is not None)
        if len(digests) > 1:
            mixed.add(key)
            yield from _mixed(members, digests)
        elif not digests:
            yield from _checksums(members)
    yield from _against_lock(job, [trial for trial in known if trial.key not in mixed])
    yield from _multiset(job, {key: members for key, members in by_task.items() if key not in mixed})
    if known:
        yield Check(CHECK, made=True, count=len(known))
    else:
        yield Check(CHECK, made=False, reason="no trial has a lock.json with its task's digest")


def _mixed(members: list[Trial], digests: Counter[str]) -> Iterator[Finding]:
    """The rarest digest is named at each trial that has it, against the most frequent one."""
    latest = max(members, key=lambda trial: trial.started or "")
    usual = max(digests, key=lambda digest: (digests[digest], digest != latest.digest))
    example = next(trial for trial in members if trial.digest == usual)
    for trial in members:
        if trial.digest is not None and trial.digest != usual:
            yield Finding(
                "mixed-task-digest",
                f"{trial.name} ran {trial.task or trial.task_name} as {_brief(trial.digest)}, "
                f"{example.name} ran it as {_brief(usual)}",
                path=trial.lock.path,
                task_id=trial.task or trial.task_name,
                expected=usual,
                found=trial.digest,
            )


def _checksums(members: list[Trial]) -> Iterator[Finding]:
    checksums = {trial.checksum for trial in members if trial.checksum is not None}
    if len(checksums) > 1:
        first, other = sorted(checksums)[:2]
        yield Finding(
            "task-checksum-differs",
            f"trials of {members[0].task} state {len(checksums)} checksums; one stray file is enough for that",
            path=members[0].label,
            task_id=members[0].task,
            expected=first,
            found=other,
        )


def _against_lock(job: Job, trials: list[Trial]) -> Iterator[Finding]:
    if not job.lock.usable or not job.planned:
        return
    promised: dict[tuple[str | None, ...], set[str]] = {}
    for plan in job.planned:
        if plan.digest is not None:
            promised.setdefault(plan.key, set()).add(plan.digest)
    for trial in trials:
        digests = promised.get(trial.key)
        if digests and trial.digest is not None and trial.digest not in digests:
            yield Finding(
                "lock-differs",
                f"the job's lock promises {_brief(min(digests))} for {trial.task or trial.task_name}, "
                f"{trial.name} ran {_brief(trial.digest)}",
                path=trial.lock.path,
                task_id=trial.task or trial.task_name,
                expected=min(digests),
                found=trial.digest,
            )


def _multiset(job: Job, by_task: dict[tuple[str | None, ...], list[Trial]]) -> Iterator[Finding]:
    """Tasks for which the lock plans a digest more often than trials ran it, though every planned trial is there."""
    promised: dict[tuple[str | None, ...], list[Planned]] = {}
    for plan in job.planned:
        promised.setdefault(plan.key, []).append(plan)
    for key, plans in promised.items():
        wanted = Counter(plan.digest for plan in plans if plan.digest is not None)
        ran = Counter(trial.digest for trial in by_task.get(key, ()) if trial.digest is not None)
        if sum(wanted.values()) != sum(ran.values()) or len(wanted) < 2:  # noqa: PLR2004  # one has nothing to differ from
            continue
        for digest in sorted((wanted - ran).keys()):
            yield Finding(
                "lock-differs",
                f"the job's lock plans {plans[0].name} as {_brief(digest)} for {wanted[digest]} trials, "
                f"{ran[digest]} ran it; {', '.join(_brief(other) for other in sorted(ran))} ran",
                path=job.lock.path,
                task_id=plans[0].name,
                expected=digest,
                found=", ".join(sorted(ran)),
            )


def _brief(digest: str | None) -> str:
    return (digest or "no digest")[:_BRIEF]
