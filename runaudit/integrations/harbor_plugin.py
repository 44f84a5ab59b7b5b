"""The job plugin for Harbor: `harbor run --plugin runaudit`. Keeps the ledger while the job runs, and summarises it.

It lives inside somebody else's run, so nothing of it may change that run: every hook catches everything that is not the
run's own cancellation, nothing of ours is imported before a hook needs it, and trouble is one line of the log. Harbor
loads the plugin only where it is named, on every `resume` again.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

LAYOUT = "harbor-job"
_log = logging.getLogger("runaudit")


class Job(Protocol):
    """What is used of Harbor's job."""

    job_dir: Any

    def on_trial_ended(self, callback: Callable[[Any], Awaitable[None]]) -> Any:
        """Registers what is called with the event of every attempt that ends."""
        ...


class RunauditPlugin:
    """`summary=false` (`--pk summary=false`) keeps the ledger only."""

    def __init__(self, **options: Any) -> None:
        self._folder: str | None = None
        self._summary = True
        try:
            self._summary = str(options.pop("summary", "true")).strip().lower() not in ("false", "0", "no")
            if options:
                _log.warning("runaudit: unknown options: %s", ", ".join(sorted(options)))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # the run must not notice
            _complain("start", error)

    async def on_job_start(self, job: Job) -> None:
        """Records what is there before any trial runs, and asks to hear of every attempt that ends."""
        try:
            self._folder = str(job.job_dir)
            job.on_trial_ended(self.on_trial_ended)
            self.record("start", None)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # the run must not notice
            _complain("job start", error)

    async def on_trial_ended(self, event: Any) -> None:
        """Records the attempt, also one that a retry will remove."""
        try:
            self.record("attempt", event.result.model_dump(mode="json"))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # the run must not notice
            _complain("trial end", error)

    async def on_job_end(self, job_result: Any) -> None:  # noqa: ARG002  # Harbor's signature
        """Records the final state and writes the summary."""
        try:
            self.record("end", None)
            if self._summary:
                self.summarize()
        except (Exception, SystemExit) as error:  # noqa: BLE001  # the run must not notice
            _complain("job end", error)

    def record(self, event: str, result: Mapping[str, Any] | None) -> None:
        """Appends to the ledger. Raises OutputError."""
        from runaudit.usecases.record import record_event  # noqa: PLC0415  # only when a hook runs

        if self._folder is not None:
            record_event(LAYOUT, self._folder, event, result)

    def summarize(self) -> None:
        """Writes the summary. Raises InputError and OutputError."""
        from runaudit.usecases.summarize import write_run_summary  # noqa: PLC0415  # only when a hook runs

        if self._folder is not None:
            write_run_summary(self._folder)


def _complain(where: str, error: BaseException) -> None:
    _log.warning("runaudit: nothing was recorded at %s: %s: %s", where, type(error).__name__, error)
