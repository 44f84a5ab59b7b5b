"""The plugin against a job that only looks like Harbor's: what it records, and that no fault of it gets out."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from runaudit.integrations.harbor_plugin import RunauditPlugin
from runaudit.layouts.harbor.ledger import parse_ledger
from tests.job_builders.harbor_job import HarborJob


class Event:
    """An attempt that ended, as Harbor hands it over."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.result = self
        self._result = result

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        assert mode == "json"
        return self._result


class Job:
    """A job with one hook."""

    def __init__(self, folder: Path) -> None:
        self.job_dir = folder
        self.hooks: list[Callable[[Any], Awaitable[None]]] = []

    def on_trial_ended(self, callback: Callable[[Any], Awaitable[None]]) -> None:
        self.hooks.append(callback)


async def play(plugin: RunauditPlugin, job: Any, *results: dict[str, Any]) -> None:
    await plugin.on_job_start(job)
    for result in results:
        for hook in job.hooks:
            await hook(Event(result))
    await plugin.on_job_end(None)


def test_start_attempts_and_end_are_recorded_and_summarised(tmp_path: Path) -> None:
    made = HarborJob(tmp_path / "job").sound()
    asyncio.run(play(RunauditPlugin(), Job(made.folder), *made.results))
    ledger = parse_ledger((made.folder / "runaudit_ledger.jsonl").read_bytes())
    assert [entry.event for entry in ledger.entries] == ["start", "attempt", "attempt", "end"]
    assert [attempt.rewards for attempt in ledger.entries[-1].attempts] == [{"reward": 1}, {"reward": 0}]
    assert (made.folder / "run_summary.json").exists()


def test_the_summary_can_be_left_out(tmp_path: Path) -> None:
    made = HarborJob(tmp_path / "job").sound()
    asyncio.run(play(RunauditPlugin(summary="false"), Job(made.folder)))
    assert not (made.folder / "run_summary.json").exists()


@pytest.mark.parametrize("blocked", ["runaudit_ledger.jsonl", "run_summary.json"])
def test_an_output_that_cannot_be_written_is_one_line_of_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, blocked: str
) -> None:
    made = HarborJob(tmp_path / "job").sound()
    (made.folder / blocked / "inside").mkdir(parents=True)
    with caplog.at_level(logging.WARNING, "runaudit"):
        asyncio.run(play(RunauditPlugin(), Job(made.folder), *made.results))
    assert caplog.messages
    assert all(message.startswith("runaudit: nothing was recorded at") for message in caplog.messages)


@pytest.mark.parametrize("job", [None, object(), Job(Path("/nowhere/at/all"))])
def test_a_job_of_another_shape_does_no_harm(job: Any) -> None:
    asyncio.run(RunauditPlugin().on_job_start(job))


def test_an_event_of_another_shape_does_no_harm(tmp_path: Path) -> None:
    plugin = RunauditPlugin()
    asyncio.run(plugin.on_job_start(Job(tmp_path)))
    asyncio.run(plugin.on_trial_ended(None))
    asyncio.run(plugin.on_trial_ended(Event({"trial_name": 3})))


def test_an_exit_inside_a_hook_is_no_exit() -> None:
    class Exiting(RunauditPlugin):
        def record(self, event: str, result: Any) -> None:  # noqa: ARG002  # the signature
            raise SystemExit(7)

    plugin = Exiting()
    asyncio.run(play(plugin, Job(Path("/nowhere")), {}))


def test_the_run_s_own_cancellation_passes() -> None:
    class Cancelled(RunauditPlugin):
        def record(self, event: str, result: Any) -> None:  # noqa: ARG002  # the signature
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(Cancelled().on_job_start(Job(Path("/nowhere"))))
