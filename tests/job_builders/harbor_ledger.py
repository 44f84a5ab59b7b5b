"""Lines of a ledger, written as plain JSON and independently of what reads them."""

import hashlib
import json
from pathlib import Path
from typing import Any


def seen(trial: Path) -> dict[str, Any]:
    """A trial's folder as a ledger records it."""
    data = (trial / "result.json").read_bytes()
    result = json.loads(data)
    rewards = {
        path.relative_to(trial).as_posix(): "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(trial.rglob("reward.*"))
    }
    return {
        "trial_name": trial.name,
        "trial_id": result["id"],
        "task_name": result["task_name"],
        "rewards": (result["verifier_result"] or {}).get("rewards"),
        "result": "sha256:" + hashlib.sha256(data).hexdigest(),
        "reward_files": rewards,
    }


def ledger_line(event: str, trials: list[dict[str, Any]]) -> str:
    """One line: of an attempt its only trial, of a state all of them."""
    body: dict[str, Any] = {"kind": "runaudit_ledger", "version": 1, "event": event}
    body |= {"trial": trials[0]} if event == "attempt" else {"trials": trials}
    return json.dumps(body) + "\n"
