"""`runaudit show`."""

import click

from runaudit.cli.screen import screen_style, screen_width, stdout_is_terminal, write_stdout
from runaudit.render.options import RenderOptions, plain
from runaudit.render.show_text import render
from runaudit.render.strict import encode
from runaudit.usecases.show import find_summary

_PIPED_WIDTH = 80


@click.command()
@click.argument("summary")
@click.option("--all", "every_place", is_flag=True, help="Everything that the summary lists, not the first of each.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "json"]),
    default="terminal",
    show_default=True,
    help="json prints the document itself.",
)
def show(summary: str, every_place: bool, form: str) -> None:
    """Shows a run summary to a person: its numbers, what is wrong, where things are.

    SUMMARY is the summary's file, the rollouts that it belongs to, or the folder that it lies in. Nothing is judged
    anew; runaudit verify does that.
    """
    found = find_summary(summary)
    if form == "json":
        write_stdout(encode(found.document))
        return
    on_screen = stdout_is_terminal()
    options = RenderOptions(
        every_place=every_place,
        width=screen_width() if on_screen else _PIPED_WIDTH,
        style=screen_style() if on_screen else plain,
    )
    write_stdout(render(found.summary, found.path, options=options))
