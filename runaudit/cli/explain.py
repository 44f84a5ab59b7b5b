"""`runaudit explain`."""

from collections.abc import Iterator

import click

from runaudit.cli.screen import screen_style, screen_width, stdout_is_terminal, write_stdout
from runaudit.model.finding import Definition
from runaudit.render.options import RenderOptions, Role, plain
from runaudit.render.page import Page
from runaudit.usecases.explain import definition, groups, level_text

_PIPED_WIDTH = 80


@click.command()
@click.argument("finding", required=False)
def explain(finding: str | None) -> None:
    """Says what a finding means and what to do about it.

    FINDING is the id that stands in a report or a summary, such as reward-mismatch. Without it, every finding is
    listed with its level: error (a number may be wrong), warning (evidence is incomplete or weak), note (worth
    knowing), stops (the command ends with exit code 3).
    """
    on_screen = stdout_is_terminal()
    page = Page(
        RenderOptions(width=screen_width() if on_screen else _PIPED_WIDTH, style=screen_style() if on_screen else plain)
    )
    if finding is None:
        _list(page)
    else:
        _one(page, definition(finding))
    write_stdout(page.text())


def _one(page: Page, found: Definition) -> None:
    role: Role = found.level or "error"
    page.line(f"{found.id}: {found.title}", role="title")
    page.item(level_text(found), role=role)
    for title, text in (("What it means", found.meaning), ("What to do", found.remedy)):
        page.heading(title)
        page.line(text, lead="  ", hanging=2)


def _list(page: Page) -> None:
    page.line("Findings, by what they are about. runaudit explain ID says more about one.")
    width = max(len(member.id) for group in groups() for member in group.members)
    for group in groups():
        page.heading(group.title)
        page.table(_rows(group.members, width))


def _rows(members: tuple[Definition, ...], width: int) -> Iterator[tuple[str, str]]:
    for member in members:
        yield f"{member.id:<{width}}  {member.level or 'stops':<7}", member.title
