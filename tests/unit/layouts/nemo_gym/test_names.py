"""Names of sidecars, against the producer's own table."""

import pytest

from runaudit.layouts.nemo_gym import names


@pytest.mark.parametrize(
    ("rollouts", "stem"),
    [
        ("rollouts.jsonl", "rollouts"),
        ("d/run.v1.jsonl", "run.v1"),
        ("run.v1", "run"),
        ("rollouts", "rollouts"),
        ("rollouts.jsonl.gz", "rollouts"),
        ("/a.b/.hidden", ".hidden"),
    ],
)
def test_one_suffix_is_dropped_after_gz(rollouts: str, stem: str) -> None:
    assert names.stem(rollouts) == stem


def test_every_derived_name_lies_beside_the_rollouts() -> None:
    path = "d/run.v1.jsonl"
    assert names.plain_name("d/run.v1.jsonl.gz") == "run.v1.jsonl"
    assert names.failures(path) == "d/run.v1_failures.jsonl"
    assert names.materialized_inputs(path) == "d/run.v1_materialized_inputs.jsonl"
    assert names.aggregate_metrics(path) == "d/run.v1_aggregate_metrics.json"
    assert names.sources(path) == "d/run.v1_sources.json"
    assert names.signatures(path) == "d/run.v1_output_signatures.json"
    assert names.run_summary(path) == "d/run.v1_run_summary.json"
    assert names.alternative_run_summary(path) == "d/run.v1_runaudit_summary.json"
    assert names.preprocessed_datasets(path) == "d/run.v1/preprocessed_datasets"
    assert names.quality_summary(path) == "d/quality_summary.json"
    assert names.rollout_verdicts(path) == "d/rollout_verdicts.jsonl"


def test_a_bare_name_stays_bare() -> None:
    assert names.failures("rollouts.jsonl") == "rollouts_failures.jsonl"
