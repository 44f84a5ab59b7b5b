"""Signatures, a command, its summary: the joint that never hurts the run.

Whatever goes wrong on our side, before or after, is one sentence given to `complain`; the command is started, its end
is returned as it was. Our own work happens in processes of its own with deadlines (see `forked`).
"""

import contextlib
import os
from collections.abc import Callable, Sequence

import msgspec

from runaudit.layouts.nemo_gym.names import of_path
from runaudit.usecases.forked import Step, Work, attempt
from runaudit.usecases.group_watch import GroupWatch
from runaudit.usecases.process import Ending, run_process
from runaudit.usecases.relay import Relay, ignore

SUMMARY_SECONDS = 20.0
SIGNATURE_SECONDS = 20.0


class Expectation(msgspec.Struct, frozen=True):
    """Where a command's rollouts will lie (absolute), and whether it asks to continue earlier ones.

    `resume` None: that cannot be told, and the run is taken as fresh. `resume_needs_inputs`: without the materialized
    inputs beside the output the producer starts fresh.
    """

    output: str
    resume: bool | None = False
    resume_needs_inputs: bool = True


class Dispatch(msgspec.Struct, frozen=True):
    """What is known at the command's start: the file of signatures, and whether earlier output is continued."""

    signatures: str | None = None
    resumed: bool = False


# rollouts → the file of signatures, None when there is none
Before = Callable[[str], str | None]
# rollouts, what was known at the start, how the command ended → one line for the user, if any
After = Callable[[str, Dispatch, Ending], str | None]
Complain = Callable[[str], None]


def run_command(
    command: Sequence[str],
    expectation: Expectation | None,
    *,
    before: Before,
    after: After,
    complain: Complain,
    summary_seconds: float = SUMMARY_SECONDS,
    signature_seconds: float = SIGNATURE_SECONDS,
) -> Ending:
    """Runs a command between `before` and `after` and returns its own ending.

    Without an expectation there is nothing to audit, and the command only runs. `before` and `after` run in processes
    of their own, so what they change in memory is lost. A signal before the start ends the run as that signal; one
    during the summary ends the summary.
    """
    say = _never_raising(complain)
    with Relay() as relay:
        dispatch = Dispatch()
        if expectation is not None:
            dispatch = _prepare(expectation, before, relay, say, signature_seconds)
        if relay.received:
            return Ending.killed(relay.received[0], started=False)
        ending = _run(command, relay, say)
        if expectation is not None and ending.started:
            output = expectation.output
            _conclude(lambda: after(output, dispatch, ending), output, relay, say, summary_seconds)
    return ending


def _prepare(expectation: Expectation, before: Before, relay: Relay, say: Complain, seconds: float) -> Dispatch:
    def work() -> str:
        # The state on disk comes first: it is needed even when signatures fail.
        resumed = is_resume(expectation)
        signatures = None if resumed else before(expectation.output)
        return msgspec.json.encode(Dispatch(signatures=signatures, resumed=resumed)).decode()

    outcome = attempt(work, seconds, _stopped_by(relay))
    relay.action = ignore
    if outcome.value is not None:
        return msgspec.json.decode(outcome.value, type=Dispatch)
    if relay.received:
        return Dispatch()
    say(f"no signatures, so files of an earlier run cannot be told from this one's: {outcome.trouble}")
    return Dispatch()


def is_resume(expectation: Expectation) -> bool:
    """Whether the command will continue what lies at its output: asked for, and possible by what is on disk now."""
    wanted = [expectation.output]
    if expectation.resume_needs_inputs:
        folder, names = of_path(expectation.output)
        wanted.append(os.path.join(folder, names.materialized_inputs))
    return expectation.resume is True and all(os.path.exists(path) for path in wanted)


def _run(command: Sequence[str], relay: Relay, say: Complain) -> Ending:
    watch: GroupWatch | None = None
    with contextlib.suppress(OSError):
        watch = GroupWatch()
    ending = run_process(command, relay, watch)
    relay.action = ignore
    if watch is not None:
        with contextlib.suppress(OSError):
            watch.close()
    if ending.reason is not None:
        say(ending.reason)
    return ending


def _conclude(summarise: Work, output: str, relay: Relay, say: Complain, seconds: float) -> None:
    outcome = attempt(summarise, seconds, _stopped_by(relay))
    relay.action = ignore
    if outcome.trouble is not None:
        say(f"no run summary for {output}: {outcome.trouble}")
    elif outcome.value is not None:
        say(outcome.value)


def _stopped_by(relay: Relay) -> Callable[[Step], None]:
    """Lets any relayed signal that comes from now on stop a step."""
    before = len(relay.received)

    def watch(step: Step) -> None:
        relay.action = lambda _: step.stop()
        # One may have come between the step's start and this line.
        if len(relay.received) > before:
            step.stop()

    return watch


def _never_raising(complain: Complain) -> Complain:
    def say(text: str) -> None:
        # Standard error may be closed or full.
        with contextlib.suppress(Exception):
            complain(text)

    return say
