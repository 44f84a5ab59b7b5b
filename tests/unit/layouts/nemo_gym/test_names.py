"""Names of sidecars, against the producer's own table."""

import pytest

from runaudit.layouts.nemo_gym.names import Names, looks_like_rollouts, of_path


@pytest.mark.parametrize(
    ("rollouts", "stem"),
    [
        ("rollouts.jsonl", "rollouts"),
        ("run.v1.jsonl", "run.v1"),
        ("run.v1", "run"),
        ("rollouts", "rollouts"),
        ("rollouts.jsonl.gz", "rollouts"),
        (".hidden", ".hidden"),
    ],
)
def test_one_suffix_is_dropped_after_gz(rollouts: str, stem: str) -> None:
    assert Names(rollouts=rollouts).stem == stem


def test_every_derived_name_carries_the_stem() -> None:
    folder, names = of_path("d/run.v1.jsonl.gz")
    assert folder == "d"
    assert names.own() == {
        "rollouts": "run.v1.jsonl.gz",
        "failures": "run.v1_failures.jsonl",
        "materialized_inputs": "run.v1_materialized_inputs.jsonl",
        "aggregate_metrics": "run.v1_aggregate_metrics.json",
        "sources": "run.v1_sources.json",
        "quality_summary": "quality_summary.json",
        "rollout_verdicts": "rollout_verdicts.jsonl",
    }
    assert names.signatures == "run.v1_output_signatures.json"
    assert (names.summary, names.alternative_summary) == ("run.v1_run_summary.json", "run.v1_runaudit_summary.json")
    assert names.prepared == "run.v1/preprocessed_datasets"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("rollouts.jsonl", True),
        ("rollouts.jsonl.gz", True),
        ("example_rollouts_terminus_2.jsonl", True),
        ("rollouts_failures.jsonl", False),
        ("rollouts_materialized_inputs.jsonl", False),
        ("tasks.jsonl", False),
        ("tasks_prepare.jsonl", False),
        ("tasks_prepare.instance.jsonl", False),
        ("rollout_verdicts.jsonl", False),
        ("rollouts_reward_profiling.jsonl", False),
        (".rollouts.jsonl", False),
        ("rollouts.json", False),
    ],
)
def test_sidecars_and_prepared_rows_are_no_rollouts(name: str, is_one: bool) -> None:
    assert looks_like_rollouts(name) is is_one
