"""Harbor job folders behind the interface that every producer shares: locate, read, judge, and hand over an account."""

import os
from collections.abc import Mapping
from typing import Any

from runaudit.layouts.base import Target
from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.findings import DEFINITIONS
from runaudit.layouts.harbor.ledger_file import ledger_line, ledger_path
from runaudit.layouts.harbor.locate import job_folder
from runaudit.layouts.harbor.recognise import NAME, targets_at
from runaudit.layouts.harbor.signing import sign
from runaudit.model.account import Account
from runaudit.model.finding import Definition
from runaudit.model.request import Request
from runaudit.model.signature import OutputSignatures
from runaudit.read.places import Places


class HarborLayout:
    """Job folders of `harbor run`, from 0.6 by every rule, older ones as far as they go."""

    name: str = NAME
    definitions: tuple[Definition, ...] = DEFINITIONS

    def recognise(self, path: str) -> tuple[Target, ...]:
        """The jobs at `path`: a job folder, one of its documents, or a folder of job folders."""
        return targets_at(path)

    def summary_path(self, target: Target) -> str:
        """`run_summary.json` in the job folder."""
        return os.path.join(target.folder, names.SUMMARY)

    def alternative_summary_path(self, target: Target) -> str:
        """`runaudit_summary.json`, should Harbor ever write a document of the first name."""
        return os.path.join(target.folder, names.OTHER_SUMMARY)

    def signatures_path(self, target: Target) -> str:
        """`run_output_signatures.json` in the job folder."""
        return os.path.join(target.folder, names.SIGNATURES)

    def sign(self, target: Target) -> OutputSignatures:
        """The job's documents and every trial's result as they are now. Raises InputError when one cannot be read."""
        return sign(target.folder)

    def exists(self, target: Target) -> bool:
        """Whether there is any document of a job, or a trial."""
        found = job_folder(Places([target.folder]), target.folder)
        return bool(found.trials) or any(found.files[key].present for key in ("config", "lock", "result"))

    def target_of(self, summary_path: str, document: Mapping[str, Any]) -> Target:  # noqa: ARG002  # the interface
        """The job in whose folder the summary lies."""
        return Target(self.name, os.path.dirname(os.path.abspath(summary_path)), "")

    def entry_key(self, entry: Mapping[str, Any]) -> str:
        """The trial's name and id; of a trial that is missing, its task, agent, model and repeat."""
        names_of = ("trial_name", "trial_id") if entry.get("trial_name") else ("task_id", "agent", "model", "repeat")
        return "\0".join(str(entry.get(name)) for name in names_of)

    def account(self, target: Target, request: Request) -> Account:
        """The job as its trials show it, held against what its own documents say."""
        # only a run of this producer needs its rules, and every start asks every layout whether a run is its own
        from runaudit.layouts.harbor.accounting import account_of  # noqa: PLC0415

        return account_of(target.folder, request)

    def record(self, target: Target, event: str, result: Mapping[str, Any] | None = None) -> tuple[str, bytes] | None:
        """A line that belongs appended to a file of the run, as its path and bytes; None when there is none.

        `event` is `start`, `attempt` (of the given result), `end`, or `summary`.
        """
        line = ledger_line(target.folder, event, result)
        return None if line is None else (ledger_path(target.folder), line)
