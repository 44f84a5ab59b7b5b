"""What every reporting command shares: its options, and the way of a report to stdout, a file and the exit code.

    @click.command()
    @reporting()
    def verify(reporting: Reporting, …) -> int:
        settings = reporting.settings(audited, definitions())
        …
        return publish(report, reporting)

The exit code that `publish` returns is the verdict's; nothing here decides it again.
"""

import functools
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import click
import msgspec

from runaudit.cli.exits import complain
from runaudit.cli.screen import screen_style, screen_width, stdout_is_terminal, write_stdout
from runaudit.model.finding import LEVELS, Definition, Level
from runaudit.model.report import Report
from runaudit.render.options import RenderOptions, plain
from runaudit.usecases.conclude import Terms
from runaudit.usecases.configuration import Loaded, load
from runaudit.usecases.publishing import write_report
from runaudit.version import VERSION

RENDERERS = {
    "terminal": "runaudit.render.terminal",
    "json": "runaudit.render.json_report",
    "markdown": "runaudit.render.markdown",
    "junit": "runaudit.render.junit",
    "github": "runaudit.render.github",
    "sarif": "runaudit.render.sarif",
}
FORMATS = tuple(RENDERERS)
WITHOUT_SARIF = tuple(name for name in FORMATS if name != "sarif")
# less than this left in the step summary says nothing useful
_SMALLEST_SUMMARY = 4096


class Reporting(msgspec.Struct, frozen=True):
    """The values of the shared options. `output` None is stdout; `today` is in UTC."""

    format: str
    every_place: bool
    config: str | None
    fail_on: Level | None
    output: str | None
    today: date

    def settings(self, audited: Sequence[str], registry: Mapping[str, Definition]) -> Loaded:
        """The configuration for an audit of these paths. Raises UsageError, see `usecases.configuration.load`."""
        return load(explicit=self.config, start=os.getcwd(), audited=audited, registry=registry)

    def terms(self, audited: Sequence[str], registry: Mapping[str, Definition]) -> Terms:
        """How the findings of an audit of these paths are judged. Raises UsageError."""
        loaded = self.settings(audited, registry)
        return Terms(configuration=loaded.configuration, notes=loaded.notes, fail_on=self.fail_on, today=self.today)


def reporting(
    formats: Sequence[str] = FORMATS, *, fail_on: Level | None = "error"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the shared options to a command, which receives them as `reporting`; `fail_on` is the default level."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def gathered(*args: Any, **kwargs: Any) -> Any:
            told = Reporting(
                format=kwargs.pop("format_name"),
                every_place=kwargs.pop("every_place"),
                config=kwargs.pop("config"),
                fail_on=kwargs.pop("fail_on"),
                output=kwargs.pop("output"),
                today=datetime.now(tz=UTC).date(),
            )
            return command(*args, reporting=told, **kwargs)

        decorated: Callable[..., Any] = gathered
        for option in reversed(_options(formats, fail_on)):
            decorated = option(decorated)
        return decorated

    return decorate


def _options(formats: Sequence[str], fail_on: Level | None) -> list[Callable[[Any], Any]]:
    return [
        click.option(
            "--format",
            "format_name",
            type=click.Choice(formats),
            default="terminal",
            show_default=True,
            help="The form of the report.",
        ),
        click.option("--all", "every_place", is_flag=True, help="List every place of a finding, not the first 20."),
        click.option(
            "--config",
            metavar="FILE",
            help="Levels and known findings. Else runaudit.toml or [tool.runaudit], from here upwards.",
        ),
        click.option(
            "--fail-on",
            type=click.Choice(LEVELS),
            default=fail_on,
            show_default=True,
            help="Findings of this level, or worse, make the answer no (exit 1).",
        ),
        click.option("-o", "--output", metavar="FILE", help="Write the report there instead of stdout (-)."),
    ]


def publish(
    report: Report, told: Reporting, *, definitions: Mapping[str, Definition] | None = None, base: str = ""
) -> int:
    """Prints or writes the report in the wanted format; returns the exit code of its verdict.

    `base` leads from the working directory to the audited folder, for the formats that name files of a repository.
    Raises OutputError when the file of --output cannot be written.
    """
    to_file = told.output not in (None, "-")
    on_screen = told.format == "terminal" and not to_file and stdout_is_terminal()
    options = RenderOptions(
        every_place=told.every_place,
        width=screen_width() if on_screen else 100,
        style=screen_style() if on_screen else plain,
        definitions=definitions or {},
        base=base,
        tool_version=VERSION,
    )
    text = _rendered(report, told.format, options)
    if told.output is not None and to_file:
        write_report(told.output, text)
    else:
        write_stdout(text)
    if told.format == "github":
        _add_step_summary(report, options)
    return report.verdict.exit_code


def _rendered(report: Report, name: str, options: RenderOptions) -> str:
    # Imported when needed: one command shows one format.
    render: Callable[..., str] = importlib.import_module(RENDERERS[name]).render
    return render(report, options=options)


def _add_step_summary(report: Report, options: RenderOptions) -> None:
    """Appends to the file that the runner names. What lies there counts towards the limit of the step."""
    from runaudit.render.github import SUMMARY_LIMIT, step_summary  # noqa: PLC0415  # one command shows one format

    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        # a pipe that nobody reads must not keep the command waiting
        with open(path, "ab", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK, 0o666)) as file:
            room = SUMMARY_LIMIT - file.tell()
            if room < _SMALLEST_SUMMARY:
                complain("the step summary is full; nothing was added to it")
                return
            file.write(step_summary(report, options=options, limit=room).encode())
    except OSError as error:
        # The summary is a courtesy: the verdict and its exit code stand without it.
        complain(f"{path}: the step summary cannot be written: {error.strerror or error}")
