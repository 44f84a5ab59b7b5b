"""Arbitrary JSON, and bytes that are none, in every document of a job: never a crash, always an encodable summary."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runaudit.assemble.encode import summary_document
from runaudit.layouts.harbor.layout import HarborLayout
from runaudit.model.task import OUTCOMES
from runaudit.usecases.summarize import Options, build
from tests.job_builders.harbor_job import HarborJob

DOCUMENTS = (
    "config.json",
    "lock.json",
    "result.json",
    "job.log",
    "runaudit_ledger.jsonl",
    "greet__AAAAAAA/result.json",
    "greet__AAAAAAA/config.json",
    "greet__AAAAAAA/lock.json",
    "greet__AAAAAAA/verifier/reward.txt",
    "greet__AAAAAAA/verifier/reward.json",
    "greet__AAAAAAA/agent/trajectory.json",
)
NUMBERS = st.one_of(st.integers(), st.integers(min_value=10**30), st.floats(), st.just(float("nan")), st.just(-0.0))
KEYS = st.sampled_from(
    [
        *("id", "stats", "evals", "trials", "task", "agent", "agents", "datasets", "name", "digest", "source", "path"),
        *("rewards", "reward", "verifier_result", "exception_info", "exception_type", "step_results", "step_name"),
        *("started_at", "finished_at", "n_total_trials", "n_attempts", "metrics", "mean", "pass_at_k", "reward_stats"),
        *("agent_result", "n_input_tokens", "cost_usd", "steps", "step_id", "source_call_id", "final_metrics", "retry"),
        *("trial_name", "task_name", "task_id", "trial_uri", "config", "harbor", "version", "event", "kind", "trial"),
    ]
)
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), NUMBERS, st.text(max_size=8), st.sampled_from(["../../x", "\ud800", "a" * 300])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=25,
)


def summarised(job: Path) -> dict[str, Any]:
    """The job's summary as a document, made through the layout whether or not the folder is recognised any more."""
    if not HarborLayout().recognise(str(job)):
        return {}
    return summary_document(build(str(job), Options()).summary)


def check(job: Path) -> None:
    document = summarised(job)
    json.dumps(document, allow_nan=False)
    counts = document.get("counts", {})
    assert sum(counts.get(outcome, 0) for outcome in OUTCOMES) == counts.get("selected", 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jobs")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(DOCUMENTS), value=VALUES)
def test_any_json_in_any_document(folder: Path, name: str, value: Any) -> None:
    job = HarborJob(folder / "any").sound()
    path = job.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8", errors="surrogatepass")
    check(job.folder)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from([name for name in DOCUMENTS if name.endswith(".json")]), data=st.data())
def test_any_value_at_any_place_of_a_sound_document(folder: Path, name: str, data: st.DataObject) -> None:
    job = HarborJob(folder / "deep").sound()
    path = job.folder / name
    path.parent.mkdir(exist_ok=True)
    document = json.loads(path.read_text()) if path.exists() else {}
    place, key = document, None
    while isinstance(place, dict) and place:
        key = data.draw(st.sampled_from(sorted(place)))
        if not isinstance(place[key], dict) or data.draw(st.booleans()):
            break
        place = place[key]
    if key is not None and isinstance(place, dict):
        place[key] = data.draw(VALUES)
    path.write_text(json.dumps(document), encoding="utf-8", errors="surrogatepass")
    check(job.folder)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(DOCUMENTS), data=st.binary(max_size=60), keep=st.integers(0, 400))
def test_any_bytes_and_any_cut(folder: Path, name: str, data: bytes, keep: int) -> None:
    job = HarborJob(folder / "bytes").sound()
    path = job.folder / name
    path.parent.mkdir(exist_ok=True)
    old = path.read_bytes() if path.exists() else b""
    path.write_bytes(old[:keep] + data)
    check(job.folder)


def test_deep_nesting_is_one_finding(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    (job.folder / "greet__AAAAAAA" / "result.json").write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    document = summarised(job.folder)
    assert "trial-unreadable" in {finding["id"] for finding in document["findings"]}
