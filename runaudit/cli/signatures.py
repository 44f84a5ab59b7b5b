"""`runaudit signatures`."""

import click

from runaudit.usecases.signatures import write_signatures


@click.command()
@click.argument("rollouts")
@click.option("-o", "--output", metavar="FILE", help="Where to write them (default: beside the rollouts).")
def signatures(rollouts: str, output: str | None) -> None:
    """Records what sits under the output names of ROLLOUTS, before the run is dispatched.

    ROLLOUTS is the path that the run will write (`--output`); it need not exist yet. `summarize` later compares: a
    file that is unchanged since was left by an earlier run. A signature here is size, time and content hash of a
    file, no cryptographic signature.
    """
    path = write_signatures(rollouts, output)
    click.echo(path)
