"""`runaudit demo`: a small run, made on the spot and taken through whatever the tool can do.

What the demo shows is the tuple STEPS: a new command becomes a part of it by one line there.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager

import click
import msgspec

from runaudit.cli.exits import COULD_NOT_AUDIT, guarded
from runaudit.cli.screen import screen_style, screen_width, stdout_is_terminal, write_stdout
from runaudit.errors import OutputError, UsageError
from runaudit.render.options import RenderOptions, plain
from runaudit.render.page import Page
from runaudit.usecases.demo_run import ROLLOUTS, SECOND, write_earlier, write_run, write_second

_PIPED_WIDTH = 80


class Command(msgspec.Struct, frozen=True):
    """A step in which runaudit is called: why, with which arguments, and the exit code that it comes to."""

    why: str
    arguments: tuple[str, ...]
    exit_code: int = 0


class Producer(msgspec.Struct, frozen=True):
    """A step in which a stand-in writes what the producer's command would write. Returns the names it wrote."""

    why: str
    shown: str
    write: Callable[[str], tuple[str, ...]]


STEPS: tuple[Command | Producer, ...] = (
    Command(
        "A failures file of an earlier run lies here. Before the run, record what is there already.",
        ("signatures", ROLLOUTS),
    ),
    Producer(
        "The run: 6 tasks, 2 repeats each. (Nothing is run here; the demo writes what this command would write.)",
        f"gym eval run --output {ROLLOUTS}",
        write_run,
    ),
    Command(
        "After the run, write one document that says where everything is and what came of it.", ("summarize", ROLLOUTS)
    ),
    Command("Does the folder hold together? A finding at the level error is a no.", ("verify", "."), exit_code=1),
    Command("What is the error about, and what is to be done?", ("explain", "reward-mismatch")),
    Command("Before the folder goes to somebody else: a digest of each of its files.", ("manifest", "create", ".")),
    Command("", ("manifest", "verify", "SHA256_MANIFEST.json")),
    Producer(
        "A second run of the same tasks, in a folder of its own.",
        f"gym eval run --output {SECOND}/{ROLLOUTS}",
        write_second,
    ),
    Command("Its summary, and what changed from the first run to the second, task by task.", ("summarize", SECOND)),
    Command("", ("diff", ".", SECOND)),
    Command("And the summary of the first run, for a person.", ("show", ROLLOUTS)),
)


@click.command()
@click.option("--keep", metavar="FOLDER", help="Make the run there, in a folder that is new or empty, and leave it.")
def demo(keep: str | None) -> int:
    """Makes a small evaluation run on the spot and takes it through the tool, command by command.

    Nothing is needed for it, nothing is downloaded, and without --keep nothing is left behind.
    """
    with _folder(keep) as folder, chdir(folder):
        write_earlier(folder)
        code = _walk(folder)
    if keep is not None:
        _say("", f"The run is in {keep}; the commands above work there.")
    return code


def _walk(folder: str) -> int:
    """Takes every step; ends at the first that comes to another exit code than it should, with that code."""
    for number, step in enumerate(STEPS):
        _say(*([""] if number else []), *([f"# {step.why}"] if step.why else []))
        if isinstance(step, Producer):
            _say(f"$ {step.shown}")
            write_stdout("".join(f"{name}\n" for name in step.write(folder)))
            continue
        _say(f"$ runaudit {' '.join(step.arguments)}")
        code = guarded(list(step.arguments))
        if code != step.exit_code:
            return code or COULD_NOT_AUDIT
        if code:
            _say(f"(exit code {code})")
    return 0


def _say(*lines: str) -> None:
    on_screen = stdout_is_terminal()
    options = RenderOptions(
        width=screen_width() if on_screen else _PIPED_WIDTH, style=screen_style() if on_screen else plain
    )
    page = Page(options)
    for line in lines:
        page.line(line, role="title" if line.startswith("$") else "dim")
    write_stdout(page.text())


@contextmanager
def _folder(keep: str | None) -> Iterator[str]:
    if keep is None:
        with _temporary() as folder:
            yield os.path.realpath(folder)
        return
    try:
        os.makedirs(keep, exist_ok=True)
        if os.listdir(keep):
            raise UsageError(f"--keep {keep}: the folder is not empty")
    except OSError as error:
        raise OutputError(f"--keep {keep}: {error.strerror or error}") from error
    yield os.path.realpath(keep)


def _temporary() -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory(prefix="runaudit-demo-")
    except OSError as error:
        raise OutputError(f"no temporary folder can be made: {error.strerror or error}") from error
