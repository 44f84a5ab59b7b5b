"""Tokens and cost: the job's totals against the sum over its trials."""

from collections.abc import Iterator

from runaudit.layouts.harbor.job import Job
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.harbor.trial_document import total
from runaudit.layouts.harbor.versions import Writer
from runaudit.layouts.json_fields import number, same
from runaudit.model.check import Check
from runaudit.model.finding import Finding

CHECK = "tokens and cost add up"


def totals_findings(job: Job, trials: list[Trial], writer: Writer) -> Iterator[Finding | Check]:
    """Totals of a finished job that are not the sum over its trials."""
    if not (job.result.usable and job.finished and writer.states_totals):
        yield Check(CHECK, made=False, reason="only a finished job of Harbor 0.6 or newer states totals")
        return
    sums = total([trial.tokens for trial in trials if trial.finished_ok])
    pairs = (
        ("n_input_tokens", sums.input),
        ("n_cache_tokens", sums.cached),
        ("n_output_tokens", sums.output),
        ("cost_usd", sums.cost),
    )
    for name, found in pairs:
        stated = number(job.stats.get(name))
        if not same(stated, found) and (stated or found):
            yield Finding(
                "totals-differ",
                f"{name}: the job's result says {_words(stated)}, its trials add up to {_words(found)}",
                path=job.result.path,
                expected=_words(found),
                found=_words(stated),
            )
    yield Check(CHECK, made=True, count=len(trials))


def _words(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.10g}"
