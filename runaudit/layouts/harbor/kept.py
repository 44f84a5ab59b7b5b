"""What a job folder does not hold, said once: leaderboards keep results only, and third parties write other shapes."""

from collections.abc import Iterator

from runaudit.layouts.clock import instant
from runaudit.layouts.harbor.job import Job
from runaudit.layouts.harbor.trial import Trial, Verification
from runaudit.layouts.harbor.versions import Writer
from runaudit.layouts.json_fields import at
from runaudit.model.check import Check
from runaudit.model.finding import Finding

CHAIN = "rewards against what verifiers wrote"
_TRIALS_LOCKED_FROM = (0, 18, 0)
_REQUIRED = ("trial_uri", "task_id", "task_checksum", "config", "agent_info")
_SLACK_NS = 2_000_000_000
_DAY_NS = 86_400_000_000_000


def kept_findings(job: Job, trials: list[Trial], writer: Writer) -> Iterator[Finding | Check]:
    """What could not be checked because it was not kept; reward files that lack or are too old."""
    done = [trial for trial in trials if trial.finished_ok]
    with_files = [trial for trial in done if any(one.files.present for one in _runs(trial))]
    absent = _absent(job, trials, writer)
    if done and not with_files:
        absent.append("verifier folders (rewards as the verifiers wrote them)")
    if absent:
        yield Finding("evidence-not-kept", f"not in the folder: {'; '.join(absent)}", path=".")
    if with_files:
        yield Check(CHAIN, made=True, count=len(with_files))
        yield from _lacking(done, job)
        yield from _old(done)
    elif done:
        yield Check(CHAIN, made=False, reason="no reward file was kept")
    yield from _shape(done, writer)


def _absent(job: Job, trials: list[Trial], writer: Writer) -> list[str]:
    """The documents that every Harbor of this version writes and that are not there, with what depends on them."""
    absent = []
    locked = [trial for trial in trials if trial.lock.present]
    if not job.lock.present and not locked:
        absent.append("lock.json (the plan, task digests, the writer's version)")
    elif not job.lock.present:
        absent.append("the job's lock.json (the plan, the writer's version)")
    if not job.result.present:
        absent.append("the job's result.json (headline, counts, totals)")
    if not job.config.present:
        absent.append("the job's config.json (settings, the number of attempts)")
    if not job.log:
        absent.append("job.log (restarts)")
    if len(locked) < len(trials) and (locked or writer.since(_TRIALS_LOCKED_FROM)):
        absent.append(f"lock.json of {len(trials) - len(locked)} trials (their tasks' digests)")
    if blank := sum(trial.lock.usable and trial.digest is None for trial in locked):
        absent.append(f"the task's digest in {blank} lock.json of trials")
    return absent


def _runs(trial: Trial) -> tuple[Verification, ...]:
    return trial.steps or (trial.whole,)


def _lacking(done: list[Trial], job: Job) -> Iterator[Finding]:
    """A verifier of one's own need not write files, so nothing is missed there."""
    if at(job.config.value, "verifier", "import_path") is not None:
        return
    for trial in done:
        for one in _runs(trial):
            own = at(trial.result.value, "config", "verifier", "import_path") is not None
            if one.rewards and not one.files.present and not own:
                yield Finding(
                    "reward-file-missing",
                    f"{trial.name} has a reward, and no reward file lies in {one.folder}",
                    path=one.folder,
                    task_id=trial.task,
                )


def _old(done: list[Trial]) -> Iterator[Finding]:
    """Reward files older than their verification, where the times of most others are sound."""
    ages = []
    for trial in done:
        for one in _runs(trial):
            started = instant(one.started)
            ages += [(trial, one, name, time, started) for name, time in one.times.items() if started is not None]
    late = [(age[3] - int(age[4].timestamp() * 1e9), age) for age in ages if age[4] is not None]
    sound = sum(-_SLACK_NS <= difference <= _DAY_NS for difference, _ in late)
    if sound * 2 <= len(late):
        return
    for difference, (trial, one, name, _, _) in late:
        if difference < -_SLACK_NS:
            yield Finding(
                "stale-reward",
                f"{name} is {-difference / 1e9:.0f} s older than the start of its verification",
                path=f"{one.folder}/{name}",
                task_id=trial.task,
            )


def _shape(done: list[Trial], writer: Writer) -> Iterator[Finding]:
    foreign = [trial for trial in done if any(trial.result.value.get(name) is None for name in _REQUIRED)]
    if foreign:
        lacking = [name for name in _REQUIRED if any(trial.result.value.get(name) is None for trial in foreign)]
        yield Finding(
            "not-written-by-harbor",
            f"{len(foreign)} of {len(done)} results lack what every Harbor writes: {', '.join(lacking)}",
            path=foreign[0].label,
        )
    if writer.full_rules is False:
        yield Finding(
            "older-writer",
            f"harbor {writer.version or '(up to 0.4)'} wrote it; the rules cover 0.6 and newer, the rest is read as "
            "far as it goes",
            path=".",
        )
