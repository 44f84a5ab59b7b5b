"""Tells a job folder from any other folder, by what its documents hold and, where they are damaged, by names.

A folder of jobs gives one target for each job. A trial's own folder is no job.
"""

import os

from runaudit.layouts.base import Target
from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.locate import JobFolder, job_folder, listing
from runaudit.layouts.json_fields import mapping
from runaudit.model.trouble import Trouble
from runaudit.read.documents import Document, read_json
from runaudit.read.places import Places, Sight

NAME = "harbor-job"
_CONFIG_KEYS = {"agents", "datasets", "tasks", "job_name", "jobs_dir", "orchestrator", "n_attempts"}
_RESULT_KEYS = {"n_total_trials", "stats"}
_TRIAL_KEYS = {"trial_name", "task_name", "trial_uri", "task_checksum"}
_DOCUMENTS = {names.CONFIG, names.LOCK, names.RESULT, names.JOB_LOG}
_MOST_LOOKED_AT = 20


def targets_at(path: str) -> tuple[Target, ...]:
    """The jobs at `path`: a job folder, one of its documents, or a folder that holds job folders."""
    absolute = os.path.abspath(path)
    if os.path.basename(absolute) in (*names.JOB_FILES.values(), names.SUMMARY, names.OTHER_SUMMARY):
        parent = os.path.dirname(absolute)
        if is_job(parent):
            return (Target(NAME, parent, ""),)
    if is_job(absolute):
        return (Target(NAME, absolute, ""),)
    listed = listing(Places([absolute]).look(absolute))
    inner = () if isinstance(listed, Trouble) or _holds_rows(listed) else listed
    folders = (os.path.join(absolute, name) for name in inner if not name.startswith("."))
    return tuple(Target(NAME, folder, "") for folder in folders if is_job(folder))


def is_job(path: str) -> bool:
    """Whether the folder at `path` is one of a Harbor job."""
    places = Places([path])
    if places.look(path).kind != "folder":
        return False
    listed = listing(places.look(path))
    if isinstance(listed, Trouble) or (_holds_rows(listed) and not _DOCUMENTS & set(listed)):
        return False
    folder = job_folder(places, path)
    if _states_job(folder):
        return True
    if places.look(os.path.join(path, names.TRIAL_LOG)).present:
        return False
    return any(_is_harbor_trial(places, folder, name) for name in folder.trials[:_MOST_LOOKED_AT])


def _holds_rows(listed: tuple[str, ...]) -> bool:
    """Whether another producer's rows lie there: such a folder can hold a hundred thousand others."""
    return any(name.endswith((".jsonl", ".jsonl.gz")) for name in listed if name != names.LEDGER)


def _states_job(folder: JobFolder) -> bool:
    result, config, lock = (_keys(folder.files[key]) for key in ("result", "config", "lock"))
    return (
        bool(result & _RESULT_KEYS and not result & _TRIAL_KEYS)
        or bool(config & _CONFIG_KEYS and "trial_name" not in config)
        or {"trials", "harbor"} <= lock
    )


def _is_harbor_trial(places: Places, folder: JobFolder, name: str) -> bool:
    where = os.path.join(folder.path, name)
    stated = _keys(places.look(os.path.join(where, names.RESULT))) | _keys(
        places.look(os.path.join(where, names.CONFIG))
    )
    return bool(stated & _TRIAL_KEYS) or names.TRIAL_NAME.match(name) is not None


def _keys(sight: Sight) -> set[str]:
    if sight.kind != "file":
        return set()
    document = read_json(sight)
    return set(mapping(document.value)) if isinstance(document, Document) else set()
