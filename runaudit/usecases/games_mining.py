"""Mines all logs that a command was told of, and leaves out what one repeats of another."""

import msgspec

from runaudit.errors import UsageError
from runaudit.layouts.games.logsources import SECONDS, all_distinct, mine_dashboard, mine_file
from runaudit.layouts.games.mining import JobLog
from runaudit.layouts.games.overlap import without_repeats
from runaudit.model.finding import Finding

__all__ = ["SECONDS", "LogSources", "Mined", "mine_logs"]


class LogSources(msgspec.Struct, frozen=True):
    """Where to mine: log files or folders (`JOB=PATH` names the job), and jobs of one Ray dashboard.

    `cap` is a number of lines that a source is known to keep at most. `seconds` bounds each wait for the dashboard.
    """

    files: tuple[str, ...] = ()
    dashboard: str | None = None
    jobs: tuple[str, ...] = ()
    cap: int | None = None
    seconds: float = SECONDS

    @property
    def any(self) -> bool:
        """Whether there is anything to mine."""
        return bool(self.files or self.jobs)


class Mined(msgspec.Struct, frozen=True):
    """The logs without repeats, and every finding about them."""

    logs: tuple[JobLog, ...]
    findings: tuple[Finding, ...]


def mine_logs(sources: LogSources) -> Mined | None:
    """All logs of the sources; None when there are none to read.

    Raises UsageError for a dashboard without jobs or jobs without a dashboard, InputError for an unreadable log.
    """
    if bool(sources.dashboard) != bool(sources.jobs):
        raise UsageError("--dashboard and --job belong together")
    if not sources.any:
        return None
    found = [log for path in sources.files for log in mine_file(path, cap=sources.cap)]
    if sources.dashboard:
        url = sources.dashboard
        found += [mine_dashboard(url, job, seconds=sources.seconds, cap=sources.cap) for job in sources.jobs]
    logs, repeats = without_repeats(all_distinct(found))
    return Mined(logs=logs, findings=(*(finding for log in logs for finding in log.findings), *repeats))
