"""The published schema of claims files says what the code reads, and the examples fit it."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from runaudit.claims.quantity import LEADING
from runaudit.claims.statement import KINDS, Round, Stage, Threshold

ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, Any] = json.loads((ROOT / "schemas/claims.v1.json").read_text(encoding="utf-8"))
FILES = sorted(ROOT.glob("fixtures/claims/*/claims.toml"))
FORMS: dict[str, type[msgspec.Struct]] = {
    **KINDS,
    **{f"quantity-{name}": form for name, form in LEADING.items()},
    "stage": Stage,
    "round": Round,
    "threshold": Threshold,
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_the_examples_fit(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", FORMS)
def test_fields_and_required_ones_are_those_of_the_code(name: str) -> None:
    fields = msgspec.structs.fields(FORMS[name])
    stated = SCHEMA["$defs"][name]
    kind = {"kind"} if name in KINDS else set()
    assert set(stated["properties"]) == {field.encode_name for field in fields} | kind
    assert set(stated["required"]) == {field.encode_name for field in fields if field.required} | kind


def test_the_kinds_are_the_ten_of_the_code() -> None:
    listed = {entry["$ref"].rsplit("/", 1)[-1] for entry in SCHEMA["properties"]["claims"]["items"]["oneOf"]}
    assert listed == set(KINDS)
    assert len(listed) == 10


def test_a_misspelt_key_does_not_fit() -> None:
    document = {"version": 1, "claims": [{"id": "a", "sentence": "b", "kind": "equal", "values": [1, 1], "abuot": 1}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
