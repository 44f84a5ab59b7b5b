"""Every folder in `fixtures/jobs` is a case: its position says whether errors belong there, `expect.json` what else."""

import json
from collections import Counter
from pathlib import Path

import jsonschema
import pytest

from runaudit.assemble.encode import summary_document
from runaudit.layouts.harbor.layout import HarborLayout
from runaudit.model.request import Request
from runaudit.usecases import schemas
from runaudit.usecases.summarize import Options, build
from tests.documents import closed

ROOT = Path(__file__).parents[4] / "fixtures" / "jobs"
CASES = sorted(path.parent for path in ROOT.glob("*/*/expect.json"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_fixture_job_is_judged_as_expected(case: Path) -> None:
    expected = json.loads((case / "expect.json").read_text())
    document = summary_document(build(str(case / "job"), Options(request=Request())).summary)
    outcomes = Counter(task["outcome"] for task in document["tasks"])
    assert dict(outcomes) == expected["outcomes"]
    found: Counter[str] = Counter()
    for group in document["findings"]:
        found[group["id"]] += group["count"]
    assert dict(found) == expected["findings"], json.dumps(document["findings"], indent=1)
    errors = [group["id"] for group in document["findings"] if group["level"] == "error"]
    assert case.parent.name != "clean" or errors == []


def test_there_are_cases() -> None:
    assert len(CASES) > 20


def test_no_fixture_names_a_place_on_the_machine_that_wrote_it() -> None:
    named = [str(path) for path in ROOT.rglob("*") if path.is_file() and b"/tmp/" in path.read_bytes()]
    assert named == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_its_documents_fit_their_schemas(case: Path) -> None:
    layout = HarborLayout()
    (target,) = layout.recognise(str(case / "job"))
    documents = {
        "run_summary": build(str(case / "job"), Options()).document(),
        "output_signatures": layout.sign(target).to_document(),
    }
    for name, document in documents.items():
        jsonschema.validate(json.loads(json.dumps(document)), closed(schemas.schema(name)))
