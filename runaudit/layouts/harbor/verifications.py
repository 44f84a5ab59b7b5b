"""Reads what verifiers left: reward files and their output, of a trial or of each of its steps."""

import os
from typing import Any

from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.rewards import RewardFiles, Rewards, as_rewards, parse_json, parse_text
from runaudit.layouts.harbor.trial import Verification
from runaudit.layouts.json_fields import at, sequence, text
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.places import Places

_LARGEST = 1 << 20
_MOST_STEPS = 10_000


def verifications_of(
    places: Places, root: str, trial: str, result: dict[str, Any]
) -> tuple[Verification, tuple[Verification, ...]]:
    """The trial's verification, and those of its steps in order."""
    steps = sequence(result.get("step_results"))[:_MOST_STEPS]
    whole = _verification(places, root, f"{trial}/verifier", result, None)
    return whole, tuple(_step(places, root, trial, step, number) for number, step in enumerate(steps, 1))


def _step(places: Places, root: str, trial: str, step: Any, number: int) -> Verification:
    """A step counts whatever it is called; a name that is no folder's leads to no file."""
    name = text(at(step, "step_name"))
    if name is not None and _plain(name):
        return _verification(places, root, f"{trial}/steps/{name}/verifier", step, name)
    recorded = at(step, "verifier_result", "rewards")
    return Verification(
        step=name or str(number), folder=f"{trial}/steps", recorded=recorded, rewards=as_rewards(recorded)
    )


def _plain(name: str) -> bool:
    return "/" not in name and name not in (".", "..") and "\0" not in name


def _verification(places: Places, root: str, folder: str, stated: Any, step: str | None) -> Verification:
    recorded = at(stated, "verifier_result", "rewards")
    from_text, text_time = _read(places, os.path.join(root, folder, names.REWARD_TEXT))
    from_json, json_time = _read(places, os.path.join(root, folder, names.REWARD_JSON))
    times = {names.REWARD_TEXT: text_time, names.REWARD_JSON: json_time}
    return Verification(
        step=step,
        folder=folder,
        recorded=recorded,
        rewards=as_rewards(recorded),
        files=RewardFiles(from_text, from_json),
        started=text(at(stated, "verifier", "started_at")),
        has_output=places.look(os.path.join(root, folder, names.TEST_STDOUT)).present,
        times={name: moment for name, moment in times.items() if moment},
    )


def _read(places: Places, path: str) -> tuple[Rewards | Trouble | None, int]:
    sight = places.look(path)
    if not sight.present:
        return None, 0
    data = read_bytes(sight, _LARGEST)
    if isinstance(data, Trouble):
        return data, 0
    return (parse_text if path.endswith(names.REWARD_TEXT) else parse_json)(data), sight.mtime_ns
