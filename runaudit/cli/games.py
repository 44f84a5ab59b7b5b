"""`runaudit games`: manifest, verify and replay of exported self-play games."""

import functools
import os
import sys
from collections.abc import Callable
from datetime import date
from typing import Any

import click

from runaudit.cli.exits import complain, say
from runaudit.cli.output import FORMATS, Reporting, publish, reporting
from runaudit.model.finding import LEVELS, Level
from runaudit.model.report import Report
from runaudit.usecases import games as library
from runaudit.usecases.games_mining import SECONDS, LogSources
from runaudit.usecases.games_replay import Limits, Play, replay_games
from runaudit.usecases.games_settings import Settings
from runaudit.usecases.registry import definitions

_Command = Callable[..., Any]


@click.group(name="games")
def games() -> None:
    """Exported self-play games: build the manifest, check an export against it, replay the games."""


def _mining(command: _Command) -> _Command:
    """The options that say where rewards are mined."""
    for option in reversed(
        (
            click.option(
                "--logs", multiple=True, metavar="[JOB=]PATH", help="A job log, or a folder of them; repeatable."
            ),
            click.option("--dashboard", metavar="URL", help="A Ray dashboard to fetch job logs from."),
            click.option("--job", "jobs", multiple=True, metavar="ID", help="A job of the dashboard; repeatable."),
            click.option(
                "--log-cap", type=click.IntRange(min=1), help="Lines that the logs' source keeps at most, if known."
            ),
            click.option(
                "--timeout",
                type=click.FloatRange(min=0.1),
                default=SECONDS,
                show_default=True,
                help="Seconds for each wait for the dashboard.",
            ),
            click.option("--live", "live_folder", metavar="DIR", help="The folder of live games, if not spare_games."),
        )
    ):
        command = option(command)
    return command


def _with_sources(command: _Command) -> _Command:
    """Hands the mining options on as one value."""

    @functools.wraps(command)
    def called(
        *,
        logs: tuple[str, ...],
        dashboard: str | None,
        jobs: tuple[str, ...],
        log_cap: int | None,
        timeout: float,
        **others: Any,
    ) -> Any:
        sources = LogSources(files=logs, dashboard=dashboard, jobs=jobs, cap=log_cap, seconds=timeout)
        return command(sources=sources, **others)

    return called


def _base(root: str) -> str:
    return os.path.relpath(root if os.path.isdir(root) else os.path.dirname(root) or ".")


def _settings(told: Reporting, root: str) -> Settings:
    return Settings(loaded=told.settings((root,), definitions()), today=told.today)


@games.command()
@click.argument("root", metavar="EXPORT")
@_mining
@click.option("--output", "-o", metavar="PATH|-", help="Where the manifest goes. Default: manifest.json in the export.")
@click.option("--fail-on", type=click.Choice(LEVELS), help="Exit 1 on findings of this level, or worse.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="terminal", help="The form of the report.")
@click.option("--all", "every_place", is_flag=True, help="List every place of a finding, not the first 20.")
@_with_sources
def manifest(
    *,
    root: str,
    sources: LogSources,
    live_folder: str | None,
    output: str | None,
    fail_on: Level | None,
    form: str,
    every_place: bool,
) -> int:
    """Build manifest.json of an EXPORT, with rewards mined from job logs.

    Exit code 0 once it is written, whatever was found, unless --fail-on is given.
    """
    built = library.build_games_manifest(root, sources=sources, live_folder=live_folder, fail_on=fail_on)
    if output == "-":
        click.echo(built.content, nl=False)
        _complain_of(built.report)
        return built.report.verdict.exit_code
    library.write_games_manifest(root, built, output=output)
    return publish(built.report, Reporting(form, every_place, None, fail_on, None, date.min), definitions=definitions())


def _complain_of(report: Report) -> None:
    """What was found, in a line each: stdout holds the manifest."""
    for line in (*report.headline, *(f"{group.level} {group.id} ({group.count})" for group in report.findings)):
        complain(line)


@games.command()
@click.argument("root", metavar="EXPORT")
@_mining
@reporting()
@_with_sources
def verify(*, root: str, sources: LogSources, live_folder: str | None, reporting: Reporting) -> int:
    """Check an EXPORT against its manifest, its card and, where they are given, the job logs."""
    report = library.verify_games(
        root,
        sources=sources,
        live_folder=live_folder,
        fail_on=reporting.fail_on,
        settings=_settings(reporting, root),
    )
    return publish(report, reporting, definitions=definitions(), base=_base(root))


@games.command()
@click.argument("root", metavar="EXPORT")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the policy and of reset.")
@click.option("--episodes", type=click.IntRange(1, 1000), default=1, show_default=True, help="Episodes of each game.")
@click.option(
    "--max-steps", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Bound of an episode."
)
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=10.0, show_default=True, help="Time for a game.")
@click.option("--memory", type=click.IntRange(64, 1 << 20), default=1024, show_default=True, help="MiB for a game.")
@click.option("--jobs", "-j", type=click.IntRange(1, 256), default=2, show_default=True, help="Games at a time.")
@click.option("--only", multiple=True, metavar="TEXT", help="Games whose path holds TEXT; repeatable.")
@click.option("--python", metavar="EXE", help="The interpreter to run games with. Default: this one.")
@click.option("--once", is_flag=True, help="No second process: half the time, and order of sets is not tested.")
@click.option("--trace", metavar="FILE", help="Where every step goes, a JSON object a line.")
@reporting()
def replay(
    *,
    root: str,
    seed: int,
    episodes: int,
    max_steps: int,
    seconds: float,
    memory: int,
    jobs: int,
    only: tuple[str, ...],
    python: str | None,
    once: bool,
    trace: str | None,
    reporting: Reporting,
) -> int:
    """Run the games of an EXPORT (or one game file) and check their contract.

    This runs other people's code, each game in its own process with limits on time, memory, processes and files. It is
    no sandbox: do it in a container or on a machine that holds nothing of value.
    """
    report = replay_games(
        root,
        play=Play(seed=seed, episodes=episodes, max_steps=max_steps),
        limits=Limits(seconds=seconds, memory=memory << 20),
        jobs=jobs,
        only=only,
        python=python,
        once=once,
        trace=trace,
        progress=_progress if sys.stderr.isatty() else None,
        fail_on=reporting.fail_on,
        settings=_settings(reporting, root),
    )
    return publish(report, reporting, definitions=definitions(), base=_base(root))


def _progress(done: int, of: int) -> None:
    end = "\n" if done == of else ""
    say(f"\rreplayed {done} of {of} games{end}")
