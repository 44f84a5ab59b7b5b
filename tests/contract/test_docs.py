"""Commands in the docs: each one parses, and where a document shows what a command prints, it prints that.

A `console` block that shows output is run, in order, in one folder for each document. Blocks of commands alone stand
for the reader's own files: their options must exist. A line `…` stands for any number of lines.
"""

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
import pytest
from markdown_it import MarkdownIt

from runaudit.cli.exits import guarded
from runaudit.cli.main import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_SHELL = {">", ">>", "|", "&&", "||", ";", "2>", "<"}
_ANYTHING = "…"


class Shown(msgspec.Struct):
    """A command of a document, and the lines that it is said to print."""

    command: list[str]
    output: list[str]

    @property
    def own(self) -> list[str] | None:
        """The arguments of ours, without what is the shell's; None for another command."""
        if self.command[0] != "runaudit":
            return None
        end = next((place for place, word in enumerate(self.command) if word in _SHELL), None)
        return self.command[1:end]


def blocks(page: Path) -> Iterator[list[Shown]]:
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "fence" and token.info.strip() == "console":
            shown: list[Shown] = []
            for line in token.content.splitlines():
                if line.startswith("$ "):
                    shown.append(Shown(shlex.split(line[2:], comments=True), []))
                else:
                    shown[-1].output.append(line)
            yield shown


def command_for(arguments: list[str]) -> tuple[click.Command, list[str]]:
    command: click.Command = cli
    words = list(arguments)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, f"there is no command {words[0]}"
        command, words = found, words[1:]
    return command, words


COMMANDS = [
    pytest.param(shown.own, id=f"{page.relative_to(ROOT)}: {' '.join(shown.command)[:70]}")
    for page in PAGES
    for block in blocks(page)
    for shown in block
    if shown.own is not None
]


def test_the_docs_show_commands() -> None:
    assert len(COMMANDS) > 5


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_command_in_the_docs_has_options_that_exist(arguments: list[str]) -> None:
    command, words = command_for(arguments)
    # --help and --version leave while they are parsed
    with contextlib.suppress(click.exceptions.Exit):
        command.make_context("runaudit", words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_the_docs_show_is_what_is_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        if not any(shown.output for shown in block):
            continue
        for shown in block:
            if shown.command[0] == "cd":
                monkeypatch.chdir(shown.command[1])
            elif shown.own is not None:
                guarded(shown.own)
                printed = capfd.readouterr()
                if shown.output:
                    assert matches(shown.output, printed.out), f"{shown.command}\n{printed.out}{printed.err}"


def matches(expected: list[str], printed: str) -> bool:
    pattern = "".join("(?:.*\n)*" if line == _ANYTHING else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, printed) is not None


def test_the_comparison_tells_what_differs() -> None:
    assert matches(["a", "…", "d"], "a\nb\nc\nd\n")
    assert not matches(["a", "d"], "a\nb\nd\n")
    assert not matches(["a", "…"], "b\n")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent.name != "findings"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
