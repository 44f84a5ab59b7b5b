"""The example rollouts that NeMo Gym ships in its wheel: real rows of many environments, and edits that damage them.

Invariants: the wheel is unpacked into the cache and never changed; every edit is made to a copy. Nothing of the wheel
belongs into this repository.

Run as a script: `python -m tests.interop.wheel_examples` lists every example, its sidecars and the oracle's counts.
"""

import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.interop.environments import CACHE, gym_wheel
from tests.oracle.count_rows import count

VERSION = "0.7.0"
SIDECARS = ("_materialized_inputs.jsonl", "_failures.jsonl", "_aggregate_metrics.json")
NOT_ROLLOUTS = ("_materialized_inputs.jsonl", "_failures.jsonl", "_reward_profiling.jsonl")
# five lines of a placeholder text each, and no row
PLACEHOLDERS = {"browsecomp_advanced_harness", "jailbreak_detection", "over_refusal_detection", "tavily_search"}

Edit = Callable[[Path], bool]


def unpacked() -> Path:
    """The folder with the data of all resources servers, unpacked at first use."""
    home = CACHE / f"examples-{VERSION}"
    marker = home / ".ready"
    if not marker.exists():
        shutil.rmtree(home, ignore_errors=True)
        with zipfile.ZipFile(gym_wheel(VERSION)) as archive:
            wanted = [n for n in archive.namelist() if n.startswith("resources_servers/") and "/data/" in n]
            archive.extractall(home, wanted)
        marker.touch()
    return home / "resources_servers"


def examples() -> list[Path]:
    """Every example rollouts file, in a stable order."""
    found = unpacked().glob("*/data/*rollouts*.jsonl")
    return sorted(path for path in found if not path.name.endswith(NOT_ROLLOUTS))


def with_aggregate() -> list[Path]:
    """The examples beside which an aggregate of exactly their stem lies."""
    return [path for path in examples() if aggregate_of(path).is_file()]


def server_of(example: Path) -> str:
    """The resources server that an example belongs to."""
    return example.parent.parent.name


def aggregate_of(rollouts: Path) -> Path:
    """The path of the aggregate of a rollouts file."""
    return rollouts.with_name(f"{rollouts.stem}_aggregate_metrics.json")


def copied(example: Path, folder: Path) -> Path:
    """Copy an example and its own sidecars into a new sub-folder, the aggregate last, as a run writes it."""
    place = folder / f"{server_of(example)}-{example.stem}"
    place.mkdir(parents=True)
    shutil.copyfile(example, place / example.name)
    for ending in SIDECARS:
        sidecar = example.with_name(example.stem + ending)
        if sidecar.is_file():
            shutil.copyfile(sidecar, place / sidecar.name)
    return place / example.name


def change_reward(rollouts: Path) -> bool:
    """Raise the reward of the first row."""
    with _edited(rollouts) as rows:
        rows[0]["reward"] += 0.5
    return True


def swap_rewards(rollouts: Path) -> bool:
    """Exchange two rewards that differ between two tasks; False where the example has no two."""
    with _edited(rollouts) as rows:
        first = rows[0]
        for other in rows[1:]:
            if other["reward"] != first["reward"] and other["_ng_task_index"] != first["_ng_task_index"]:
                first["reward"], other["reward"] = other["reward"], first["reward"]
                return True
    return False


def delete_row(rollouts: Path) -> bool:
    """Drop a row whose loss shows: not in means alone where its reward is zero or the mean itself.

    False where the aggregate is an older one, without the row by row part, and all rewards are equal.
    """
    aggregate = json.loads(aggregate_of(rollouts).read_bytes())
    row_by_row = "rollout_infos" in aggregate[0]["group_level_metrics"][0]
    mean = aggregate[0]["agent_metrics"]["mean/reward"]
    with _edited(rollouts) as rows:
        for index, row in enumerate(rows):
            if row_by_row or row["reward"] not in {0, mean}:
                del rows[index]
                return True
    return False


def foreign_aggregate(rollouts: Path) -> bool:
    """Put the aggregate of another example, with another mean, in the place of this one's."""
    mine = _mean(aggregate_of(rollouts))
    other = next(path for path in map(aggregate_of, with_aggregate()) if abs(_mean(path) - mine) > 0.05)
    shutil.copyfile(other, aggregate_of(rollouts))
    return True


EDITS: tuple[Edit, ...] = (change_reward, swap_rewards, delete_row, foreign_aggregate)


def _mean(aggregate: Path) -> float:
    return float(json.loads(aggregate.read_bytes())[0]["agent_metrics"]["mean/reward"])


@contextmanager
def _edited(rollouts: Path) -> Iterator[list[dict[str, Any]]]:
    """The rows of a file for editing; the aggregate gets the later time again, as after a run."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in rollouts.read_bytes().split(b"\n") if line.strip()]
    yield rows
    rollouts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    aggregate_of(rollouts).touch()


def table() -> Iterator[str]:
    """One line for each example: server, stem, sidecars, counts."""
    for example in examples():
        counted = count(example)
        beside = [ending for ending in SIDECARS if example.with_name(example.stem + ending).is_file()]
        told = {name: n for name, n in counted["counts"].items() if n}
        yield f"{server_of(example)} {example.stem} {told} unplaced={counted['unplaced']} {' '.join(beside)}"


if __name__ == "__main__":
    sys.stdout.writelines(line + "\n" for line in table())
