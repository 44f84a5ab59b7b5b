"""The names that a NeMo Gym run gives its files, all derived from the path of its rollouts.

The rules are the producer's: one suffix is dropped from the rollouts' name, and the rest of the name carries the
sidecars. A `.gz`, which no producer writes, is stripped first. Pure: paths in, paths out, in the rollouts' own folder.
"""

import os

_HEALTH_SUMMARY = "quality_summary.json"
_HEALTH_VERDICTS = "rollout_verdicts.jsonl"


def plain_name(rollouts: str) -> str:
    """The file name of the rollouts without `.gz`."""
    return os.path.basename(rollouts).removesuffix(".gz")


def stem(rollouts: str) -> str:
    """The file name without `.gz` and without its last suffix: `run.v1.jsonl` → `run.v1`."""
    return os.path.splitext(plain_name(rollouts))[0]


def failures(rollouts: str) -> str:
    """Failed attempts, one row each."""
    return _beside(rollouts, f"{stem(rollouts)}_failures.jsonl")


def materialized_inputs(rollouts: str) -> str:
    """What the run owed: one row for each task and repeat."""
    return _beside(rollouts, f"{stem(rollouts)}_materialized_inputs.jsonl")


def aggregate_metrics(rollouts: str) -> str:
    """The producer's means, one entry for each agent."""
    return _beside(rollouts, f"{stem(rollouts)}_aggregate_metrics.json")


def sources(rollouts: str) -> str:
    """The shards that a merged file was made of."""
    return _beside(rollouts, f"{stem(rollouts)}_sources.json")


def signatures(rollouts: str) -> str:
    """Our record of what lay there before the run."""
    return _beside(rollouts, f"{stem(rollouts)}_output_signatures.json")


def run_summary(rollouts: str) -> str:
    """The run summary: ours, or the one of newer producers, who use the same name."""
    return _beside(rollouts, f"{stem(rollouts)}_run_summary.json")


def alternative_run_summary(rollouts: str) -> str:
    """Where our summary goes when the producer's own lies at its name."""
    return _beside(rollouts, f"{stem(rollouts)}_runaudit_summary.json")


def preprocessed_datasets(rollouts: str) -> str:
    """The folder of collated datasets that a serving run reads."""
    return os.path.join(_beside(rollouts, stem(rollouts)), "preprocessed_datasets")


def quality_summary(rollouts: str) -> str:
    """The health check's summary: one for a folder, whatever the rollouts are called."""
    return _beside(rollouts, _HEALTH_SUMMARY)


def rollout_verdicts(rollouts: str) -> str:
    """The health check's verdicts: one file for a folder, whatever the rollouts are called."""
    return _beside(rollouts, _HEALTH_VERDICTS)


def _beside(rollouts: str, name: str) -> str:
    return os.path.join(os.path.dirname(rollouts), name)
