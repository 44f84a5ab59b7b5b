"""The trajectories of a job's trials: readable, consistent, and equal in tokens to what the trial's result says."""

import os
from collections.abc import Iterator

from runaudit.layouts.atif import read_trajectory
from runaudit.layouts.harbor.names import TRAJECTORY, TRIAL_NAME
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.json_fields import same
from runaudit.layouts.trajectory import Trajectory, inconsistencies
from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.places import Places

CHECK = "trajectories"
_SESSION_TAIL = "__agent"


def trajectory_findings(places: Places, root: str, trials: list[Trial]) -> Iterator[Finding | Check]:
    """What is wrong with the trajectories, of trials and of steps."""
    looked_at = 0
    for trial in trials:
        folders = [f"{trial.name}/agent", *(f"{trial.name}/steps/{step.step}/agent" for step in trial.steps)]
        for folder in folders:
            path = f"{folder}/{TRAJECTORY}"
            sight = places.look(os.path.join(root, path))
            if not sight.present:
                continue
            looked_at += 1
            trajectory = read_trajectory(sight, path, trial_of_session)
            if isinstance(trajectory, Trouble):
                yield trajectory.at(path)
                continue
            yield from inconsistencies(trajectory, trial.called)
            if not trial.steps:
                yield from _against_result(trajectory, trial)
    if looked_at:
        yield Check(CHECK, made=True, count=looked_at)


def _against_result(trajectory: Trajectory, trial: Trial) -> Iterator[Finding]:
    pairs = (
        ("input tokens", trajectory.totals.input, trial.tokens.input),
        ("output tokens", trajectory.totals.output, trial.tokens.output),
        ("cost", trajectory.totals.cost, trial.tokens.cost),
    )
    for name, inside, stated in pairs:
        if inside is not None and stated is not None and not trajectory.inner and not same(inside, stated):
            yield Finding(
                "trajectory-inconsistent",
                f"{name}: the trajectory states {inside:.10g}, the result of {trial.called} {stated:.10g}",
                path=trajectory.path,
                task_id=trial.task,
                expected=f"{stated:.10g}",
                found=f"{inside:.10g}",
            )


def trial_of_session(session: str | None) -> str | None:
    """The trial that a session id names; most agents use ids of their own, which say nothing."""
    name = (session or "").removesuffix(_SESSION_TAIL)
    return name if name != session and TRIAL_NAME.match(name) else None
