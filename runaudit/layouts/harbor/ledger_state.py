"""The state of a job as the ledger records it: every trial with a result, and the digests of what says its reward."""

import os
from typing import Any

from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.ledger import Attempt
from runaudit.layouts.harbor.rewards import as_rewards
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.harbor.trial_document import errors_of, identity, tokens_of
from runaudit.model.digest import Digest
from runaudit.model.relative import shown
from runaudit.read.documents import digest_of
from runaudit.read.places import Places


def state_of(places: Places, root: str, trials: list[Trial]) -> list[Attempt]:
    """The attempts that the folder holds now. Digests are SHA-256: the ledger says what was there."""
    return [_attempt(places, root, trial) for trial in trials if trial.result.present]


def _attempt(places: Places, root: str, trial: Trial) -> Attempt:
    rewards: dict[str, str] = {}
    for verification in (trial.whole, *trial.steps):
        for name in (names.REWARD_JSON, names.REWARD_TEXT):
            path = f"{verification.folder}/{name}"
            if (digest := _digest(places, os.path.join(root, path))) is not None:
                rewards[shown(path.removeprefix(trial.name + "/"))] = digest
    return Attempt(
        name=shown(trial.name),
        id=trial.id,
        task=trial.task,
        rewards=trial.rewards,
        exception=trial.errors[0].kind if trial.errors else None,
        started=trial.started,
        tokens=trial.tokens,
        result=_digest(places, os.path.join(root, trial.name, names.RESULT)),
        reward_files=rewards,
    )


def _digest(places: Places, path: str) -> str | None:
    sight = places.look(path)
    digest = digest_of(sight, "sha256") if sight.kind == "file" else None
    return str(digest) if isinstance(digest, Digest) else None


def ended(result: dict[str, Any]) -> Attempt | None:
    """An attempt that has just ended, from the result that Harbor holds in memory; None when it has no name."""
    who = identity(result, {}, {})
    if who["stated_name"] is None:
        return None
    errors = errors_of(result)
    verified = result.get("verifier_result")
    return Attempt(
        name=who["stated_name"],
        id=who["id"],
        task=who["task"],
        rewards=as_rewards(verified.get("rewards")) if isinstance(verified, dict) else None,
        exception=errors[0].kind if errors else None,
        started=who["started"],
        tokens=tokens_of(result),
    )
