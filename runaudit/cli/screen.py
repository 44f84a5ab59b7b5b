"""The terminal: whether there is one, how wide, which colours, and how text reaches stdout whatever its encoding."""

import os
import sys

import click

from runaudit.render.options import Role, Style, plain

_COLOURS: dict[Role, dict[str, object]] = {
    "pass": {"fg": "green", "bold": True},
    "fail": {"fg": "red", "bold": True},
    "inconclusive": {"fg": "yellow", "bold": True},
    "error": {"fg": "red"},
    "warning": {"fg": "yellow"},
    "note": {"fg": "cyan"},
    "title": {"bold": True},
    "dim": {"dim": True},
}


def stdout_is_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout.isatty()


def terminal_encoding() -> str:
    """The encoding of the terminal's locale."""
    return sys.stdout.encoding or "utf-8"


def screen_width() -> int:
    """The columns of the terminal, at least 40."""
    import shutil  # noqa: PLC0415  # it loads every archive format, and most output goes to no terminal

    return max(40, shutil.get_terminal_size((100, 24)).columns)


def screen_style() -> Style:
    """Colours, unless NO_COLOR is set to something or the terminal is a dumb one."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return plain
    return coloured


def coloured(role: Role, text: str) -> str:
    """The text in the colour of its role."""
    return click.style(text, **_COLOURS[role])  # type: ignore[arg-type]  # the table holds click's own keywords


def write_stdout(text: str) -> None:
    """Writes to stdout as UTF-8; on a terminal in its own encoding, with escapes for what it cannot show."""
    encoding = terminal_encoding() if stdout_is_terminal() else "utf-8"
    click.echo(text.encode(encoding, "backslashreplace"), nl=False)
