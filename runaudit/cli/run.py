"""`runaudit run`: signatures, any command, and its summary.

Before the start wrong usage is told and nothing is started. From the start on, the command's streams and its end are
all that anybody sees of it from outside, and this module only has lines on standard error to add.
"""

import functools
import os
from collections.abc import Callable
from typing import Any

import click
import msgspec

from runaudit.cli.exits import complain
from runaudit.cli.leave import leave_as
from runaudit.cli.summary_options import options_from, shared_options
from runaudit.errors import InputError, UsageError
from runaudit.usecases.process import Ending
from runaudit.usecases.recognise import Answer, Declined, NoOutput, Recognised, recognise
from runaudit.usecases.run import SUMMARY_SECONDS, Dispatch, Expectation, run_command
from runaudit.usecases.signatures import write_signatures
from runaudit.usecases.summarize import Options, build, write


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `run` takes in front of the command."""
    for option in reversed(
        (
            click.option(
                "--output",
                metavar="ROLLOUTS",
                help="Where the command's rollouts will lie. Found in the command line of NeMo Gym when not given.",
            ),
            click.option(
                "--summary-timeout",
                "summary_timeout",
                type=click.FloatRange(min=0, min_open=True),
                default=SUMMARY_SECONDS,
                show_default=True,
                metavar="SECONDS",
                help="The longest time that the summary may take after the command has ended.",
            ),
        )
    ):
        command = option(command)
    return command


@click.command(context_settings={"allow_interspersed_args": False})
@run_options
@shared_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(command: tuple[str, ...], output: str | None, summary_timeout: float, **values: Any) -> int:
    """Records signatures, runs COMMAND, and writes its run summary.

    Everything after -- is the command, and its output, exit code and signal come through unchanged. 127: the command
    was not found; 126: it could not be executed; 2: wrong usage, and it was not started.
    """
    options = _checked(values)
    expectation = _expect(output, recognise(command, os.environ))
    if expectation is not None and options.request.resumed:
        expectation = msgspec.structs.replace(expectation, resume=True)
    ending = run_command(
        command,
        expectation,
        before=write_signatures,
        after=functools.partial(_summarize, options),
        complain=complain,
        summary_seconds=summary_timeout,
    )
    return leave_as(ending)


def _expect(output: str | None, answer: Answer) -> Expectation | None:
    """What the run will be held against; None when there is nothing to audit. Raises UsageError when nobody says."""
    told = None if output is None else os.path.abspath(output)
    match answer:
        case Recognised():
            if told not in (None, answer.output):
                complain(f"the command writes {answer.output}; as told, {told} is summarised")
            told = told or answer.output
        case Declined():
            if told is None:
                raise UsageError(
                    f"where will the rollouts lie? {answer.reason}. Give --output ROLLOUTS; nothing was started"
                )
        case NoOutput():
            if told is None:
                complain(f"nothing to summarise: {answer.reason}")
                return None
            return Expectation(output=told)
    if answer.resume is None:
        complain("whether the command resumes cannot be told from its command line; taken as a fresh start")
    return Expectation(output=told, resume=answer.resume, resume_needs_inputs=answer.resume_needs_inputs)


def _checked(values: dict[str, Any]) -> Options:
    """The options of the summary. What cannot be read is told before anything is started."""
    try:
        return options_from("none", values, write_empty=True)
    except InputError as error:
        raise UsageError(f"{error}; nothing was started") from error


def _summarize(options: Options, rollouts: str, dispatch: Dispatch, _: Ending) -> str:
    # A file of signatures that an earlier run left beside the rollouts must not be taken for this one's.
    request = msgspec.structs.replace(options.request, resumed=dispatch.resumed)
    signatures = None if dispatch.resumed else dispatch.signatures
    told = msgspec.structs.replace(options, request=request, signatures=signatures or "none")
    return f"run summary: {write(build(rollouts, told))}"
