"""Makes the document's entries from judged slots, with the evidence in their log folders."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.log_paths import Found, LogPaths
from runaudit.layouts.nemo_gym.logs import LogFolder
from runaudit.layouts.nemo_gym.logs_together import Wanted, read_log_folders
from runaudit.layouts.nemo_gym.outcome import Judged, Judgements
from runaudit.layouts.nemo_gym.reward_rules import reward_findings
from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.model.account import MissingPath
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.relative import shown
from runaudit.model.task import TaskEntry, Usage
from runaudit.read.places import Places


class Passing(msgspec.Struct, frozen=True):
    """Which reward passes: a told one, or 1.0 where every reward of the server lies in [0, 1]."""

    told: float | None
    out_of_range: frozenset[str | None]

    def judge(self, server: str | None, reward: float) -> bool | None:
        """Whether a reward passes; None where nothing says what passing is."""
        if self.told is not None:
            return reward > self.told or math.isclose(reward, self.told, rel_tol=1e-9, abs_tol=1e-9)
        if server in self.out_of_range:
            return None
        return math.isclose(reward, 1.0, rel_tol=1e-9)


def passing(slots: Judgements, told: float | None) -> Passing:
    """The passing rule of a run."""
    out = frozenset(
        server_of(slot, judged.row)
        for slot, judged in slots
        if judged.outcome == "scored"
        and judged.row is not None
        and judged.row.reward is not None
        and not 0.0 <= judged.row.reward <= 1.0
    )
    return Passing(told, out)


def server_of(slot: Slot, row: Row | None) -> str | None:
    """The server of a slot: what its row says, else its input; where none states one, the agent."""
    owed = slot.owed
    server = (row.server if row else None) or (owed.server if owed else None) or slot.server
    return server or (row.agent if row else None) or (owed.agent if owed else None) or slot.agent


# slots whose log folders are found before the first entry of them is made: what is known of those is held in memory
_ROUND = 1 << 15


class Who(msgspec.Struct, frozen=True):
    """Whose a slot is, as its entry states it."""

    task_id: str | None
    taskset: str | None
    server: str | None
    agent: str | None

    def key(self, slot: Slot) -> str:
        """The slot's key as text, as `entry_key` takes it from an entry of a document."""
        return _key(slot.shard, slot.stage, slot.task_index, slot.repeat, self.task_id, self.server, self.agent)


def entry_key(entry: Mapping[str, Any]) -> str:
    """The key of a document's entry, for the mapping of rows to folders that `verify` keeps."""
    told = entry.get
    return _key(
        told("shard"),
        told("stage"),
        told("task_index"),
        told("repeat"),
        told("task_id"),
        told("server"),
        told("agent"),
    )


def _key(*parts: object) -> str:
    return "|".join(["" if part is None else str(part) for part in parts])


def _who(slot: Slot, row: Row | None) -> Who:
    owed = slot.owed
    last = row or (slot.failures[-1] if slot.failures else None)
    return Who(
        task_id=(owed.task_id if owed else None) or (last.task_id if last else None),
        taskset=(owed.taskset if owed else None) or (last.taskset if last else None),
        server=(last.server if last else None) or slot.server,
        agent=(last.agent if last else None) or (owed.agent if owed else None) or slot.agent,
    )


class Evidence(msgspec.Struct):
    """What the log folders said, beside the entries."""

    findings: list[Finding] = msgspec.field(default_factory=list)
    missing: list[MissingPath] = msgspec.field(default_factory=list)
    claims: dict[str, list[Slot]] = msgspec.field(default_factory=dict)
    outside: int = 0
    outside_example: str | None = None
    by_age: bool = False


class EntryMaker:
    """Turns slots into entries, one by one, in their order."""

    def __init__(
        self,
        places: Places,
        paths: LogPaths,
        rule: Passing,
        *,
        algorithm: Algorithm | None,
        sound_times: bool,
        verdicts: dict[tuple[Any, int, int], str],
        workers: int = 1,
    ) -> None:
        self.evidence = Evidence()
        self._places = places
        self._paths = paths
        self._rule = rule
        self._algorithm = algorithm
        self._sound_times = sound_times
        self._verdicts = verdicts
        self._workers = workers

    def make(self, slots: Judgements) -> Iterator[TaskEntry]:
        """The entries of all slots. Other processes read log folders on while entries are made of those before."""
        for start in range(0, len(slots), _ROUND):
            yield from self._round(slots.part(start, start + _ROUND))

    def _round(self, slots: list[tuple[Slot, Judged]]) -> Iterator[TaskEntry]:
        whos = [_who(slot, judged.row) for slot, judged in slots]
        found = [self._find(slot, judged, who) for (slot, judged), who in zip(slots, whos, strict=True)]
        wanted = [self._wanted(place) for place in found]
        told = [each for each in wanted if each is not None]
        folders = read_log_folders(told, self._places, self._algorithm, self._workers)
        for (slot, judged), who, place, wants in zip(slots, whos, found, wanted, strict=True):
            folder = None if wants is None else next(folders)
            yield self._entry(slot, judged, who, self._logs(slot, judged, place, folder))

    def _find(self, slot: Slot, judged: Judged, who: Who) -> Found | None:
        row = judged.row
        return None if row is None or row.logs is None else self._paths.find(row.logs, who.key(slot))

    def _wanted(self, found: Found | None) -> Wanted | None:
        """The log folder to read; None where there is none, or one that is not to be opened."""
        if found is None or found.path is None or found.sight is None or self._paths.holds_the_run(found.sight):
            return None
        return found.sight, found.path

    def _entry(self, slot: Slot, judged: Judged, who: Who, logs: LogFolder | None) -> TaskEntry:
        row, owed = judged.row, slot.owed
        scored = judged.outcome == "scored"
        reward = row.reward if row is not None and scored else None
        server = server_of(slot, row)
        input_ = owed.input if owed else None
        if input_ is None and row is not None and row.metadata is not None:
            input_ = {"digest": None, "digests": {}, "metadata": row.metadata, "turns": []}
        return TaskEntry(
            task_id=who.task_id,
            taskset=who.taskset,
            task_index=slot.task_index,
            repeat=slot.repeat,
            stage=msgspec.UNSET if slot.stage is None else slot.stage,
            shard=msgspec.UNSET if slot.shard is None else slot.shard,
            server=who.server,
            agent=who.agent,
            model=row.model if row else None,
            outcome=judged.outcome,
            reward=reward,
            recorded_reward=row.recorded if row else msgspec.UNSET,
            passed=None if reward is None else self._rule.judge(server, reward),
            degraded=row.failure_kind if row is not None and scored else None,
            failure=judged.failure,
            verifier_logs=logs.path if logs else None,
            test_stdout=logs.test_stdout if logs else None,
            reward_file=logs.reward_file if logs else None,
            trajectory=logs.trajectory if logs else None,
            artifacts=logs.artifacts if logs else None,
            input=input_,
            usage=self._usage(row),
            seconds=row.seconds if row else None,
            health=self._health(slot),
            evidence=logs.evidence if logs else None,
        )

    def _usage(self, row: Row | None) -> Usage | None:
        if row is None or (row.input_tokens is None and row.output_tokens is None and row.total_tokens is None):
            return None
        return Usage(row.input_tokens, row.output_tokens, row.total_tokens)

    def _health(self, slot: Slot) -> str | None:
        if not self._verdicts or slot.task_index is None or slot.repeat is None:
            return None
        return self._verdicts.get((slot.stage, slot.task_index, slot.repeat))

    def _logs(self, slot: Slot, judged: Judged, found: Found | None, folder: LogFolder | None) -> LogFolder | None:
        """The log folder of an entry, with what is wrong with it noted; `folder` is what was read of it."""
        row = judged.row
        if row is None or found is None:
            return None
        if found.path is None:
            self._note_missing(slot, row, found)
            return None
        if found.sight is not None and folder is None:
            message = "the row names a folder that holds the whole run as its log folder; it was not read"
            self._tell("wrong-kind", message, found.path, slot, row)
            return None
        self.evidence.claims.setdefault(found.path, []).append(slot)
        if found.outside:
            self.evidence.outside += 1
            self.evidence.outside_example = self.evidence.outside_example or found.path
        if folder is None:
            return LogFolder(path=found.path, read=False)
        if found.outer is not None:
            message = f"the row names {found.outer}; the copy inside this folder was used"
            self._tell("inner-copy-used", message, found.path, slot, row)
        self.evidence.findings += [
            msgspec.structs.replace(f, task_index=slot.task_index, repeat=slot.repeat, task_id=row.task_id)
            for f in folder.findings
        ]
        scored = judged.outcome == "scored"
        self.evidence.findings += reward_findings(slot, row, folder, scored=scored, sound_times=self._sound_times)
        self.evidence.by_age |= row.verifier_seconds is not None and bool(folder.reward_mtimes_ns)
        return folder

    def _note_missing(self, slot: Slot, row: Row, found: Found) -> None:
        told = shown(row.logs or "")
        self.evidence.missing.append(
            MissingPath(path=told, field="verifier_logs", task_index=slot.task_index, repeat=slot.repeat)
        )
        trouble = found.sight.trouble("folder") if found.sight is not None else None
        if trouble is not None:
            self._tell(trouble.id, f"{trouble.message}: {told}", None, slot, row)

    def _tell(self, finding: str, message: str, path: str | None, slot: Slot, row: Row) -> None:
        self.evidence.findings.append(
            Finding(
                id=finding,
                message=message,
                path=path,
                task_index=slot.task_index,
                repeat=slot.repeat,
                task_id=row.task_id,
            )
        )


def shared_folders(claims: dict[str, list[Slot]]) -> list[Finding]:
    """Log folders that more than one task or repeat names."""
    found = []
    for path, slots in claims.items():
        if len(slots) > 1:
            told = ", ".join(f"{slot.task_index}/{slot.repeat}" for slot in slots[:10])
            found.append(Finding(id="shared-log-folder", message=f"named by tasks {told}", path=path))
    return found
