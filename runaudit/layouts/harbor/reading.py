"""Reads a whole job: its documents, its trials with their evidence, its ledger, and who wrote it."""

import os

import msgspec

from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.document import Reading
from runaudit.layouts.harbor.job import Job, read_job
from runaudit.layouts.harbor.ledger import Ledger
from runaudit.layouts.harbor.ledger_file import read_ledger
from runaudit.layouts.harbor.locate import JobFolder, job_folder
from runaudit.layouts.harbor.read_trial import read_trial, with_files
from runaudit.layouts.harbor.signing import stale_of
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.harbor.versions import Writer, writer_of
from runaudit.model.account import StaleFile
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.relative import shown
from runaudit.model.request import Request
from runaudit.model.task import FileEvidence
from runaudit.model.trouble import Trouble
from runaudit.read.documents import digest_of
from runaudit.read.places import Places


class Run(msgspec.Struct, frozen=True):
    """A job, read. `evidence` is by path; `findings` is what could not be read; nothing is judged yet."""

    folder: JobFolder
    job: Job
    trials: list[Trial]
    writer: Writer
    ledger: Ledger | None
    evidence: dict[str, FileEvidence]
    stale: list[StaleFile]
    findings: list[Finding]


def read_run(places: Places, path: str, request: Request) -> Run:
    """The job in the folder at `path`."""
    folder = job_folder(places, path)
    job, findings = read_job(folder, request.digest)
    findings += _leading_out(places, folder)
    if folder.trouble is not None:
        findings.append(folder.trouble.at("."))
    stale = stale_of(places, folder, request.signatures)
    trials, more = _trials(places, folder, {file.path for file in stale}, request.digest)
    writer = writer_of(job.config.value, job.lock.value, job.result.value, [trial.result.value for trial in trials])
    evidence = _evidence(folder, job, request.digest)
    for position, trial in enumerate(trials):
        trials[position], files, troubles = with_files(places, path, trial, writer, request.digest)
        evidence |= files
        more += [trouble for trouble in troubles if trouble not in more]
    ledger = read_ledger(folder.files["ledger"])
    if isinstance(ledger, Trouble):
        more.append(ledger.at(names.LEDGER))
        ledger = None
    more += [Finding("stale-file", "unchanged since before this run was dispatched", path=file.path) for file in stale]
    if stale:
        job = msgspec.structs.replace(job, result=_unread(job.result))
    return Run(folder, job, trials, writer, ledger, evidence, stale, findings + more)


def _trials(
    places: Places, folder: JobFolder, stale: set[str], algorithm: Algorithm | None
) -> tuple[list[Trial], list[Finding]]:
    trials, findings = [], []
    for name in folder.trials:
        trial, troubles = read_trial(places, folder.path, name, algorithm)
        if trial.result.path in stale:
            trial = msgspec.structs.replace(trial, result=_unread(trial.result))
        trials.append(trial)
        findings += troubles
    return trials, findings


def _leading_out(places: Places, folder: JobFolder) -> list[Finding]:
    """Links in the job folder that lead out of it, in the place of a trial perhaps; never followed."""
    sights = {name: places.look(os.path.join(folder.path, name)) for name in folder.others}
    troubles = {name: sight.trouble("folder") for name, sight in sights.items() if sight.kind != "file"}
    return [trouble.at(shown(name)) for name, trouble in troubles.items() if trouble is not None]


def _unread(reading: Reading) -> Reading:
    """A document that an earlier run left: as if it were not there."""
    return Reading(reading.path, present=False, value={})


def _evidence(folder: JobFolder, job: Job, algorithm: Algorithm | None) -> dict[str, FileEvidence]:
    readings = (job.config, job.lock, job.result)
    found = {reading.path: reading.evidence for reading in readings if reading.evidence is not None}
    for key in ("job_log", "ledger"):
        sight = folder.files[key]
        if sight.kind == "file":
            digest = digest_of(sight, algorithm, sample=True) if algorithm else None
            found[names.JOB_FILES[key]] = FileEvidence(
                sight.size, None if digest is None or isinstance(digest, Trouble) else str(digest)
            )
    return found
