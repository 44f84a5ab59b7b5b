"""The schemas are found by name, and every document that is written fits its schema and holds no key beyond it."""

import os
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runaudit.errors import UsageError
from runaudit.usecases import schemas
from tests.documents import CLEAN_RUNS, closed, demo_document, signed_and_summarized, told_document

NAMES = ("output_signatures.v1", "report.v1", "run_summary.v1")


def faults(document: Any, schema: Any) -> list[str]:
    found = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [f"{error.json_path}: {error.message[:300]}" for error in found]


def test_the_schemas_are_listed_and_are_schemas() -> None:
    assert set(NAMES) <= set(schemas.schema_names())
    for name in schemas.schema_names():
        jsonschema.Draft202012Validator.check_schema(schemas.schema(name))
        assert schemas.title(name)


@pytest.mark.parametrize("name", ["run_summary", "run_summary.v1", "run_summary.v1.json"])
def test_a_schema_has_a_short_name(name: str) -> None:
    assert schemas.schema(name)["$id"] == "urn:runaudit:run_summary:v1"


def test_an_unknown_schema_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'run_summary\.v1'"):
        schemas.schema_text("run_sumary.v1")


def test_no_name_leads_out_of_the_folder() -> None:
    with pytest.raises(UsageError, match="no schema has the name"):
        schemas.schema_text("../pyproject")


@pytest.mark.parametrize("run", CLEAN_RUNS, ids=lambda run: f"{run.parent.name}-{run.stem}")
def test_documents_of_the_clean_runs_fit_their_schemas(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / run.parent.name
    shutil.copytree(run.parent, folder)
    signatures, summary = signed_and_summarized(folder / run.name)
    assert faults(summary, closed(schemas.schema("run_summary"))) == []
    assert faults(signatures, closed(schemas.schema("output_signatures"))) == []


@pytest.mark.parametrize("made", [demo_document, told_document])
def test_documents_with_every_kind_of_entry_fit_their_schemas(made: Any, tmp_path: Path) -> None:
    signatures, summary = made(tmp_path)
    assert faults(summary, closed(schemas.schema("run_summary"))) == []
    assert faults(signatures, closed(schemas.schema("output_signatures"))) == []


def test_readers_let_pass_a_key_that_the_schema_does_not_name(tmp_path: Path) -> None:
    _, summary = demo_document(tmp_path)
    later = {**summary, "later": 1, "tasks": [{**task, "later": 1} for task in summary["tasks"]]}
    assert faults(later, schemas.schema("run_summary")) == []
    assert len(faults(later, closed(schemas.schema("run_summary")))) == 1 + len(summary["tasks"])


@pytest.mark.parametrize(
    ("place", "value"),
    [("kind", "other"), ("version", 2), ("counts", {}), ("tasks", None), ("files", {"rollouts": 1})],
)
def test_the_schema_refuses_what_is_no_summary(place: str, value: Any, tmp_path: Path) -> None:
    _, summary = demo_document(tmp_path)
    assert faults({**summary, place: value}, schemas.schema("run_summary")) != []


def test_a_reward_belongs_to_scored_entries_only(tmp_path: Path) -> None:
    _, summary = demo_document(tmp_path)
    masked = next(task for task in summary["tasks"] if task["outcome"] == "masked")
    assert masked["reward"] is None
    masked["reward"] = 1.0
    assert len(faults(summary, schemas.schema("run_summary"))) == 1


def test_the_schemas_lie_where_the_wheel_and_the_checkout_have_them() -> None:
    root = Path(__file__).parents[3]
    assert os.path.join(root, "runaudit", "schemas") in schemas._FOLDERS
    assert os.path.join(root, "schemas") in schemas._FOLDERS
