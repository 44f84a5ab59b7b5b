"""`runaudit diff`: compare runs, and gate on the change."""

from datetime import UTC, datetime

import click

from runaudit.cli.exits import complain
from runaudit.cli.output import WITHOUT_SARIF, Reporting, publish
from runaudit.usecases.baseline import UpdateRefused, update_baseline
from runaudit.usecases.diff import SEED, compare_runs


@click.command()
@click.argument("baseline", metavar="BASELINE")
@click.argument("candidates", metavar="CANDIDATE...", nargs=-1, required=True)
@click.option("--policy", metavar="FILE", help="A TOML policy: what is required, what fails.")
@click.option("--seed", default=SEED, show_default=True, help="Seed of the random draws of the statistics.")
@click.option("--exit-zero", is_flag=True, help="Report only: exit 0 whatever the verdict.")
@click.option("--allow-missing-baseline", is_flag=True, help="Without a baseline, judge what needs none.")
@click.option("--allow-empty", is_flag=True, help="Nothing to compare is fine.")
@click.option(
    "--update-baseline",
    "update_baseline_file",
    metavar="FILE",
    help="When the verdict is pass, write the candidate's summary there.",
)
@click.option("--accept", is_flag=True, help="With --update-baseline: whatever the verdict.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(WITHOUT_SARIF),
    default="terminal",
    show_default=True,
    help="The form of the report.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the report there instead of stdout (-).")
def diff(
    *,
    baseline: str,
    candidates: tuple[str, ...],
    policy: str | None,
    seed: int,
    exit_zero: bool,
    allow_missing_baseline: bool,
    allow_empty: bool,
    update_baseline_file: str | None,
    accept: bool,
    format_name: str,
    output: str | None,
) -> int:
    """Compares runs task by task: BASELINE and each CANDIDATE is a run summary or a folder that holds one.

    Exit codes: 0 pass, 1 fail, 2 wrong usage or policy, 3 inconclusive or not comparable.
    """
    compared = compare_runs(
        baseline,
        candidates,
        policy=policy,
        seed=seed,
        allow_missing_baseline=allow_missing_baseline,
        allow_empty=allow_empty,
    )
    today = datetime.now(tz=UTC).date()
    told = Reporting(format=format_name, every_place=False, config=None, fail_on=None, output=output, today=today)
    code = publish(compared.report, told)
    if update_baseline_file is not None:
        try:
            for line in update_baseline(update_baseline_file, compared, accept=accept):
                complain(line)
        except UpdateRefused as refusal:
            complain(str(refusal))
            return code
    return 0 if exit_zero else code
