"""`runaudit claims check` and `runaudit claims init`."""

import os

import click

from runaudit.cli.exits import complain
from runaudit.cli.output import Reporting, publish, reporting
from runaudit.cli.screen import write_stdout
from runaudit.usecases.claims import ClaimsOptions, check_claims
from runaudit.usecases.claims_draft import draft_claims, write_draft
from runaudit.usecases.registry import definitions


@click.group()
def claims() -> None:
    """Claims of a model or dataset card, held against the files that it speaks of."""


@claims.command()
@click.argument("file", metavar="FILE")
@click.option("--root", metavar="FOLDER", help="The folder that the claims speak of. Default: that of FILE.")
@click.option("--also", "roots", multiple=True, metavar="FOLDER", help="A folder that links may lead into as well.")
@click.option("--allow-unknown", is_flag=True, help="A claim that cannot be told may pass.")
@click.option("--allow-empty", is_flag=True, help="A file without claims may pass.")
@reporting()
def check(
    file: str,
    *,
    root: str | None,
    roots: tuple[str, ...],
    allow_unknown: bool,
    allow_empty: bool,
    reporting: Reporting,
) -> int:
    """Answer each statement of FILE: holds, fails (both values shown), or cannot tell (why).

    Exit codes: 0 everything holds; 1 something fails; 3 nothing fails and something cannot be told (with
    --allow-unknown: 0).
    """
    folder = root if root is not None else os.path.dirname(file) or "."
    options = ClaimsOptions(
        today=reporting.today,
        root=root,
        roots=roots,
        allow_unknown=allow_unknown,
        allow_empty=allow_empty,
        fail_on=reporting.fail_on,
        loaded=reporting.settings([folder], definitions()),
    )
    base = "" if os.path.isabs(folder) or folder == "." else folder
    return publish(check_claims(file, options), reporting, definitions=definitions(), base=base)


@claims.command()
@click.argument("folder", metavar="FOLDER")
@click.option("-o", "--output", metavar="FILE", help="Write there instead of FOLDER/claims.toml; - is stdout.")
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
def init(folder: str, *, output: str | None, force: bool) -> int:
    """Draft a claims file from the card, manifest, evidence and data sets found in FOLDER.

    Numbers are left blank ("?") for you to fill in from the sentence beside them.
    """
    draft = draft_claims(folder)
    if output == "-":
        write_stdout(draft.text)
    else:
        path = write_draft(folder, draft, output=output, force=force)
        complain(f"{path}: {draft.claims} claims, {draft.blanks} blanks to fill in")
    return 0
