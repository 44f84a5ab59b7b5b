"""Random runs, aggregated by an independent writing of the producer's rules: no error; after one edit, an error."""

import copy
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from runaudit.layouts.nemo_gym.aggregate import check
from runaudit.layouts.nemo_gym.findings import DEFINITIONS
from tests.unit.layouts.aggregate_producer import (
    REPEAT,
    SERVER,
    TASK,
    Json,
    Rules,
    Run,
    agent_name,
    key,
    produce,
    slots_of,
)

LEVELS = {definition.id: definition.level for definition in DEFINITIONS}
CLASSES = ("environment_server_failed", "agent_run_error", "judge_failed")
REWARDS = (0.0, 0.0, 1.0, 1.0, 0.5, 1, -2.5, True, None)
RUNS = 120


def errors(run: Run, entries: list[Json]) -> list[str]:
    findings, _ = check(entries, slots_of(run), path="a.json", sidecars=True, unplaced=0)
    return [finding.id for finding in findings if LEVELS[finding.id] == "error"]


def random_run(random: Random, release: str) -> Run:
    """A run with several servers or agents, repeats, masked rows, failures and keys without a trace."""
    run = Run()
    names = _names(random, release)
    stamped = random.random() < 0.5
    for task in range(random.randint(1, 5)):
        names_here = random.choice(names)
        for repeat in range(random.choice((1, 1, 2, 3))):
            owed = {TASK: task, REPEAT: repeat, **(names_here if stamped else _as_owed(names_here))}
            run.inputs.append(owed)
            named = {} if random.random() < 0.2 and stamped else names_here
            identity = {TASK: task, REPEAT: repeat, **named}
            if random.random() < 0.25:
                run.failures.append(_failure(random, identity))
            if random.random() < 0.7:
                run.rows.append(_row(random, identity))
            elif random.random() < 0.5:
                run.failures.append(_failure(random, identity))
    random.shuffle(run.rows)
    return run


def _names(random: Random, release: str) -> list[Json]:
    if release != "0.7":
        return [{"agent_ref": {"name": f"agent{i}"}} for i in range(random.randint(1, 3))]
    shared = random.random() < 0.3
    flat = random.random() < 0.5
    return [
        {SERVER: f"server{i}"} | ({"agent_ref": {"name": "agent" if shared else f"agent{i}"}} if flat else {})
        for i in range(random.randint(1, 3))
    ]


def _as_owed(names: Json) -> Json:
    """A flat input names its agent only; a native one its server only."""
    return {"agent_ref": names["agent_ref"]} if "agent_ref" in names else names


def _row(random: Random, identity: Json) -> Json:
    row = {**identity, "reward": random.choice(REWARDS)}
    if random.random() < 0.1:
        del row["reward"]
    if random.random() < 0.3:
        row["mask_sample"] = random.random() < 0.5
    if random.random() < 0.8:
        row["response"] = {"usage": {"input_tokens": random.randint(1, 9), "output_tokens": 0}}
    return row


def _failure(random: Random, identity: Json) -> Json:
    row = {**identity, "_ng_failure_class": random.choice(CLASSES)}
    if row["_ng_failure_class"] == "judge_failed":
        row |= {"reward": 0.0, "mask_sample": True, "response": {"usage": {"input_tokens": 4, "output_tokens": 2}}}
    elif random.random() < 0.2:
        row["reward"] = random.choice((0.25, None))
    return row


def random_rules(random: Random, release: str, *, listed: bool) -> Rules:
    return Rules(
        release=release,
        classes=frozenset(random.sample(CLASSES, random.randint(0, 3))),
        missing=random.random() < 0.4,
        listed=listed,
        counted=listed or random.random() < 0.5,
    )


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "unlisted"])
@pytest.mark.parametrize("release", ["0.5", "0.6", "0.7"])
def test_what_the_producer_writes_gives_no_error(release: str, listed: bool) -> None:
    for seed in range(RUNS):
        random = Random(f"{release} {seed}")  # reproducible runs, no secrets
        run = random_run(random, release)
        entries = produce(run, random_rules(random, release, listed=listed))
        findings, means = check(entries, slots_of(run), path="a.json", sidecars=True, unplaced=0)
        assert [f for f in findings if LEVELS[f.id] == "error"] == [], f"seed {seed}"
        assert len(means) == len(entries)
        assert [m for m in means if "finding" in m.explanation] == [], f"seed {seed}"
        assert sum(f.id == "aggregate-imputed" for f in findings) == sum(bool(m.imputed) for m in means), f"seed {seed}"


Edit = Callable[[Random, Run, list[Json]], tuple[Run, list[Json]] | None]


def entered(run: Run, entries: list[Json]) -> list[Json]:
    """The rows that entered with a numeric reward."""
    listed = {
        key(info) for entry in entries for group in entry["group_level_metrics"] for info in group["rollout_infos"]
    }
    return [row for row in run.rows if key(row) in listed and isinstance(row.get("reward"), (int, float))]


def change_reward(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    rows = entered(run, entries)
    if not rows:
        return None
    random.choice(rows)["reward"] += 0.125
    return run, entries


def swap_rewards(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    rows = entered(run, entries)
    pairs = [(a, b) for a in rows for b in rows if a["reward"] != b["reward"]]
    if not pairs:
        return None
    left, right = random.choice(pairs)
    left["reward"], right["reward"] = right["reward"], left["reward"]
    return run, entries


def delete_row(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    failed = {key(row) for row in run.failures}
    rows = [row for row in entered(run, entries) if "response" in row and key(row) not in failed]
    if not rows:
        return None
    run.rows.remove(random.choice(rows))
    return run, entries


def remove_entry(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    row = random.choice(entered(run, entries) or [{}])
    for entry in entries:
        if row and any(
            key(row) == key(info) for group in entry["group_level_metrics"] for info in group["rollout_infos"]
        ):
            return run, [other for other in entries if other is not entry]
    return None


def change_mean(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    stated = [entry["agent_metrics"] for entry in entries if "mean/reward" in entry["agent_metrics"]]
    if not stated:
        return None
    random.choice(stated)["mean/reward"] += 1e-6
    return run, entries


def change_task_mean(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    stated = [group for entry in entries for group in entry["group_level_metrics"] if "mean/reward" in group]
    if not stated:
        return None
    random.choice(stated)["mean/reward"] -= 0.5
    return run, entries


def change_repeat_mean(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    stated = [item for entry in entries for item in entry.get("repeat_level_metrics", ()) if "mean/reward" in item]
    if not stated:
        return None
    random.choice(stated)["mean/reward"] += 0.5
    return run, entries


def another_run(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    if not entered(run, entries):
        return None
    other = run.copy()
    for row in [*other.rows, *other.failures, *other.inputs]:
        row[TASK] += 100
    random.shuffle(entries)
    return other, entries


def mask_a_row(random: Random, run: Run, entries: list[Json]) -> tuple[Run, list[Json]] | None:
    rows = [row for row in entered(run, entries) if not row.get("mask_sample")]
    if not rows or any("mean/mask_sample" in entry["agent_metrics"] for entry in entries):
        return None
    random.choice(rows)["mask_sample"] = True
    return run, entries


@pytest.mark.parametrize(
    "edit",
    [
        change_reward,
        swap_rewards,
        delete_row,
        remove_entry,
        change_mean,
        change_task_mean,
        change_repeat_mean,
        another_run,
        mask_a_row,
    ],
)
@pytest.mark.parametrize("release", ["0.5", "0.6", "0.7"])
def test_one_edit_gives_an_error(release: str, edit: Edit) -> None:
    tried = 0
    for seed in range(RUNS // 2):
        random = Random(f"{release} {seed}")  # reproducible runs, no secrets
        run = random_run(random, release)
        entries = produce(run, random_rules(random, release, listed=True))
        edited = edit(random, run.copy(), copy.deepcopy(entries))
        if edited is not None:
            tried += 1
            assert errors(*edited), f"seed {seed}"
    possible = release != "0.5" or edit is not change_repeat_mean
    assert (tried > 5) == possible


@pytest.mark.parametrize("edit", [change_reward, another_run])
@pytest.mark.parametrize("release", ["0.6", "0.7"])
def test_one_edit_gives_an_error_in_files_that_list_no_rows(release: str, edit: Edit) -> None:
    for seed in range(RUNS // 2):
        random = Random(f"{release} {seed}")  # reproducible runs, no secrets
        run = random_run(random, release)
        listed = produce(run, Rules(release=release))
        edited = edit(random, run.copy(), listed)
        if edited is not None:
            assert errors(edited[0], produce(run, Rules(release=release, listed=False))), f"seed {seed}"


def test_the_generator_reaches_every_kind() -> None:
    seen: set[str] = set()
    for release in ("0.5", "0.6", "0.7"):
        for seed in range(RUNS):
            random = Random(f"{release} {seed}")  # reproducible runs, no secrets
            run = random_run(random, release)
            entries = produce(run, random_rules(random, release, listed=True))
            seen |= _kinds(run, entries)
    assert seen == {"masked", "several entries", "imputed", "nameless row", "repeats", "agents shared", "all masked"}


def _kinds(run: Run, entries: list[Json]) -> set[str]:
    have = {key(row) for row in run.rows}
    infos: list[Any] = [i for e in entries for g in e["group_level_metrics"] for i in g["rollout_infos"]]
    servers = {(row.get(SERVER), agent_name(row)) for row in run.rows}
    kinds = {
        "masked": any("coverage/masked_rollouts" in entry["agent_metrics"] for entry in entries),
        "several entries": len(entries) > 1,
        "imputed": any(key(info) not in have for info in infos),
        "nameless row": (None, None) in servers,
        "repeats": any(entry.get("repeat_level_metrics") for entry in entries),
        "agents shared": len({agent for _, agent in servers if agent}) < len({s for s, a in servers if s and a}),
        "all masked": any(not entry["group_level_metrics"] for entry in entries),
    }
    return {kind for kind, present in kinds.items() if present}
