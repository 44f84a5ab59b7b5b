"""One JSON document of a job, read: its value, its bytes' digest, and the finding when it could not be read.

A document that states a key twice, or holds a number that is not finite, was written by no Harbor; both are found.
"""

import msgspec

from runaudit.layouts.json_fields import mapping
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.task import FileEvidence
from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.documents import Document, decode_json, read_bytes
from runaudit.read.places import Sight
from runaudit.read.values import doubled_keys

# Above this the fast parser goes first: results can carry the tokens of whole rollouts.
_EXPLAINED_UP_TO = 8 << 20


class Reading(msgspec.Struct, frozen=True):
    """What came of reading one document. `value` is an object; empty when the document is absent or unreadable."""

    path: str
    present: bool
    value: dict[str, object]
    evidence: FileEvidence | None = None
    trouble: Trouble | None = None
    doubled: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether there is a value to judge."""
        return self.present and self.trouble is None


def read_document(sight: Sight, path: str, algorithm: Algorithm | None) -> Reading:
    """Reads the document at `sight`; `path` is its name in findings, relative to the job folder."""
    if sight.kind == "absent":
        return Reading(path, present=False, value={})
    data = read_bytes(sight)
    if isinstance(data, Trouble):
        return Reading(path, present=True, value={}, evidence=FileEvidence(sight.size), trouble=data)
    evidence = FileEvidence(len(data), str(hashing.of_bytes(data, algorithm)) if algorithm else None)
    document, doubled = _decoded(data)
    if isinstance(document, Trouble):
        return Reading(path, present=True, value={}, evidence=evidence, trouble=document)
    return Reading(path, present=True, value=document, evidence=evidence, doubled=doubled)


def _decoded(data: bytes) -> tuple[dict[str, object] | Trouble, tuple[str, ...]]:
    """The object in `data`, and the keys that it states twice."""
    document = decode_json(data, strict_keys=len(data) <= _EXPLAINED_UP_TO)
    if not isinstance(document, Document):
        return document, ()
    if not isinstance(document.value, dict):
        return Trouble(id="document-unreadable", message="no JSON object"), ()
    try:
        return mapping(document.value), tuple(doubled_keys(document.value))
    except RecursionError:
        return Trouble(id="document-unreadable", message="nested too deep"), ()


def findings_of(reading: Reading, trouble_id: str | None = None) -> list[Finding]:
    """What is wrong with the document itself; `trouble_id` names the finding for one that cannot be decoded."""
    found = []
    if reading.trouble is not None:
        finding = reading.trouble.at(reading.path)
        if trouble_id is not None and finding.id in ("document-unreadable", "file-too-large"):
            finding = msgspec.structs.replace(finding, id=trouble_id, offset=None)
        found.append(finding)
    return found + [
        Finding("duplicate-key", f"{key} is stated twice; the last value was read", path=reading.path)
        for key in reading.doubled
    ]
