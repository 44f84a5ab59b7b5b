"""Takes one NeMo Gym run from its files to an account: locate, read, join, judge, in that order."""

import os
from typing import TYPE_CHECKING

import msgspec

from runaudit.layouts.nemo_gym import health
from runaudit.layouts.nemo_gym.entries import EntryMaker, Passing, passing, shared_folders
from runaudit.layouts.nemo_gym.identity import identity_of, producer_of
from runaudit.layouts.nemo_gym.join import Joined, Joiner
from runaudit.layouts.nemo_gym.log_paths import LogPaths
from runaudit.layouts.nemo_gym.names import Names
from runaudit.layouts.nemo_gym.outcome import Judgements, judge
from runaudit.layouts.nemo_gym.own_files import OwnFiles, evidence_of, locate, withdraw_old_aggregate
from runaudit.layouts.nemo_gym.prepared import Prepared, Told, find
from runaudit.layouts.nemo_gym.producer_summary import Ours, differences, find_producer_summary
from runaudit.layouts.nemo_gym.reading import Read, RunReader
from runaudit.layouts.nemo_gym.row_rules import hollow_rows, label_findings, out_of_range, unscored
from runaudit.layouts.nemo_gym.selection import Selection, select
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.layouts.nemo_gym.sources import Shard, read_sources
from runaudit.layouts.nemo_gym.times import Times, look_at
from runaudit.model.account import Account, Files, MissingPath
from runaudit.model.check import Check
from runaudit.model.digest import Digest
from runaudit.model.finding import Finding
from runaudit.model.request import Request
from runaudit.model.task import FileEvidence, TaskEntry
from runaudit.model.trouble import Trouble
from runaudit.read.documents import digest_of, read_json
from runaudit.read.folder import list_folder
from runaudit.read.places import Places, Sight

if TYPE_CHECKING:
    from runaudit.layouts.nemo_gym.aggregate import ServerMeans

_LEFTOVER_ENDS = (".tmp", ".upload.tmp")


class Accountant:
    """One run, one use. `folder` is the resolved results folder."""

    def __init__(self, folder: str, names: Names, request: Request) -> None:
        self._folder = folder
        self._names = names
        self._request = request
        self._places = Places([folder, *request.roots], beyond=request.beyond)
        self._findings: list[Finding] = []
        self._checks: list[Check] = []
        self._missing: list[MissingPath] = []
        self._evidence: dict[str, FileEvidence] = {}

    def account(self) -> Account:
        """Everything that is to be known of the run. Raises InputError for told files that cannot be read."""
        request = self._request
        own = locate(self._names, self._places, request.signatures, request.recorded)
        shards = self._shards(own)
        times = look_at([sight.mtime_ns for sight in own.present])
        self._attribute(own, shards, times)
        prepared = find(
            self._names,
            self._folder,
            self._places,
            Told(rows=request.rows, run_config=request.run_config, split=request.split, agent=request.agent),
        )
        read = RunReader(own, self._places, self._folder, request, shards).read()
        joined = self._join(own, read)
        selection = select(joined, prepared, request, self._places, self._findings)
        entries = self._entries(own, read, selection, times)
        means = self._aggregate(own, read, joined)
        self._collect(own, prepared, read, joined)
        files = self._files(own, prepared, read, shards)
        run = identity_of(read, prepared, entries, request)
        ours = Ours(run, len(entries), tuple(own.stale), selection.unvalidated, selection.skipped)
        files["producer_summary"] = self._producer_summary(ours, read)
        return Account(
            layout="nemo-gym",
            producer=producer_of(selection.slots, own),
            folder=self._folder,
            stem=self._names.stem,
            run=run,
            files=files,
            evidence=self._evidence,
            entries=entries,
            rows_unplaced=joined.unplaced,
            skipped=selection.skipped,
            unvalidated=selection.unvalidated,
            stale_files=tuple(own.stale),
            set_aside=tuple(own.set_aside),
            missing_paths=tuple(self._missing),
            checks=tuple(self._checks),
            findings=tuple(self._findings),
            means=means,
        )

    def _aggregate(self, own: OwnFiles, read: Read, joined: Joined) -> tuple["ServerMeans", ...]:
        """Holds this run's aggregate metrics against its rows."""
        if "aggregate_metrics" not in own.sights or read.rollouts is None:
            return ()
        path = own.paths["aggregate_metrics"]
        document = read_json(own.sights["aggregate_metrics"], strict_keys=False)
        if isinstance(document, Trouble):
            if document.id != "no-permission":
                self._findings.append(Finding(id="aggregate-unreadable", message=document.message, path=path))
            self._checks.append(Check(name="aggregate against rows", made=False, reason=document.message))
            return ()
        from runaudit.layouts.nemo_gym import aggregate  # noqa: PLC0415  # many rules, and few runs have the file

        findings, means = aggregate.check(
            document.value,
            [slot for slot in (*joined.slots, *joined.strangers) if slot.task_index is not None],
            path=path,
            sidecars=read.selected_from != "rows" or "failures" in own.sights,
            unplaced=joined.unplaced,
        )
        self._findings += findings
        self._checks.append(Check(name="aggregate against rows", made=True, count=len(means)))
        return means

    def _shards(self, own: OwnFiles) -> list[Shard]:
        if "sources" not in own.sights:
            return []
        shards, findings = read_sources(own.sights["sources"], own.paths["sources"], self._folder, self._places)
        self._findings += findings
        self._missing += [
            MissingPath(path=shard.path, field="sources")
            for shard in shards
            if shard.sight.kind in ("absent", "dangling-link", "link-loop")
        ]
        return shards

    def _attribute(self, own: OwnFiles, shards: list[Shard], times: Times) -> None:
        """Decides about the files that follow a completed collection: are they this run's?"""
        request = self._request
        by_age = withdraw_old_aggregate(own, request.recorded, times.doubt)
        if shards:
            paths = [os.path.join(self._folder, shard.path) for shard in shards]
            expected = frozenset(os.path.join(os.path.realpath(os.path.dirname(p)), os.path.basename(p)) for p in paths)
        else:
            expected = frozenset({os.path.join(self._folder, self._names.rollouts)})
        by_age |= health.attribute(own, self._folder, expected, recorded=request.recorded, mapped=self._mapped)
        if by_age and times.reset:
            message = "all file times are equal or from before 1981; age is weak evidence"
            self._findings.append(Finding(id="times-look-reset", message=message))
        elif by_age and times.coarse:
            message = "all file times are whole seconds; files of one second cannot be ordered"
            self._findings.append(Finding(id="coarse-times", message=message))

    def _mapped(self, path: str) -> str:
        for old, new in self._request.map:
            if path.startswith(old.rstrip("/") + "/"):
                return os.path.join(self._folder, new) + path[len(old.rstrip("/")) :]
        return path

    def _join(self, own: OwnFiles, read: Read) -> Joined:
        known = read.selected_from != "rows"
        joiner = Joiner(read.inputs.owed, known=known, own_numbering=read.own_numbering)
        if read.rollouts is not None:
            joiner.add(read.rollouts.table.take_rows(), own.paths["rollouts"])
        for path, shard, harvest in read.failures:
            joiner.add(harvest.table.take_rows(), path, failures=True, shard=shard if read.own_numbering else None)
        joined = joiner.joined
        if not known:
            joined.slots.sort(key=_order)
        return joined

    def _entries(self, own: OwnFiles, read: Read, selection: Selection, times: Times) -> list[TaskEntry]:
        path = own.paths.get("rollouts", self._names.rollouts)
        unplaced = bool(read.rollouts is not None and read.rollouts.unplaced) and selection.unplaced > 0
        outcomes = [judge(slot, path, self._findings, unplaced=unplaced) for slot in selection.slots]
        judged = Judgements(selection.slots, outcomes)
        rule = passing(judged, self._request.pass_at)
        self._findings += [*hollow_rows(judged, path), *out_of_range(rule), *unscored(judged, path)]
        files = [(path, read.rollouts)] if read.rollouts is not None else []
        files += [(name, harvest) for name, _, harvest in read.failures]
        self._findings += label_findings(read.inputs.task_sources, [(name, h.task_sources) for name, h in files])
        return self._with_evidence(own, judged, rule=rule, times=times)

    def _with_evidence(self, own: OwnFiles, judged: Judgements, *, rule: Passing, times: Times) -> list[TaskEntry]:
        request = self._request
        recorded = request.recorded.log_folders if request.recorded else None
        paths = LogPaths(self._places, self._folder, maps=request.map, relocate=request.relocate, recorded=recorded)
        maker = EntryMaker(
            self._places,
            paths,
            rule,
            algorithm=request.digest,
            sound_times=not times.reset,
            verdicts=self._verdicts(own),
            workers=request.workers,
        )
        entries = list(maker.make(judged))
        evidence = maker.evidence
        self._findings += [*evidence.findings, *shared_folders(evidence.claims)]
        self._missing += evidence.missing
        self._tell_missing(evidence.missing, paths)
        self._tell_outside(evidence.outside, evidence.outside_example)
        self._tell_stale_folders(evidence.claims)
        return entries

    def _verdicts(self, own: OwnFiles) -> dict[tuple[object, int, int], str]:
        if "rollout_verdicts" not in own.sights:
            return {}
        verdicts = health.read_verdicts(own.sights["rollout_verdicts"])
        path = own.paths["rollout_verdicts"]
        if isinstance(verdicts, Trouble):
            self._findings.append(msgspec.structs.replace(verdicts, id="health-unreadable").at(path))
            return {}
        if verdicts.unreadable:
            message = f"{verdicts.unreadable} lines are no verdicts"
            self._findings.append(Finding(id="health-unreadable", message=message, path=path))
        return verdicts.of

    def _tell_missing(self, missing: list[MissingPath], paths: LogPaths) -> None:
        hint = paths.suggestion() if missing else None
        for gone in missing:
            message = f"{gone.path} is named by the row and not on disk"
            if hint is not None:
                message += f"; with {hint} it resolves"
            self._findings.append(
                Finding(id="missing-log-folder", message=message, task_index=gone.task_index, repeat=gone.repeat)
            )

    def _tell_outside(self, count: int, example: str | None) -> None:
        if count:
            message = f"{count} log folders lie outside this folder and will not travel with it, for instance {example}"
            self._findings.append(Finding(id="evidence-outside-folder", message=message))

    def _tell_stale_folders(self, claims: dict[str, list[Slot]]) -> None:
        """Log folders that are unchanged since before dispatch, although this run's rows name them."""
        signatures = self._request.signatures
        for parent in signatures.log_folders if signatures else ():
            for path, slots in claims.items():
                head, _, name = path.rpartition("/")
                signed = parent.entries.get(name) if head == parent.path else None
                if signed is None:
                    continue
                sight = self._places.look(path)
                if sight.mtime_ns == signed:
                    self._findings.append(
                        Finding(
                            id="stale-log-folder",
                            message="unchanged since before the run was dispatched",
                            path=path,
                            task_index=slots[0].task_index,
                            repeat=slots[0].repeat,
                        )
                    )

    def _collect(self, own: OwnFiles, prepared: Prepared, read: Read, joined: Joined) -> None:
        """Joins what every step found, and names temporary files of stopped writers."""
        self._findings += [*own.findings, *prepared.findings, *read.findings, *joined.findings]
        self._checks += [*prepared.checks, *read.checks]
        items = list_folder(self._folder)
        if isinstance(items, Trouble):
            return
        stem = self._names.stem
        self._findings += [
            Finding(id="leftover-file", message="a stopped writer left it; it is not read", path=item.name)
            for item in items
            if item.name.endswith(_LEFTOVER_ENDS) and item.name.lstrip(".").startswith(stem)
        ]

    def _files(self, own: OwnFiles, prepared: Prepared, read: Read, shards: list[Shard]) -> Files:
        files: Files = {key: own.paths.get(key) for key in self._names.own()}
        files.update(prepared.paths)
        failures = tuple(path for path, shard, _ in read.failures if shard is not None)
        inventories = tuple(read.inventories.values())
        files["shards"] = tuple(shard.path for shard in shards if shard.sight.kind == "file")
        files["shard_failures"], files["shard_inputs"] = failures, inventories
        for key, sight in {**own.sights, **prepared.sights}.items():
            path = own.paths.get(key) or prepared.paths.get(key)
            if path is not None:
                self._note_evidence(path, read, sight)
        for shard in shards:
            if shard.sight.kind == "file":
                self._note_evidence(shard.path, read, shard.sight)
        for path in (*failures, *inventories):
            self._note_evidence(path, read, self._places.look(path))
        return files

    def _producer_summary(self, ours: Ours, read: Read) -> str | None:
        """The path of a summary that the producer itself wrote, held against what was found."""
        producer = find_producer_summary(self._names, self._places)
        if producer is None:
            return None
        self._findings += differences(producer, ours)
        self._note_evidence(producer.path, read, producer.sight)
        return producer.path

    def _note_evidence(self, path: str, read: Read, sight: Sight) -> None:
        algorithm = self._request.digest
        digest: Digest | Trouble | None = read.digests.get(path)
        if algorithm is None:
            digest = None
        elif not isinstance(digest, Digest) or digest.algorithm != algorithm:
            digest = digest_of(sight, algorithm)
        if isinstance(digest, Trouble):
            self._findings.append(digest.at(path))
            self._checks.append(Check(name=f"content of {path}", made=False, reason=digest.message, belongs=True))
        self._evidence[path] = evidence_of(sight, digest)


def _order(slot: Slot) -> tuple[object, ...]:
    return (
        slot.task_index is None,
        slot.task_index or 0,
        slot.repeat or 0,
        str(slot.stage or ""),
        slot.server or "",
        slot.agent or "",
    )
