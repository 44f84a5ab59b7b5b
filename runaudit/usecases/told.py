"""Files that a caller names on the command line: resolved once, refused when they are not there."""

import os

from runaudit.errors import InputError
from runaudit.layouts.nemo_gym.selection import NO_REFERENCE_SOLUTION
from runaudit.layouts.nemo_gym.told import read_reasons
from runaudit.read.places import Places


def existing(path: str | None) -> str | None:
    """The resolved path of a named file; None stays None. Raises InputError when nothing is there."""
    if path is None:
        return None
    if not os.path.exists(path):
        raise InputError(f"{path}: there is no such file")
    return os.path.realpath(path)


def unvalidated_in(path: str | None) -> dict[str, str] | None:
    """Task id to reason from a JSON file: an object, or a list of ids. Raises InputError."""
    whole = existing(path)
    if whole is None or path is None:
        return None
    return read_reasons(Places([os.path.dirname(whole)]).look(whole), path, NO_REFERENCE_SOLUTION)
