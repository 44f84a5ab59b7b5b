"""Has the real NeMo Gym write runs, and says what each of them must come to."""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.interop.environments import ROOT, gym_python

ALL = ("0.5.1", "0.6.0", "0.7.0")


class Run(NamedTuple):
    """One rollouts file of a story, the releases that can write it, and what stands in it."""

    story: str
    stem: str
    outcomes: dict[str, int]
    mean: float
    releases: tuple[str, ...] = ALL


RUNS = (
    Run("fresh", "rollouts", {"scored": 8}, 0.5),
    Run("resumed", "rollouts", {"scored": 4}, 0.5),
    Run("second_stem", "baseline", {"scored": 4}, 0.5),
    Run("second_stem", "candidate", {"scored": 4}, 1.0),
    Run("two_servers", "rollouts", {"scored": 7}, (0.25 + 0.5 + 0.75 + 3) / 7),
    Run("masked_and_failed", "rollouts", {"scored": 4, "masked": 1, "unscored": 1, "failed": 1, "missing": 1}, 0.5),
    Run("refused", "rollouts", {"scored": 2, "failed": 2}, 0.5, ("0.6.0", "0.7.0")),
    Run("shards", "shard0", {"scored": 2}, 0.5),
    Run("shards", "shard1", {"scored": 2}, 0.5),
    Run("shards", "merged", {"scored": 4}, 0.5),
    Run("imputed", "rollouts", {"scored": 4, "masked": 1, "unscored": 1, "failed": 1, "missing": 1}, 0.5, ("0.7.0",)),
)
CASES = [(release, run) for run in RUNS for release in run.releases]


def case_name(case: object) -> str:
    """How pytest names a parameter of `CASES`."""
    return f"{case.story}-{case.stem}" if isinstance(case, Run) else str(case)


def stories_of(release: str) -> list[str]:
    """The stories that a release can be asked for, in the order of `RUNS`."""
    return list(dict.fromkeys(run.story for run in RUNS if release in run.releases))


def tell(release: str, folder: Path, *stories: str) -> None:
    """Let a release write these stories, each into a sub-folder of its name; AssertionError with what it said."""
    scratch = folder / ".scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    command = [str(gym_python(release)), "-m", "tests.interop.gym_driver.drive", str(folder), *stories]
    answer = subprocess.run(
        command, cwd=scratch, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr[-4000:]
