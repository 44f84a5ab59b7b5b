"""What a job's documents and results look like now, to tell after a run whether it wrote them.

A job's result is rewritten whenever Harbor starts on the folder. Unchanged, nothing of this run reached it; changed, a
trial that is older was taken over by a resume and is the run's own.
"""

import os

from runaudit.errors import InputError
from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.locate import JobFolder, job_folder
from runaudit.model.account import StaleFile
from runaudit.model.digest import Digest
from runaudit.model.signature import OutputSignatures, Signature
from runaudit.read.documents import digest_of
from runaudit.read.places import Places, Sight

_SIGNED = ("config", "lock", "result", "job_log")
_TRIAL = "trial "


def sign(folder: str) -> OutputSignatures:
    """The signatures of the job at `folder`; all null when there is no such folder.

    Raises InputError when something is there that cannot be looked at.
    """
    places = Places([folder])
    found = job_folder(places, folder)
    files = {key: _signature(found.files[key], names.JOB_FILES[key]) for key in _SIGNED}
    for trial in found.trials:
        path = f"{trial}/{names.RESULT}"
        files[_TRIAL + trial] = _signature(places.look(os.path.join(folder, path)), path)
    return OutputSignatures(files=files)


def _signature(sight: Sight, path: str) -> Signature | None:
    if not sight.present:
        return None
    digest = digest_of(sight, sample=True)
    if not isinstance(digest, Digest):
        raise InputError(f"{path}: {digest.message}")
    return Signature(path, sight.size, sight.mtime_ns, str(digest))


def stale_of(places: Places, folder: JobFolder, signatures: OutputSignatures | None) -> list[StaleFile]:
    """The files that an earlier run left, when nothing of this run reached the folder; else none."""
    if signatures is None or not _unchanged(folder.files["result"], signatures.files.get("result")):
        return []
    stale = [_stale(folder.files["result"], names.RESULT)]
    for trial in folder.trials:
        path = f"{trial}/{names.RESULT}"
        sight = places.look(os.path.join(folder.path, path))
        if _unchanged(sight, signatures.files.get(_TRIAL + trial)):
            stale.append(_stale(sight, path))
    return stale


def _unchanged(sight: Sight, signature: Signature | None) -> bool:
    if signature is None or sight.kind != "file":
        return False
    digest = digest_of(sight, sample=True)
    return isinstance(digest, Digest) and signature.matches(sight.size, sight.mtime_ns, digest)


def _stale(sight: Sight, path: str) -> StaleFile:
    digest = digest_of(sight, sample=True)
    return StaleFile(path, sight.size, str(digest) if isinstance(digest, Digest) else None)
