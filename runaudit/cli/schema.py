"""`runaudit schema`."""

import click

from runaudit.cli.screen import write_stdout
from runaudit.usecases.schemas import schema_names, schema_text, title


@click.command()
@click.argument("name", required=False)
def schema(name: str | None) -> None:
    """Prints the JSON Schema of a document that runaudit writes.

    NAME is a schema's name, such as run_summary.v1; without the version, the newest is meant. Without NAME, the names
    are listed.

    \b
    Example:
      runaudit schema run_summary > run_summary.schema.json
    """
    if name is not None:
        write_stdout(schema_text(name))
        return
    names = schema_names()
    width = max(map(len, names), default=0)
    write_stdout("".join(f"{known:<{width}}  {title(known)}\n" for known in names))
