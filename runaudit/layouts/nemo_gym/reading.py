"""Reads the run's rows: what was owed, the rollouts, the failures; of a merged file those of its shards."""

import os
from typing import Any

import msgspec

from runaudit.errors import InputError
from runaudit.layouts.nemo_gym.harvest import Harvest
from runaudit.layouts.nemo_gym.input_file import read_inputs
from runaudit.layouts.nemo_gym.inputs import InputReader, Inputs, read_recorded, read_told
from runaudit.layouts.nemo_gym.own_files import OwnFiles
from runaudit.layouts.nemo_gym.prompts import Prompts
from runaudit.layouts.nemo_gym.row_file import RowFile, in_parallel, read_rows, states_task_ids
from runaudit.layouts.nemo_gym.row_reader import RowReader
from runaudit.layouts.nemo_gym.sources import Shard
from runaudit.model.account import MissingPath
from runaudit.model.check import Check
from runaudit.model.digest import Digest
from runaudit.model.finding import Finding
from runaudit.model.request import Request
from runaudit.model.trouble import Trouble
from runaudit.read.places import Places, Sight


class Read(msgspec.Struct):
    """Everything that rows say. `selected_from` says which source named the tasks that were owed."""

    inputs: Inputs
    selected_from: str
    rollouts: Harvest | None = None
    failures: list[tuple[str, str | None, Harvest]] = msgspec.field(default_factory=list)
    digests: dict[str, Digest | None] = msgspec.field(default_factory=dict)
    findings: list[Finding] = msgspec.field(default_factory=list)
    checks: list[Check] = msgspec.field(default_factory=list)
    own_numbering: bool = False
    inventories: dict[str, str] = msgspec.field(default_factory=dict)
    missing: list[MissingPath] = msgspec.field(default_factory=list)


class RunReader:
    """Reads one run's rows in the order that lets each step use the one before: inputs, rollouts, failures."""

    def __init__(self, own: OwnFiles, places: Places, folder: str, request: Request, shards: list[Shard]) -> None:
        self._own = own
        self._places = places
        self._folder = folder
        self._request = request
        self._shards = shards
        self._inputs_are_read = False
        self._read = Read(Inputs(), "rows")

    def read(self) -> Read:
        """All of it. Raises InputError when told rows cannot be interpreted."""
        ahead = self._rollouts_ahead()
        self._read_inputs()
        self._read.rollouts = self._rollouts(ahead)
        harvest = self._rows("failures", failures=True, keep_metadata=False)
        if harvest is not None:
            self._read.failures.append((self._own.paths["failures"], None, harvest))
        for shard in self._shards:
            self._shard_failures(shard)
        return self._read

    def _rollouts_ahead(self) -> Harvest | Trouble | None:
        """The rollouts, read by other processes while this one reads the inputs; None where that is not worth it.

        Rows are held against the inputs' prompts only where they state no task id, so the first one decides.
        """
        request, sight = self._request, self._own.sights.get("rollouts")
        names_its_inputs = "materialized_inputs" in self._own.sights or request.expected is not None
        if sight is None or not names_its_inputs or not in_parallel(request.workers, sight.size):
            return None
        file = self._row_file(self._own.paths["rollouts"], sight, prompts=Prompts(), keep=False)
        return read_rows(file, self._read_inputs) if states_task_ids(file) else None

    def _rollouts(self, ahead: Harvest | Trouble | None) -> Harvest | None:
        """The rollouts; what was read ahead stands where the inputs change nothing about it."""
        inputs = self._read.inputs
        if isinstance(ahead, Trouble) or (ahead is not None and inputs.owed and not (inputs.prompts and ahead.unnamed)):
            return self._taken(ahead, self._own.paths["rollouts"])
        return self._rows("rollouts", failures=False, keep_metadata=not inputs.owed)

    def _read_inputs(self) -> None:
        if self._inputs_are_read:
            return
        self._inputs_are_read = True
        told, recorded = self._request.expected, self._request.recorded
        if recorded is not None and recorded.selected is not None:
            self._read.inputs, self._read.selected_from = read_recorded(recorded.selected), "expected"
        elif told is not None and not isinstance(told, str):
            self._read.inputs, self._read.selected_from = read_told(told, "expected rows"), "expected"
        elif isinstance(told, str):
            self._read.inputs, self._read.selected_from = self._told_file(told), "expected"
        elif "materialized_inputs" in self._own.sights:
            path = self._own.paths["materialized_inputs"]
            inputs = self._input_file(self._own.sights["materialized_inputs"], path, InputReader(path))
            if inputs is not None:
                self._read.inputs, self._read.selected_from = inputs, "materialized_inputs"
        elif self._shards:
            self._read_inventories()
        self._read.findings += self._read.inputs.findings

    def _told_file(self, path: str) -> Inputs:
        sight = Places([os.path.dirname(os.path.abspath(path))], beyond=True).look(os.path.abspath(path))
        name = os.path.basename(path)
        inputs = self._input_file(sight, name, InputReader(name), listed=False)
        if inputs is None:
            raise InputError(f"{path}: the expected rows cannot be read")
        return inputs

    def _read_inventories(self) -> None:
        """The union of the shards' inventories. A key that stands for two tasks: shards number on their own."""
        whole = Inputs()
        for shard in self._shards:
            name = shard.names.materialized_inputs
            sight = self._places.look(name)
            if sight.kind == "file":
                self._read.inventories[shard.path] = name
                reader = InputReader(name, shard=shard.path, into=whole)
                self._input_file(sight, name, reader)
        if whole.owed:
            self._read.inputs, self._read.selected_from = whole, "shards"
            self._read.own_numbering = _number_on_their_own(whole)

    def _input_file(self, sight: Sight, path: str, reader: InputReader, *, listed: bool = True) -> Inputs | None:
        """The owed rows of one file; None, and a finding, when it cannot be read."""
        trouble = sight.trouble("file")
        if trouble is None and sight.kind != "file":
            return None
        digest = trouble or read_inputs(sight, path, self._request.max_row, reader, self._read.findings)
        if isinstance(digest, Trouble):
            self._read.findings.append(digest.at(path))
            self._read.checks.append(Check(name=f"rows of {path}", made=False, reason=digest.message, belongs=True))
            return None
        if listed:
            self._read.digests[path] = digest
        return reader.finish()

    def _rows(self, key: str, *, failures: bool, keep_metadata: bool) -> Harvest | None:
        if key not in self._own.sights:
            return None
        path = self._own.paths[key]
        return self._harvest(self._own.sights[key], path, failures=failures, keep=keep_metadata)

    def _shard_failures(self, shard: Shard) -> None:
        name = shard.names.failures
        sight = self._places.look(name)
        if sight.kind == "file":
            harvest = self._harvest(sight, name, failures=True, keep=False)
            if harvest is not None:
                self._read.failures.append((name, shard.path, harvest))

    def _harvest(self, sight: Sight, path: str, *, failures: bool, keep: bool) -> Harvest | None:
        prompts = Prompts() if failures else self._read.inputs.prompts
        file = self._row_file(path, sight, prompts=prompts, keep=keep, failures=failures)
        return self._taken(read_rows(file), path)

    def _row_file(self, path: str, sight: Sight, *, prompts: Prompts, keep: bool, failures: bool = False) -> RowFile:
        request = self._request

        def reader() -> RowReader:
            return RowReader(path, prompts=prompts, messages=request.messages, failures=failures, keep_metadata=keep)

        return RowFile(sight, path, reader, request.max_row, request.digest or "xxh3", request.workers)

    def _taken(self, harvest: Harvest | Trouble, path: str) -> Harvest | None:
        if isinstance(harvest, Trouble):
            self._read.findings.append(harvest.at(path))
            self._read.checks.append(Check(name=f"rows of {path}", made=False, reason=harvest.message, belongs=True))
            return None
        self._read.findings += harvest.findings
        self._read.digests[path] = harvest.digest if self._request.digest else None
        return harvest


def _number_on_their_own(inputs: Inputs) -> bool:
    seen: dict[tuple[Any, int, int], tuple[str | None, object]] = {}
    for owed in inputs.owed:
        key = (owed.stage, owed.task_index, owed.repeat)
        what = owed.task_id if owed.task_id is not None else owed.prompt
        shard, known = seen.setdefault(key, (owed.shard, what))
        if shard != owed.shard and known != what:
            return True
    return False
