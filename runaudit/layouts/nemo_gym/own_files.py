"""The files under the run's own output names: which are there, which an earlier run left, which age excludes.

A signed file is left over when size, time and content hash are all unchanged since before dispatch. Decisions of an
earlier summary (`Recorded`) stand: they were made when times could still be trusted.
"""

import msgspec

from runaudit.layouts.nemo_gym.names import Names
from runaudit.model.account import SetAside, StaleFile
from runaudit.model.digest import Digest
from runaudit.model.finding import Finding
from runaudit.model.request import Recorded
from runaudit.model.signature import OutputSignatures, Signature
from runaudit.model.task import FileEvidence
from runaudit.model.trouble import Trouble
from runaudit.read.documents import digest_of
from runaudit.read.places import Places, Sight


class OwnFiles(msgspec.Struct):
    """What lies under the run's names. `sights` holds only files that are this run's so far."""

    sights: dict[str, Sight] = msgspec.field(default_factory=dict)
    paths: dict[str, str] = msgspec.field(default_factory=dict)
    stale: list[StaleFile] = msgspec.field(default_factory=list)
    set_aside: list[SetAside] = msgspec.field(default_factory=list)
    findings: list[Finding] = msgspec.field(default_factory=list)
    present: list[Sight] = msgspec.field(default_factory=list)

    def withdraw(self, key: str, reason: str, finding: Finding | None) -> None:
        """Takes a file off the run's list, and says why."""
        sight, path = self.sights.pop(key), self.paths.pop(key)
        digest = digest_of(sight)
        told = None if isinstance(digest, Trouble) else str(digest)
        self.set_aside.append(SetAside(key=key, path=path, reason=reason, size=sight.size, digest=told))
        if finding is not None:
            self.findings.append(finding)


def locate(names: Names, places: Places, signatures: OutputSignatures | None, recorded: Recorded | None) -> OwnFiles:
    """Looks at every own name, and sets aside what an earlier run left there."""
    own = OwnFiles()
    for key, name in names.own().items():
        sight = places.look(name)
        trouble = sight.trouble("file")
        if trouble is not None:
            own.findings.append(trouble.at(name))
        if sight.kind == "no-permission":
            own.paths[key] = name
            own.sights[key] = sight
        if sight.kind != "file":
            continue
        own.present.append(sight)
        left = _left_over(name, sight, signatures.files.get(key) if signatures else None, recorded)
        if left is None:
            own.sights[key], own.paths[key] = sight, name
        else:
            own.stale.append(left)
            own.findings.append(
                Finding(id="stale-file", message="unchanged since before the run was dispatched", path=name)
            )
    return own


def _left_over(name: str, sight: Sight, signature: Signature | None, recorded: Recorded | None) -> StaleFile | None:
    if recorded is not None:
        if name not in recorded.stale:
            return None
        digest = _digest_like(sight, recorded.stale[name])
        return StaleFile(path=name, size=sight.size, digest=None if digest is None else str(digest))
    if signature is None or signature.size != sight.size:
        return None
    digest = _digest_like(sight, signature.digest)
    if signature.matches(sight.size, sight.mtime_ns, digest):
        return StaleFile(path=name, size=sight.size, digest=str(digest))
    return None


def _digest_like(sight: Sight, stated: str | None) -> Digest | None:
    """The file's digest, taken the way the stated one was."""
    if stated is None:
        return None
    like = Digest.parse(stated)
    digest = digest_of(sight, like.algorithm, sample=like.sampled)
    return None if isinstance(digest, Trouble) else digest


def withdraw_old_aggregate(own: OwnFiles, recorded: Recorded | None, doubt: str) -> bool:
    """The aggregate counts only when at least as new as this run's rollouts. Returns whether age decided.

    `doubt` is added to the message where times are weak evidence.
    """
    key = "aggregate_metrics"
    if key not in own.sights:
        return False
    path, rollouts = own.paths[key], own.sights.get("rollouts")
    if rollouts is None:
        finding = Finding(
            id="aggregate-without-rollouts", message="no rollouts of this run: an earlier run left it", path=path
        )
        own.withdraw(key, "no rollouts of this run", finding)
        return False
    if recorded is not None and (path in recorded.listed or path in recorded.set_aside):
        if path in recorded.set_aside:
            own.withdraw(key, "older than the rollouts", _older(path, "as the summary recorded", ""))
        return False
    behind = rollouts.mtime_ns - own.sights[key].mtime_ns
    if behind > 0:
        seconds = f"{behind / 1e9:.3f}".rstrip("0").rstrip(".")
        own.withdraw(key, "older than the rollouts", _older(path, f"by {seconds} s", doubt))
    return True


def _older(path: str, how_much: str, doubt: str) -> Finding:
    return Finding(
        id="aggregate-older", message=f"the aggregate is older than the rollouts {how_much}{doubt}", path=path
    )


def evidence_of(sight: Sight, digest: Digest | Trouble | None) -> FileEvidence:
    """Size and digest as the document states them."""
    return FileEvidence(sight.size, None if digest is None or isinstance(digest, Trouble) else str(digest))
