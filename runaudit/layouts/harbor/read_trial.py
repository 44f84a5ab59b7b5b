"""Reads one trial's folder into a `trial.Trial`, and says what in it could not be read."""

import os

import msgspec

from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.document import findings_of, read_document
from runaudit.layouts.harbor.evidence import TrialTree, files_of
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.harbor.trial_document import errors_of, identity, tokens_of
from runaudit.layouts.harbor.verifications import verifications_of
from runaudit.layouts.harbor.versions import Writer
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.relative import shown
from runaudit.model.task import FileEvidence
from runaudit.read.places import Places


def read_trial(places: Places, root: str, name: str, algorithm: Algorithm | None) -> tuple[Trial, list[Finding]]:
    """The trial in the folder `name` below the job folder `root`, without the evidence of its files."""
    readings = {
        key: read_document(places.look(os.path.join(root, name, file)), f"{shown(name)}/{file}", algorithm)
        for key, file in (("result", names.RESULT), ("config", names.CONFIG), ("lock", names.LOCK))
    }
    result, config, lock = readings["result"], readings["config"], readings["lock"]
    whole, steps = verifications_of(places, root, name, result.value)
    trial = Trial(
        name=name,
        result=result,
        config=config,
        lock=lock,
        whole=whole,
        steps=steps,
        errors=errors_of(result.value),
        tokens=tokens_of(result.value),
        **identity(result.value, config.value, lock.value),
    )
    found = findings_of(result, "trial-unreadable") + findings_of(config) + findings_of(lock)
    return trial, found


def with_files(
    places: Places, root: str, trial: Trial, writer: Writer, algorithm: Algorithm | None
) -> tuple[Trial, dict[str, FileEvidence], list[Finding]]:
    """The trial with its evidence; the other files of its folder; what could not be looked at.

    The reward file is the one that the writer read.
    """
    tree = TrialTree(places, root, trial.name, algorithm)
    chosen = trial.whole.files.chosen(writer)
    rewards_from = f"{trial.whole.folder}/{chosen[0]}" if chosen else None
    files, others = files_of(tree, trial.name, rewards_from, algorithm)
    return msgspec.structs.replace(trial, files=files), others, tree.findings
