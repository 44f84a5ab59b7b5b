"""Holds the summary of one run against its folder: is everything still here, and does the summary follow from it?

What could not be looked at is never called changed, missing or outdated: it becomes a check that was not made.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from runaudit.judge.agreement import document_findings, entry_findings
from runaudit.judge.integrity import TASK_FILES, file_findings, listed_files, task_findings
from runaudit.judge.showing import same, shown_text
from runaudit.judge.whereabouts import whereabouts
from runaudit.layouts.base import Layout, LogReader
from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.documents import digest_of
from runaudit.read.places import Places
from runaudit.usecases.recorded import digest_in, is_entry, left_out_of

Document = Mapping[str, Any]
# keys of `files` whose content shapes nothing else in the document
_ONLY_LISTED = frozenset(
    {"rows_prepare", "collated_input", "reward_profiling", "agent_metrics", "repeat_level_metrics", "producer_summary"}
)
_OF_A_FOLDER = frozenset({"verifier_logs", "test_stdout", "reward_file", "trajectory", "artifacts"})
# what a log folder holds beside the files that have a field
_APART = ("artifacts", "other", "files")
# findings that already say why a path was not opened
_BARRING = frozenset({"no-permission", "outside-root", "link-loop", "dangling-link", "wrong-kind"})
_NEVER_RECHECKED = frozenset({"run.resumed", "run.selected_from"})


class Held:
    """One comparison, one use.

    `rebuilt` is the document made from the files now, `made` what was found on the way; `signatures` is the name that
    the run's signatures have.
    """

    def __init__(
        self,
        layout: Layout,
        summary: Document,
        rebuilt: Document,
        *,
        places: Places,
        signatures: str,
        made: Sequence[Finding],
    ) -> None:
        self.findings: list[Finding] = []
        self.checks: list[Check] = []
        self._layout = layout
        self._summary = summary
        self._rebuilt = rebuilt
        self._places = places
        self._signatures_name = signatures
        self._known = {(finding.id, finding.path) for finding in made}
        self._closed = {finding.path for finding in made if finding.id == "no-permission" and finding.path}
        self._barred = {finding.path for finding in made if finding.id in _BARRING and finding.path}
        self._left_out = left_out_of(summary) | self._uncertain()

    def against_the_folder(self) -> "Held":
        """Makes every comparison; afterwards `findings` and `checks` hold what came out."""
        self._files()
        self._signatures()
        differences: list[Finding] = [*document_findings(self._summary, self._rebuilt, left_out=self._left_out)]
        differences += self._tasks()
        self._conclude_agreement(differences)
        if told := sorted(left_out_of(self._summary) - _NEVER_RECHECKED):
            reason = f"carried over, not rechecked: {', '.join(told)}"
            self.checks.append(Check(name="told values", made=False, reason=reason))
        return self

    def _tasks(self) -> list[Finding]:
        """Holds every entry against the rebuilt one; where they differ. Integrity goes to `findings` at once."""
        if self._rebuilt["tasks"] is self._summary["tasks"]:
            # the evidence gives the same text again
            return []
        entries = {self._layout.entry_key(entry): entry for entry in self._rebuilt["tasks"]}
        differences: list[Finding] = []
        for entry in self._summary["tasks"]:
            if not is_entry(entry):
                self.findings.append(Finding(id="summary-unreadable", message="an entry of tasks is none"))
                continue
            found = entries.pop(self._layout.entry_key(entry), None)
            if same(entry, found):
                # the evidence gives the same entry again, digests included: no comparison could find anything
                continue
            self._task(entry, found)
            differences += entry_findings(entry, found, left_out=self._left_out | self._unread_of(entry))
        return differences + [_unknown_entry(entry) for entry in entries.values()]

    def _uncertain(self) -> frozenset[str]:
        """What cannot be compared because something may not be read: now, or when the summary was written."""
        groups = self._summary.get("findings")
        told = [group.get("id") for group in groups if isinstance(group, Mapping)] if isinstance(groups, list) else []
        names = {"evidence"} if "no-permission" in told else set()
        return frozenset(names | ({"evidence", "findings", "checks"} if self._barred else set()))

    def _files(self) -> None:
        """Size and digest of each listed file as it is now; what is wrong with its place; what lies outside."""
        now: dict[str, Document | None] = {}
        outside: list[str] = []
        present = listed_files(self._rebuilt)
        for path, told in listed_files(self._summary).items():
            if path in present:
                # what may not be read was not read for that reason, and is no damage
                now[path] = {"size": present[path].get("size")} if self._is_closed(path) else present[path]
            elif not self._places.reachable(path):
                outside.append(path)
                if os.path.isabs(path):
                    message = "the summary names a path outside the folder; it was not opened"
                    self._tell(Finding(id="outside-root", message=message, path=path))
            elif not self._is_closed(path):
                self._look(path, told, now)
        self.findings += file_findings(self._summary, now)
        self.checks.append(Check(name="integrity", made=True, count=len(now)))
        if outside:
            reason = f"{len(outside)} files lie outside the folder, for instance {outside[0]}"
            self.checks.append(Check(name="files outside the folder", made=False, reason=reason))

    def _signatures(self) -> None:
        """The signatures that the summary used: they say what an earlier run left, so they belong to the evidence."""
        stated = self._summary["options"].get("signatures")
        if not isinstance(stated, str):
            return
        seen = self._seen(self._signatures_name, {"digest": stated})
        if isinstance(seen, Trouble):
            self._tell(seen.at(self._signatures_name))
        elif seen is None:
            reason = "the signatures that the summary used are not here"
            self.checks.append(Check(name="signatures", made=False, reason=reason))
        elif seen.get("digest") != stated:
            expected, found = shown_text(stated), str(seen.get("digest"))
            message = f"the summary used signatures {expected}; these are {found}"
            name = self._signatures_name
            self._tell(Finding(id="signatures-changed", message=message, path=name, expected=expected, found=found))

    def _look(self, path: str, told: Document, now: dict[str, Document | None]) -> None:
        seen = self._seen(path, told)
        if isinstance(seen, Trouble):
            self._tell(seen.at(path))
        else:
            now[path] = seen

    def _seen(self, path: str, told: Any) -> Document | Trouble | None:
        """Size and digest of a file, taken as the stated digest was; None when nothing is there."""
        sight = self._places.look(path)
        trouble = sight.trouble("file")
        if trouble is not None:
            return trouble
        if sight.kind == "absent":
            return None
        stated = digest_in(told)
        if stated is None:
            return {"size": sight.size}
        digest = digest_of(sight, stated.algorithm, sample=stated.sampled)
        return digest if isinstance(digest, Trouble) else {"size": sight.size, "digest": str(digest)}

    def _tell(self, finding: Finding) -> None:
        if (finding.id, finding.path) not in self._known:
            self.findings.append(finding)
        if finding.id == "no-permission" and finding.path:
            self._closed.add(finding.path)
        if finding.id in _BARRING and finding.path:
            self._barred.add(finding.path)

    def _is_closed(self, path: str) -> bool:
        """Whether a path, or a folder on the way to it, may not be read."""
        return _is_below(path, self._closed)

    def _unlooked(self, path: str) -> bool:
        return not self._places.reachable(path) or _is_below(path, self._barred)

    def _task(self, entry: Document, found: Document | None) -> None:
        logs = entry.get("verifier_logs")
        if isinstance(logs, str) and not self._unlooked(logs) and (found is None or found["verifier_logs"] is None):
            found = self._folder_without_its_row(entry, logs)
            if found is None:
                return
        self.findings += task_findings(entry, found, unlooked=self._unlooked, trees=not self._unread_of(entry))

    def _folder_without_its_row(self, entry: Document, logs: str) -> dict[str, Any] | None:
        """The part of an entry that its log folder gives, when no row leads there any more."""
        sight = self._places.look(logs)
        trouble = sight.trouble("folder")
        if trouble is not None:
            self._tell(trouble.at(logs))
            return None
        if sight.kind == "absent":
            message = "the log folder is gone"
            self.findings.append(Finding(id="file-missing", message=message, path=logs, **whereabouts(entry)))
            return None
        evidence = entry.get("evidence")
        recorded = evidence if isinstance(evidence, Mapping) else {}
        now = self._trees_below(logs, recorded)
        paths: dict[str, Any] = {}
        for name, field in TASK_FILES:
            path = entry.get(field)
            seen = self._seen(path, recorded.get(name)) if isinstance(path, str) else None
            if isinstance(seen, Trouble):
                self._tell(seen.at(str(path)))
            elif seen is not None:
                now[name], paths[field] = seen, path
        return {"verifier_logs": logs, "evidence": now, **paths}

    def _trees_below(self, logs: str, recorded: Mapping[str, Any]) -> dict[str, Any]:
        """What else the log folder holds, looked at as when the summary was written."""
        if not isinstance(self._layout, LogReader):
            return {name: recorded[name] for name in _APART if name in recorded}
        algorithm = self._summary["options"].get("digest")
        evidence, findings = self._layout.log_evidence(
            self._places, logs, algorithm if algorithm in ("xxh3", "sha256") else None
        )
        for finding in findings:
            if finding.id in _BARRING:
                self._tell(finding)
        told = msgspec.to_builtins(evidence) if evidence is not None else recorded
        return {name: told[name] for name in _APART if told.get(name) is not None}

    def _unread_of(self, entry: Document) -> frozenset[str]:
        """Fields of an entry that its log folder would have given, had it been possible to open all of it."""
        logs = entry.get("verifier_logs")
        if not self._barred or not isinstance(logs, str):
            return frozenset()
        inside = any(barred.startswith(logs + "/") for barred in self._barred)
        return _OF_A_FOLDER if inside or _is_below(logs, self._barred) else frozenset()

    def _conclude_agreement(self, differences: list[Finding]) -> None:
        """Differences count, unless a file that shapes the document may not be read: then nothing can be said."""
        shaping = {path for key, path in _paths(self._summary["files"]) if key not in _ONLY_LISTED}
        unread = sorted(path for path in shaping if self._is_closed(path))
        if unread:
            reason = f"{unread[0]} may not be read"
            self.checks.append(Check(name="agreement", made=False, reason=reason, belongs=True))
            return
        self.findings += differences
        self.checks.append(Check(name="agreement", made=True, count=len(self._summary["tasks"])))


def _is_below(path: str, folders: Collection[str]) -> bool:
    """Whether a path is one of some paths, or lies below one."""
    return bool(folders) and any(path == each or path.startswith(each + "/") for each in folders)


def _paths(files: Document) -> Iterator[tuple[str, str]]:
    for key, value in files.items():
        yield from ((key, path) for path in (value if isinstance(value, list) else [value]) if isinstance(path, str))


def _unknown_entry(entry: Document) -> Finding:
    message = "the evidence has an entry that the summary does not have"
    return Finding(id="summary-outdated", message=message, **whereabouts(entry))
