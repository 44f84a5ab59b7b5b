"""Finds and reads the configuration: an explicit file, or one from the working directory upwards.

Never from inside an audited folder: a received folder must not influence its own audit. Such a file is named by the
note `configuration-ignored` and never opened. Unknown keys are refused, with the key that was probably meant.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from runaudit.errors import UsageError
from runaudit.model.configuration import Configuration
from runaudit.model.finding import Definition, Finding
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.hashing import of_bytes
from runaudit.read.named import is_folder
from runaudit.read.places import Places
from runaudit.usecases.configuration_format import parse

IGNORED = "configuration-ignored"
OWN_NAME = "runaudit.toml"
SHARED_NAME = "pyproject.toml"
_LARGEST = 1 << 20


class Loaded(msgspec.Struct, frozen=True):
    """The configuration in force, and a note for each one that was left unread inside an audited folder."""

    configuration: Configuration
    notes: tuple[Finding, ...] = ()


def load(*, explicit: str | None, start: str, audited: Sequence[str], registry: Mapping[str, Definition]) -> Loaded:
    """The configuration for an audit of `audited` (folders, or files that stand for their folders).

    `explicit` is the file that the user named; without it, the folders from `start` upwards are searched. Raises
    UsageError for a file that cannot be read or parsed, has unknown keys, or lies inside an audited folder.
    """
    folders = tuple(dict.fromkeys(_folder_of(path) for path in audited))
    notes = inside(folders)
    if explicit is not None:
        return Loaded(configuration=_explicit(explicit, folders, registry), notes=notes)
    for path in _candidates(os.path.abspath(start)):
        if os.path.isfile(path) and not _within(os.path.realpath(path), folders):
            configuration = _read(path, os.path.relpath(path, start), registry)
            if configuration is not None:
                return Loaded(configuration=configuration, notes=notes)
    return Loaded(configuration=Configuration(), notes=notes)


def inside(folders: Sequence[str]) -> tuple[Finding, ...]:
    """A note for each audited folder that holds a `runaudit.toml`. Nothing in the folder is opened."""
    return tuple(
        Finding(id=IGNORED, path=OWN_NAME, message=f"{OWN_NAME} inside {os.path.basename(folder)} was not read")
        for folder in folders
        if os.path.lexists(os.path.join(folder, OWN_NAME))
    )


def _explicit(path: str, audited: Sequence[str], registry: Mapping[str, Definition]) -> Configuration:
    if _within(os.path.realpath(path), audited):
        raise UsageError(
            f"{path}: this configuration lies inside the folder that is audited; copy it outside and name the copy "
            "with --config"
        )
    configuration = _read(path, path, registry)
    if configuration is None:
        raise UsageError(f"{path}: expected a table [tool.runaudit], found none")
    return configuration


def _candidates(folder: str) -> Iterator[str]:
    """Where a configuration may stand, nearest first."""
    while True:
        yield from (os.path.join(folder, name) for name in (OWN_NAME, SHARED_NAME))
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _read(path: str, shown: str, registry: Mapping[str, Definition]) -> Configuration | None:
    """The configuration in a file; None when it is a shared file that says nothing about runaudit."""
    data = _bytes(path)
    shared = os.path.basename(path) == SHARED_NAME
    if shared and b"runaudit" not in data:
        # somebody else's file, which may be broken in ways that are none of ours
        return None
    import tomllib  # noqa: PLC0415  # most folders have no configuration, and it takes as long as ten modules of ours

    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{shown}: no TOML: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{shown}: no TOML that can be read: nested too deep") from error
    own = _own_table(table, shown) if shared else table
    return None if own is None else parse(own, shown, registry, digest=str(of_bytes(data, "sha256")))


def _own_table(document: Mapping[str, Any], shown: str) -> Mapping[str, Any] | None:
    tools = document.get("tool")
    table = tools.get("runaudit") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{shown}: tool.runaudit: expected a table, found {type(table).__name__}")
    return table


def _bytes(path: str) -> bytes:
    # The user's own file may be a link to wherever they keep it; what it leads to must be a plain file.
    real = os.path.realpath(path)
    data = read_bytes(Places([os.path.dirname(real)]).look(real), _LARGEST)
    if isinstance(data, Trouble):
        raise UsageError(f"{path}: {data.message}")
    return data


def _folder_of(path: str) -> str:
    real = os.path.realpath(path)
    if not os.path.isdir(real):
        return os.path.dirname(real)
    return real if is_folder(path) else os.path.realpath(os.path.dirname(path) or ".")


def _within(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)
