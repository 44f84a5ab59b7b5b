"""The command group. Commands are imported when they are called, so that `--version` starts at once."""

import importlib

import click

from runaudit.version import VERSION

# name -> module:attribute, and the line that `--help` shows without importing the command
COMMANDS: dict[str, tuple[str, str]] = {
    "signatures": ("runaudit.cli.signatures:signatures", "Before a run: record what sits under its output names."),
    "summarize": ("runaudit.cli.summarize:summarize", "After a run: write the run summary beside its results."),
    "run": ("runaudit.cli.run:run", "Around a run: signatures, the command, its summary."),
    "verify": ("runaudit.cli.verify:verify", "Audit results folders, moved or not, by their summaries."),
    "manifest": ("runaudit.cli.manifest:manifest", "SHA-256 manifests: create and verify."),
    "claims": ("runaudit.cli.claims:claims", "Hold the claims of a card against the files: check, init."),
    "diff": ("runaudit.cli.diff:diff", "Compare runs with a baseline, and gate on the change."),
    "show": ("runaudit.cli.show:show", "Show a run summary to a person."),
    "games": ("runaudit.cli.games:games", "Exported self-play games: manifest, verify, replay."),
    "explain": ("runaudit.cli.explain:explain", "Say what a finding means and what to do."),
    "schema": ("runaudit.cli.schema:schema", "Print the JSON Schema of a document."),
    "demo": ("runaudit.cli.demo:demo", "Make a small run on the spot and take it through the tool."),
}


class LazyGroup(click.Group):
    """Lists the commands from COMMANDS and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # click's
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"runaudit {VERSION}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, callback=_print_version, expose_value=False, is_eager=True, help="Print the version."
)
def cli() -> None:
    """Says where the evidence of an evaluation run is, whether it is this run's, and whether it changed.

    All of it from the files alone, on any machine. See it at work with: runaudit demo

    \b
    Behind a run of your own:
      runaudit run -- gym eval run --output results/rollouts.jsonl
      runaudit show results

    Exit codes, the same for every command: 0 audited and clean; 1 audited, and the answer is no; 2 wrong usage;
    3 could not audit.
    """
