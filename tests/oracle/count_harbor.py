"""A second opinion on a Harbor job: outcomes, rewards and both means, counted with plain `json`.

Imports nothing from the package that it judges, and shares no code with it. It knows the shape of finished results
only; of a trial without one it says that it is missing, and planned trials it counts by the job's own total.

Run as a script: `python tests/oracle/count_harbor.py JOB…` prints one JSON object for each folder.
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any


def load(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file; None when there is none."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def rewards_of(result: dict[str, Any]) -> dict[str, float] | None:
    """The named rewards that a result states."""
    rewards = (result.get("verifier_result") or {}).get("rewards")
    return rewards if isinstance(rewards, dict) and all(v is not None for v in rewards.values()) else None


def outcome(result: dict[str, Any]) -> tuple[str, float | None]:
    """The outcome of one finished trial, and its reward."""
    rewards = rewards_of(result)
    if rewards and result.get("reward_valid", True):
        if "reward" in rewards:
            return "scored", float(rewards["reward"])
        return ("scored", float(next(iter(rewards.values())))) if len(rewards) == 1 else ("unscored", None)
    return ("failed", None) if result.get("exception_info") else ("unscored", None)


def group_name(result: dict[str, Any]) -> str:
    """The key under which the job's result has this trial."""
    model = (result["agent_info"].get("model_info") or {}).get("name")
    parts = [result["agent_info"]["name"], model, result.get("source") or "adhoc"]
    return "__".join(part for part in parts if part)


def chances(values: dict[str, list[float]]) -> dict[str, float]:
    """pass@k by counting every draw of k trials without a pass, averaged over tasks."""
    every = [value for rewards in values.values() for value in rewards]
    if not every or any(value not in (0, 1) for value in every):
        return {}
    fewest = min(len(rewards) for rewards in values.values())
    found = {}
    for k in range(2, fewest + 1):
        if k & (k - 1) and k % 5:
            continue
        total = 0.0
        for rewards in values.values():
            failing = len(rewards) - int(sum(rewards))
            without = choose(failing, k) / choose(len(rewards), k)
            total += 1 - without
        found[str(k)] = total / len(values)
    return found


def choose(n: int, k: int) -> int:
    """How many ways there are to draw k of n."""
    ways = 1
    for step in range(k):
        ways = ways * (n - step) // (step + 1)
    return ways


def count(job: Path) -> dict[str, Any]:
    """Outcomes, rewards by trial, and for each group both means and both pass@k."""
    folders = sorted(path.parent for path in job.glob("*/config.json"))
    folders += sorted(path.parent for path in job.glob("*/result.json") if path.parent not in folders)
    results = {folder.name: result for folder in folders if (result := load(folder / "result.json")) is not None}
    outcomes: Counter[str] = Counter()
    rewards: dict[str, float | None] = {}
    for name, result in results.items():
        kind, rewards[name] = outcome(result)
        outcomes[kind] += 1
    planned = (load(job / "result.json") or {}).get("n_total_trials") or len(folders)
    if missing := planned - len(results):
        outcomes["missing"] = missing
    scored = [reward for reward in rewards.values() if reward is not None]
    return {
        "outcomes": dict(outcomes),
        "rewards": rewards,
        "mean_reward": sum(scored) / len(scored) if scored else None,
        "groups": groups(results),
    }


def groups(results: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Both scoring rules for each group: invalid rewards as zero, and left out."""
    members: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for result in results.values():
        members[group_name(result)].append(result)
    found = {}
    for name, trials in members.items():
        as_zero: dict[str, list[float]] = defaultdict(list)
        left_out: dict[str, list[float]] = defaultdict(list)
        for result in trials:
            value = rewards_of(result)
            as_zero[result["task_name"]].append(next(iter(value.values())) if value else 0.0)
            if outcome(result)[0] == "scored" and value:
                left_out[result["task_name"]].append(next(iter(value.values())))
        found[name] = {"as_zero": rule(as_zero), "left_out": rule(left_out)}
    return found


def rule(values: dict[str, list[float]]) -> dict[str, Any]:
    """Mean and pass@k over what one rule lets in."""
    every = [value for rewards in values.values() for value in rewards]
    return {"mean": sum(every) / len(every) if every else None, "pass_at_k": chances(values)}


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        sys.stdout.write(json.dumps(count(Path(argument)), indent=2) + "\n")
