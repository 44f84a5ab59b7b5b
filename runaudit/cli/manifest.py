"""`runaudit manifest create` and `runaudit manifest verify`."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import msgspec

from runaudit.cli.exits import complain, printable, say
from runaudit.cli.output import Reporting, publish, reporting
from runaudit.usecases.manifest import allow_list, create_manifest, verify_manifest
from runaudit.usecases.registry import definitions

_STEP = 0.2


@click.group()
def manifest() -> None:
    """SHA-256 manifests: one digest for each file of a folder, written and checked."""


def _shared(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option(
            "--workers", type=click.IntRange(min=1), help="Files hashed at once (default: one for each core)."
        ),
        click.option("--allow-empty", is_flag=True, help="A manifest that lists nothing is fine."),
        click.option("--cache", type=click.Path(), help="Remember digests of unchanged files in this file."),
        click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out files or folders (repeatable)."),
    ):
        command = option(command)
    return command


@manifest.command()
@click.argument("root", type=click.Path())
@click.option(
    "--kind",
    type=click.Choice(["json", "sha256sum"]),
    default="json",
    show_default=True,
    help="JSON, or the lines of sha256sum.",
)
@click.option("-o", "--output", type=click.Path(), help="Where to write; '-' is standard output.")
@_shared
def create(root: str, **options: Any) -> None:
    """Writes a manifest of the folder ROOT: SHA256_MANIFEST.json or SHA256SUMS in it, unless -o says otherwise."""
    with _progress() as progress:
        made = create_manifest(root, began_ns=time.time_ns(), progress=progress, **options)
    if made.path is None:
        sys.stdout.buffer.write(made.content)
        sys.stdout.buffer.flush()
    for name in made.left_out:
        complain(f"{name}: left out: a link to a folder, or a temporary file")
    for finding in made.findings:
        complain(f"{finding.path}: {finding.message}")
    where = "" if made.path is None else f"{made.path}: "
    say(printable(f"{where}{made.files} files, {made.size} bytes, tree digest {made.tree_digest}") + "\n")


@manifest.command()
@click.argument("manifest", type=click.Path())
@click.argument("root", type=click.Path(), required=False)
@click.option("--root", "roots", multiple=True, type=click.Path(), help="A folder that links may lead into as well.")
@click.option("--expect", metavar="SHA256", help="The digest that the manifest itself must have.")
@click.option("--strict", is_flag=True, help="Files that the manifest does not list are errors.")
@click.option("--allow-list", "only_list", is_flag=True, help="Print exactly the listed paths, check nothing.")
@_shared
@reporting()
def verify(manifest: str, root: str | None, *, only_list: bool, reporting: Reporting, **options: Any) -> int:
    """Checks the files that MANIFEST lists, in ROOT or in the manifest's own folder, and names unlisted ones.

    MANIFEST is SHA256_MANIFEST.json, the output of sha256sum, a listing of a BagIt bag, or a folder that holds one.
    """
    if only_list:
        return _print_allow_list(manifest, options["expect"], reporting.format)
    known = definitions()
    terms = reporting.terms([root or manifest], known)
    with _progress() as progress:
        report = verify_manifest(manifest, root, began_ns=time.time_ns(), terms=terms, progress=progress, **options)
    base = root or os.path.dirname(manifest)
    return publish(report, reporting, definitions=known, base=base)


def _print_allow_list(manifest: str, expect: str | None, form: str) -> int:
    listed = allow_list(manifest, expect=expect)
    if form == "json":
        click.echo(msgspec.json.encode(listed.paths).decode())
    else:
        for path in listed.paths:
            click.echo(path)
    for path, reason in listed.refused:
        complain(f"{path}: refused: {reason}")
    return 1 if listed.refused else 0


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Prints how many files are done on standard error, when that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > _STEP:
            last = time.monotonic()
            say(f"\r{done} of {total} files")

    try:
        yield tell
    finally:
        say("\r\033[K")
