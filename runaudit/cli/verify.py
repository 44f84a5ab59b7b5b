"""`runaudit verify`."""

import os

import click

from runaudit.cli.output import Reporting, publish, reporting
from runaudit.cli.summary_options import maps_of, workers
from runaudit.usecases.held_quickly import Depth
from runaudit.usecases.registry import definitions
from runaudit.usecases.run_gate import policy_for
from runaudit.usecases.target import is_folder
from runaudit.usecases.verify import VerifyOptions
from runaudit.usecases.verify import verify as verify_places


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="FOLDER…")
@click.option("--root", "roots", multiple=True, metavar="FOLDER", help="A further folder that may be looked into.")
@click.option("--map", "maps", multiple=True, metavar="OLD=NEW", help="Recorded paths below OLD now lie below NEW.")
@click.option("--relocate", is_flag=True, help="Resolve dead recorded paths by their ends inside the folder.")
@click.option(
    "--depth",
    type=click.Choice(["names", "sizes", "content"]),
    default="content",
    show_default=True,
    help="How closely to look; names and sizes open no file and leave out whether the summary follows from them.",
)
@click.option("--strict", is_flag=True, help="Files that no list names are errors.")
@click.option("--require-complete", is_flag=True, help="Missing and failed tasks are errors.")
@click.option("--allow-empty", is_flag=True, help="A run in which nothing ran may pass.")
@click.option("--policy", metavar="FILE", help="TOML: the coverage, metrics and findings that a run must have.")
@reporting()
def verify(
    places: tuple[str, ...],
    roots: tuple[str, ...],
    maps: tuple[str, ...],
    relocate: bool,
    depth: Depth,
    strict: bool,
    require_complete: bool,
    allow_empty: bool,
    policy: str | None,
    reporting: Reporting,
) -> int:
    """Audits results folders (or single summaries), moved or not.

    Integrity: everything that the summary lists is here, with the recorded size and content. Agreement: the summary
    follows from the evidence. Completeness: what is on disk and in no list. Without a summary the folder is audited
    against itself. Nothing outside FOLDER and the --root folders is opened.

    Exit codes: 0 clean, 1 a finding at the failing level, 3 something that belongs to the folder could not be
    checked, or nothing ran.

    \b
    Examples:
      runaudit verify results
      runaudit verify runs/* --format junit -o report.xml
      runaudit verify results --policy gate.toml
    """
    options = VerifyOptions(
        terms=reporting.terms(places, definitions()),
        roots=tuple(os.path.realpath(root) for root in roots),
        map=maps_of(maps),
        relocate=relocate,
        depth=depth,
        strict=strict,
        allow_empty=allow_empty,
        require_complete=require_complete,
        workers=workers(),
        policy=policy_for(policy, places),
    )
    base = places[0] if len(places) == 1 and is_folder(places[0]) else ""
    return publish(verify_places(places, options), reporting, definitions=definitions(), base=base)
