"""Finds which run a path means: a rollouts path, a run folder, a job folder."""

import os

from runaudit.errors import InputError, UsageError
from runaudit.layouts import layout_named, layouts
from runaudit.layouts.base import Layout, Target
from runaudit.read.named import is_folder

__all__ = ["folders_of", "is_folder", "layout_of", "target_at", "targets_at"]


def targets_at(path: str) -> list[tuple[Layout, Target]]:
    """Every run that lies at a path. Raises InputError when a folder cannot be listed."""
    found = []
    for layout in layouts():
        found += [(layout, target) for target in layout.recognise(path)]
        if found:
            break
    return found


def folders_of(path: str) -> list[str]:
    """The folders of the runs at a path, where each run has a folder of its own below it; else the path itself."""
    folders = [target.folder for _, target in targets_at(path)] if is_folder(path) else []
    below = os.path.realpath(path).rstrip("/") + "/"
    apart = len(set(folders)) == len(folders) and all(os.path.realpath(folder).startswith(below) for folder in folders)
    return folders if folders and apart else [path]


def target_at(path: str) -> tuple[Layout, Target]:
    """The one run at a path.

    Raises InputError when there is none, UsageError when a folder holds several.
    """
    found = targets_at(path)
    if not found:
        raise InputError(f"{path}: no run was recognised there")
    if len(found) > 1:
        names = ", ".join(sorted(os.path.join(target.folder, target.name) for _, target in found))
        raise UsageError(f"{path} holds several runs; name one of: {names}")
    return found[0]


def layout_of(target: Target) -> Layout:
    """The layout of a target."""
    return layout_named(target.layout)
