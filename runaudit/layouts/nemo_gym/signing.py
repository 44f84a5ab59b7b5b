"""Records what sits under a run's output names before it is dispatched, and which log folders are there already."""

import os

import msgspec

from runaudit.layouts.nemo_gym.names import Names
from runaudit.layouts.nemo_gym.prepared import Told, find, log_parents_of
from runaudit.model.relative import relative_to
from runaudit.model.signature import FolderSignature, OutputSignatures, Signature
from runaudit.model.trouble import Trouble
from runaudit.read.blocks import Plain
from runaudit.read.documents import digest_of
from runaudit.read.folder import list_folder
from runaudit.read.lines import lines_of
from runaudit.read.places import Places, Sight, open_plain

_USUAL_PARENTS = ("verifier", "artifacts")
_ROWS_LOOKED_AT = 1000
_MOST_ROW = 64 << 20


class _Logs(msgspec.Struct):
    verifier_logs_dir: str | None = None


def sign_outputs(folder: str, names: Names) -> OutputSignatures:
    """The signatures of the run's own files, and of the sub-folders of the log folders' parents."""
    places = Places([folder], beyond=True)
    files: dict[str, Signature | None] = {}
    for key, name in names.own().items():
        sight = places.look(name)
        files[key] = _signature(name, sight) if sight.kind == "file" else None
    return OutputSignatures(files=files, log_folders=tuple(_log_folders(folder, names, places)))


def _signature(name: str, sight: Sight) -> Signature:
    digest = digest_of(sight, sample=True)
    told = None if isinstance(digest, Trouble) else str(digest)
    return Signature(path=name, size=sight.size, mtime_ns=sight.mtime_ns, digest=told)


def _log_folders(folder: str, names: Names, places: Places) -> list[FolderSignature]:
    prepared = find(names, folder, places, Told(rows=None, run_config=None, split="validation", agent=None))
    parents = [*_USUAL_PARENTS, *log_parents_of(prepared.config), *_parents_in_rows(places.look(names.rollouts))]
    seen: dict[str, FolderSignature] = {}
    for parent in parents:
        sight = places.look(parent)
        if sight.kind != "folder" or sight.real == folder:
            continue
        items = list_folder(sight.real)
        path = relative_to(sight.real, folder)
        if not isinstance(items, Trouble):
            entries = {item.name: item.mtime_ns for item in items if item.kind == "folder"}
            seen[path] = FolderSignature(path=path, entries=entries)
    return [seen[path] for path in sorted(seen)]


def _parents_in_rows(sight: Sight) -> list[str]:
    """The parents of the log folders that the first rows of an earlier run name."""
    if sight.kind != "file":
        return []
    decode = msgspec.json.Decoder(_Logs).decode
    parents: dict[str, None] = {}
    try:
        descriptor = open_plain(sight.real)
    except OSError:
        return []
    try:
        for line in lines_of(Plain(descriptor, None), _MOST_ROW):
            if line.number > _ROWS_LOOKED_AT:
                break
            try:
                logs = decode(line.data).verifier_logs_dir if line.data else None
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            if logs and logs.startswith("/"):
                parents[os.path.dirname(logs.rstrip("/"))] = None
    except OSError:
        return list(parents)
    finally:
        os.close(descriptor)
    return list(parents)
