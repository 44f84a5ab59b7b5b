"""A run as its files would hold it, and the producer's aggregation of it, written anew from its rules for these tests.

Nothing here imports the code under test, but for the two values (`Slot`, `Row`) that it takes.
"""

import copy
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Owed, Slot

Json = dict[str, Any]
TASK, REPEAT = "_ng_task_index", "_ng_rollout_index"
SERVER = "_ng_environment_server"


@dataclass(frozen=True)
class Rules:
    """How the producer was asked to aggregate."""

    release: str = "0.7"
    classes: frozenset[str] = frozenset()
    missing: bool = False
    listed: bool = True
    counted: bool = True


@dataclass
class Run:
    """The rows of the three files."""

    rows: list[Json] = field(default_factory=list)
    failures: list[Json] = field(default_factory=list)
    inputs: list[Json] = field(default_factory=list)

    def copy(self) -> "Run":
        return copy.deepcopy(self)


def key(row: Json) -> tuple[int, int]:
    return row[TASK], row[REPEAT]


def agent_name(row: Json) -> str | None:
    name: str | None = (row.get("agent_ref") or {}).get("name")
    return name


def slots_of(run: Run) -> list[Slot]:
    """The run as the reading stage hands it on."""
    slots: dict[tuple[int, int], Slot] = {}
    for item in run.inputs:
        slot = slots.setdefault(key(item), Slot(task_index=item[TASK], repeat=item[REPEAT]))
        slot.owed = Owed(task_index=item[TASK], repeat=item[REPEAT], server=item.get(SERVER), agent=agent_name(item))
    for line, item in enumerate(run.rows, 1):
        slots.setdefault(key(item), Slot(task_index=item[TASK], repeat=item[REPEAT])).add(_row(item, line))
    for line, item in enumerate(run.failures, 1):
        slots.setdefault(key(item), Slot(task_index=item[TASK], repeat=item[REPEAT])).add(
            _row(item, line), failure=True
        )
    return list(slots.values())


def _row(item: Json, line: int) -> Row:
    reward = item.get("reward", UNSET)
    usage = (item.get("response") or {}).get("usage") or {}
    return Row(
        line=line,
        offset=0,
        fingerprint=0,
        task_index=item[TASK],
        repeat=item[REPEAT],
        server=item.get(SERVER),
        agent=agent_name(item),
        reward=float(reward) if isinstance(reward, (int, float)) and not isinstance(reward, bool) else None,
        recorded=reward,
        masked=bool(item.get("mask_sample")),
        invalid_judge=bool(item.get("invalid_judge_response")),
        input_tokens=usage.get("input_tokens"),
        output_tokens=usage.get("output_tokens"),
        failure_class=item.get("_ng_failure_class"),
    )


def produce(run: Run, rules: Rules) -> list[Json]:
    """The aggregate that a producer of `rules.release` writes for the run."""
    have = {key(row) for row in run.rows}
    latest = {key(row): row for row in run.failures}
    counted = [
        dict(row) for name, row in latest.items() if name not in have and row["_ng_failure_class"] in rules.classes
    ]
    for row in counted:
        row.setdefault("reward", 0.0)
        if rules.release == "0.7":
            row["mask_sample"] = False
    if rules.missing:
        counted += [{**item, "reward": 0.0} for item in run.inputs if key(item) not in have and key(item) not in latest]
    inputs = {key(item): item for item in run.inputs}
    shares: dict[tuple[str | None, str], list[Json]] = defaultdict(list)
    for row in [*run.rows, *counted]:
        shares[_share(row, inputs.get(key(row), {}), run, rules)].append(row)
    agents = [agent for _, agent in shares]
    return [
        _entry(server, agent if agents.count(agent) == 1 else str(server), rows, rules)
        for (server, agent), rows in shares.items()
    ]


def _share(row: Json, owed: Json, run: Run, rules: Rules) -> tuple[str | None, str]:
    server, agent = row.get(SERVER) or owed.get(SERVER), agent_name(row) or agent_name(owed)
    if rules.release != "0.7":
        return None, str(agent)
    if server is None:
        fronting = {item[SERVER] for item in run.rows if item.get(SERVER) and agent_name(item) == agent}
        server = min(fronting) if fronting else f"{agent}_server"
    return server, agent or f"{server}_agent"


def _entry(server: str | None, agent: str, rows: list[Json], rules: Rules) -> Json:
    masked = [row for row in rows if row.get("mask_sample")] if rules.release == "0.7" else []
    measured = [row for row in rows if row not in masked]
    metrics: Json = {}
    if (mean := _mean(measured)) is not None:
        metrics["mean/reward"] = mean
    if rules.release != "0.7" and any("mask_sample" in row for row in rows):
        metrics["mean/mask_sample"] = sum(bool(row.get("mask_sample")) for row in rows) / len(rows)
    if masked:
        metrics |= {"coverage/measured_rollouts": len(measured), "coverage/masked_rollouts": len(masked)}
    if measured:
        metrics["num_repeats"] = len({row[REPEAT] for row in rows})
    tasks, repeats = sorted({row[TASK] for row in measured}), sorted({row[REPEAT] for row in measured})
    entry: Json = {
        "agent_ref": {"name": agent},
        "agent_metrics": metrics,
        "group_level_metrics": [_group([row for row in measured if row[TASK] == task], rules) for task in tasks],
    }
    if rules.release != "0.5":
        entry["repeat_level_metrics"] = [
            _with_mean({REPEAT: repeat}, [row for row in measured if row[REPEAT] == repeat])
            for repeat in repeats
            if len(repeats) > 1
        ]
    return entry | ({SERVER: server} if server else {})


def _group(rows: list[Json], rules: Rules) -> Json:
    group: Json = _with_mean({TASK: rows[0][TASK]}, rows)
    usages = [row["response"]["usage"] for row in rows if "response" in row]
    if usages:
        group["mean/input_tokens"] = sum(usage["input_tokens"] for usage in usages) / len(usages)
    if rules.counted:
        group["num_rollouts"] = len(rows)
    if rules.listed:
        group["rollout_infos"] = [_info(row) for row in sorted(rows, key=key)]
    return group


def _info(row: Json) -> Json:
    info = {"rollout_id": f"{row[TASK]}:{row[REPEAT]}", TASK: row[TASK], REPEAT: row[REPEAT]}
    if "reward" in row:
        info["reward"] = row["reward"]
    return info | (row["response"]["usage"] if "response" in row else {})


def _with_mean(entry: Json, rows: list[Json]) -> Json:
    mean = _mean(rows)
    return entry if mean is None else {**entry, "mean/reward": mean}


def _mean(rows: list[Json]) -> float | None:
    values = [float(row["reward"]) for row in rows if isinstance(row.get("reward"), (bool, int, float))]
    return sum(values) / len(values) if values else None
