"""`runaudit summarize`."""

import sys
from typing import Any

import click

from runaudit.cli.exits import COULD_NOT_AUDIT, complain
from runaudit.cli.summary_options import options_from, shared_options
from runaudit.errors import InputError, OutputError, UsageError
from runaudit.model.finding import LEVELS
from runaudit.render.summary_text import brief
from runaudit.usecases.record import record_state
from runaudit.usecases.summarize import Options, build, write
from runaudit.usecases.target import folders_of


@click.command()
@click.argument("rollouts")
@click.option("--signatures", metavar="FILE|none", help="Taken before the run (default: those beside ROLLOUTS).")
@shared_options
@click.option(
    "--fail-on", type=click.Choice(["error", "warning", "note"]), help="Exit 1 on findings of this level, or worse."
)
@click.option("--allow-empty", is_flag=True, help="With --fail-on: a run in which nothing ran may pass.")
@click.option("--write-empty", is_flag=True, help="Write one even where nothing of the run lies.")
@click.option("-o", "--output", metavar="PATH|-", help="Where to write it (default: beside the rollouts).")
@click.option(
    "--format", "shape", type=click.Choice(["text", "json"]), default="text", help="Print a few lines, or the document."
)
def summarize(
    rollouts: str,
    signatures: str | None,
    fail_on: str | None,
    allow_empty: bool,
    write_empty: bool,
    output: str | None,
    shape: str,
    **values: Any,
) -> int:
    """After a run: writes one document beside its results that says where everything is and what came of every task.

    ROLLOUTS is the rollouts file that the run's command named (--output), the run's folder, or a Harbor job folder (of
    a folder of those, each gets its summary). What is not told is looked for. Exit code 0 once the summary is written,
    whatever it says, unless --fail-on or --require-complete is given. runaudit show shows it to a person.

    \b
    Example:
      runaudit summarize results/rollouts.jsonl
    """
    options = options_from(signatures, values, write_empty=write_empty)
    folders = folders_of(rollouts)
    if output is not None and len(folders) > 1:
        raise UsageError(f"{rollouts} holds {len(folders)} runs, and --output names one place")
    level = fail_on or ("error" if options.require_complete else None)
    codes = [_summarized(folder, options, output, shape, level, allow_empty) for folder in folders]
    return 1 if 1 in codes else max(codes)


def _summarized(
    rollouts: str, options: Options, output: str | None, shape: str, level: str | None, allow_empty: bool
) -> int:
    """The exit code of one run; what keeps it from its summary keeps no other run from its own."""
    try:
        return _exit_code(_publish(rollouts, options, output, shape), level, allow_empty)
    except (InputError, OutputError) as error:
        complain(str(error))
        return COULD_NOT_AUDIT


def _publish(rollouts: str, options: Options, output: str | None, shape: str) -> tuple[Any, ...]:
    """Builds, writes and shows the summary of one run; returns its findings."""
    if output is None:
        record_state(rollouts)
    built = build(rollouts, options)
    if output == "-":
        for chunk in built.chunks():
            sys.stdout.buffer.write(chunk)
    else:
        path = write(built, output)
        if shape == "json":
            for chunk in built.chunks():
                sys.stdout.buffer.write(chunk)
        else:
            click.echo(brief(built.summary, path))
    sys.stdout.flush()
    return built.summary.findings


def _exit_code(groups: tuple[Any, ...], level: str | None, allow_empty: bool) -> int:
    if level is None:
        return 0
    failing = LEVELS[: LEVELS.index(level) + 1]
    if bad := [group for group in groups if group.level in failing]:
        complain(f"{len(bad)} findings at level {level} or above: {', '.join(group.id for group in bad)}")
        return 1
    if not allow_empty and any(group.id == "nothing-ran" for group in groups):
        complain("nothing ran; a gate that judged nothing has not passed (--allow-empty)")
        return 3
    return 0
