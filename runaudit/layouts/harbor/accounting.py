"""Takes one Harbor job from its files to an account: read, judge, and name what was read."""

from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.judgement import judge
from runaudit.layouts.harbor.reading import Run, read_run
from runaudit.layouts.harbor.recognise import NAME
from runaudit.model.account import Account, Producer
from runaudit.model.request import Request
from runaudit.read.places import Places


def account_of(folder: str, request: Request) -> Account:
    """The job in a folder as its trials show it, held against what its own documents say."""
    places = Places([folder, *request.roots])
    run = read_run(places, folder, request)
    judged = judge(places, run, request)
    return Account(
        layout=NAME,
        producer=Producer("harbor", run.writer.version, run.writer.basis),
        folder=folder,
        stem=None,
        run=judged.identity,
        files=_files(run),
        evidence=run.evidence,
        entries=judged.entries,
        skipped=_told(request.skipped),
        unvalidated=_told(request.unvalidated),
        stale_files=tuple(run.stale),
        checks=judged.checks,
        findings=judged.findings,
    )


def _files(run: Run) -> dict[str, str | tuple[str, ...] | None]:
    stale = {file.path for file in run.stale}
    return {
        key: name if run.folder.files[key].present and name not in stale else None
        for key, name in names.JOB_FILES.items()
    }


def _told(told: object) -> dict[str, str]:
    return {str(key): str(value) for key, value in told.items()} if isinstance(told, dict) else {}
