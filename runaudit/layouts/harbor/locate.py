"""What lies in a job folder: the job's own documents, its trial folders, and everything else, by name.

Positions decide, recorded paths never: they are absolute and stale after the first move.
"""

import os

import msgspec

from runaudit.layouts.harbor import names
from runaudit.model.trouble import Trouble
from runaudit.read.places import Places, Sight


class JobFolder(msgspec.Struct, frozen=True):
    """A job folder, listed. `files` has a sight for every key of `names.JOB_FILES`; `others` are names nobody owns."""

    path: str
    files: dict[str, Sight]
    trials: tuple[str, ...]
    others: tuple[str, ...] = ()
    trouble: Trouble | None = None


def listing(sight: Sight) -> tuple[str, ...] | Trouble:
    """The sorted names in a folder."""
    if sight.kind != "folder":
        return sight.trouble("folder") or Trouble(id="document-unreadable", message="it is not there")
    try:
        return tuple(sorted(os.listdir(sight.real)))
    except PermissionError:
        return Trouble(id="no-permission", message="no-permission: the folder may not be read")
    except OSError as error:
        return Trouble(id="document-unreadable", message=f"cannot be listed: {error.strerror or error}")


def job_folder(places: Places, path: str) -> JobFolder:
    """The job folder at `path`. Never raises: a folder that cannot be listed has no trials and a trouble."""
    files = {key: places.look(os.path.join(path, name)) for key, name in names.JOB_FILES.items()}
    listed = listing(places.look(path))
    if isinstance(listed, Trouble):
        return JobFolder(path, files, (), trouble=listed)
    owned = {*names.JOB_FILES.values(), names.SUMMARY, names.OTHER_SUMMARY, names.SIGNATURES, *names.OTHER_JOB_FILES}
    trials: list[str] = []
    others: list[str] = []
    for name in listed:
        if name in owned:
            continue
        (trials if not name.startswith(".") and is_trial(places, os.path.join(path, name)) else others).append(name)
    return JobFolder(path, files, tuple(trials), tuple(others))


def is_trial(places: Places, path: str) -> bool:
    """Whether a folder is one of a trial, finished or not."""
    if places.look(path).kind != "folder" or places.look(os.path.join(path, names.JOB_LOG)).present:
        return False  # a job that was copied into this one is no trial of it
    if any(places.look(os.path.join(path, mark)).present for mark in names.TRIAL_MARKS):
        return True
    # a trial that was killed in its first moments
    return (
        names.TRIAL_NAME.match(os.path.basename(path)) is not None
        and places.look(os.path.join(path, names.TRIAL_LOG)).present
    )
