"""Task folders that the caller has at hand, and their digests against what the trials record.

A recorded path is never followed by itself. It leads somewhere only through a root that the caller gave, or through a
mapping that the caller told.
"""

import os
from collections.abc import Iterator

from runaudit.layouts.harbor.task_digest import task_digest
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.json_fields import at, text
from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.request import Request
from runaudit.model.trouble import Trouble
from runaudit.read.places import Places

CHECK = "task digests recomputed"


def task_findings(trials: list[Trial], request: Request) -> Iterator[Finding | Check]:
    """Tasks whose folder is at hand and has another digest than the trials record."""
    roots = [*request.roots, *(new for _, new in request.map)]
    if not roots:
        return
    places = Places(roots)
    seen: dict[str, str | Trouble] = {}
    compared = 0
    for trial in trials:
        folder = _folder(places, roots, trial, request)
        if folder is None or trial.digest is None:
            continue
        digest = seen.setdefault(folder, "") or task_digest(places, folder)
        seen[folder] = digest
        if isinstance(digest, Trouble):
            yield Check(CHECK, made=False, reason=f"{trial.task}: {digest.message}")
            continue
        compared += 1
        if digest != trial.digest:
            yield Finding(
                "task-digest-differs",
                f"the task {trial.task or trial.task_name} has {digest[:19]}, {trial.name} has {trial.digest[:19]}",
                path=trial.lock.path,
                task_id=trial.task or trial.task_name,
                expected=trial.digest,
                found=digest,
            )
    if compared:
        yield Check(CHECK, made=True, count=compared)


def _folder(places: Places, roots: list[str], trial: Trial, request: Request) -> str | None:
    recorded = text(at(trial.lock.value, "task", "path"))
    if recorded is None:
        return None
    moved = [new + recorded.removeprefix(old) for old, new in request.map if recorded.startswith(old)]
    below = [os.path.join(root, recorded) for root in roots if not os.path.isabs(recorded)]
    named = [os.path.join(root, os.path.basename(recorded.rstrip("/"))) for root in roots]
    for place in (*moved, *below, *named):
        if places.look(os.path.join(place, "task.toml")).kind == "file":
            return place
    return None
