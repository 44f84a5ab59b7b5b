"""`runaudit signatures`."""

import click

from runaudit.cli.exits import printable
from runaudit.usecases.signatures import signatures_bytes, write_signatures


@click.command()
@click.argument("rollouts")
@click.option("-o", "--output", metavar="PATH|-", help="Where to write them (default: beside the rollouts).")
def signatures(rollouts: str, output: str | None) -> None:
    """Before a run: records what lies under its output names already.

    ROLLOUTS is the path that the run will write (its --output); it need not exist yet. Take signatures before each
    fresh run, none before a resume. Later, summarize compares: what is unchanged since was left by an earlier run. A
    signature here is size, time and content hash of a file, no cryptographic signature.

    \b
    Example:
      runaudit signatures results/rollouts.jsonl
    """
    if output == "-":
        click.echo(signatures_bytes(rollouts), nl=False)
        return
    path = write_signatures(rollouts, output)
    click.echo(printable(path))
