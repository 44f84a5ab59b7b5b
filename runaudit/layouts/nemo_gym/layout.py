"""NeMo Gym results folders behind the layout interface."""

import os
from collections.abc import Mapping
from typing import Any

from runaudit.errors import InputError
from runaudit.layouts.base import Target
from runaudit.layouts.nemo_gym.entries import entry_key
from runaudit.layouts.nemo_gym.findings import DEFINITIONS
from runaudit.layouts.nemo_gym.names import Names, looks_like_rollouts
from runaudit.layouts.nemo_gym.signing import sign_outputs
from runaudit.model.account import Account
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.request import Request
from runaudit.model.signature import OutputSignatures
from runaudit.model.task import TaskEvidence
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.folder import list_folder
from runaudit.read.named import is_folder
from runaudit.read.places import Places

_LARGEST_SOURCES = 8 << 20


class NemoGym:
    """Runs of `gym eval run` and `gym dataset validate`: a rollouts file and what belongs to it."""

    name = "nemo-gym"
    definitions = DEFINITIONS

    def recognise(self, path: str) -> tuple[Target, ...]:
        """A rollouts path (it need not exist), or every run in a folder."""
        if not is_folder(path):
            folder, name = os.path.split(path)
            return (self._target(folder or ".", name),) if name else ()
        items = list_folder(path)
        if isinstance(items, Trouble):
            raise InputError(f"{path}: {items.message}")
        names = [item.name for item in items if item.kind in ("file", "link") and looks_like_rollouts(item.name)]
        shards = {name for name in names if self._is_shard(path, name, names)}
        return tuple(self._target(path, name) for name in names if name not in shards)

    def _target(self, folder: str, name: str) -> Target:
        return Target(layout=self.name, folder=folder, name=name)

    def _is_shard(self, folder: str, name: str, names: list[str]) -> bool:
        """Whether another run's list of shards names this file: then it is a part, and no run of its own."""
        places = Places([folder])
        for other in names:
            if other != name:
                data = read_bytes(places.look(Names(rollouts=other).sources), _LARGEST_SOURCES)
                if isinstance(data, bytes) and f'"{name}"'.encode() in data:
                    return True
        return False

    def _names(self, target: Target) -> Names:
        return Names(rollouts=target.name)

    def summary_path(self, target: Target) -> str:
        """`<stem>_run_summary.json` beside the rollouts."""
        return os.path.join(target.folder, self._names(target).summary)

    def alternative_summary_path(self, target: Target) -> str:
        """`<stem>_runaudit_summary.json` beside the rollouts."""
        return os.path.join(target.folder, self._names(target).alternative_summary)

    def signatures_path(self, target: Target) -> str:
        """`<stem>_output_signatures.json` beside the rollouts."""
        return os.path.join(target.folder, self._names(target).signatures)

    def sign(self, target: Target) -> OutputSignatures:
        """What sits under the run's output names now."""
        return sign_outputs(os.path.realpath(target.folder), self._names(target))

    def exists(self, target: Target) -> bool:
        """Whether anything lies under the run's own names."""
        names = self._names(target).own()
        scoped = [name for key, name in names.items() if key not in ("quality_summary", "rollout_verdicts")]
        return any(os.path.lexists(os.path.join(target.folder, name)) for name in scoped)

    def target_of(self, summary_path: str, document: Mapping[str, Any]) -> Target:
        """The rollouts that a summary at this path is about: its stem's, under the name that it recorded."""
        folder, name = os.path.split(summary_path)
        stem = name.removesuffix("_runaudit_summary.json").removesuffix("_run_summary.json")
        files = document.get("files")
        told = files.get("rollouts") if isinstance(files, Mapping) else None
        plain = isinstance(told, str) and "/" not in told and Names(rollouts=told).stem == stem
        return self._target(folder or ".", str(told) if plain else f"{stem}.jsonl")

    def entry_key(self, entry: Mapping[str, Any]) -> str:
        """Shard, stage, indices, task id, server and agent, as text."""
        return entry_key(entry)

    def log_evidence(
        self, places: Places, logs: str, algorithm: Algorithm | None
    ) -> tuple[TaskEvidence | None, list[Finding]]:
        """What a log folder holds now, and what could not be looked at."""
        # as in `account`: every start asks every layout whether a run is its own
        from runaudit.layouts.nemo_gym.logs import read_log_folder  # noqa: PLC0415

        folder = read_log_folder(places.look(logs), logs, places, algorithm)
        return folder.evidence, folder.findings

    def account(self, target: Target, request: Request) -> Account:
        """Locates, reads and judges the run."""
        # only a run of this producer needs its rules, and every start asks every layout whether a run is its own
        from runaudit.layouts.nemo_gym.accounting import Accountant  # noqa: PLC0415

        return Accountant(os.path.realpath(target.folder), self._names(target), request).account()
