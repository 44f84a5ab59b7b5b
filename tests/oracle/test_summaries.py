"""Every run of the fixtures: the summary's numbers are those of the oracle, which shares no code with the package."""

from pathlib import Path

import pytest

from runaudit.usecases.summarize import build_run_summary
from tests.oracle.count_rows import compare, count
from tests.stories.case_folder import lay_out

FIXTURES = Path(__file__).parents[2] / "fixtures"
_SIDECARS = ("_failures", "_materialized_inputs", "_prepare", "rollout_verdicts", "tasks")


def _is_run(path: Path) -> bool:
    """Whether a file of rows is a run's own: it has a sidecar, and it is none."""
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
    beside = [path.with_name(f"{stem}{end}") for end in ("_materialized_inputs.jsonl", "_failures.jsonl")]
    return not stem.endswith(_SIDECARS) and any(other.exists() for other in beside)


def _runs_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.jsonl*") if _is_run(path))


CLEAN = FIXTURES / "runs" / "clean"
CASES = FIXTURES / "cases"


@pytest.mark.parametrize("name", _runs_below(CLEAN))
def test_a_clean_run_is_counted_like_the_oracle(name: str) -> None:
    assert compare(build_run_summary(CLEAN / name), count(CLEAN / name)) == []


@pytest.mark.parametrize("name", _runs_below(CASES))
def test_a_run_of_the_cases_is_counted_like_the_oracle(name: str, tmp_path: Path) -> None:
    case, _, inner = name.partition("/")
    rollouts = lay_out(CASES / case, tmp_path / "run") / inner
    assert compare(build_run_summary(rollouts), count(rollouts)) == []


def test_there_is_something_to_compare() -> None:
    assert len(_runs_below(CLEAN)) >= 8
    assert len(_runs_below(CASES)) >= 30
