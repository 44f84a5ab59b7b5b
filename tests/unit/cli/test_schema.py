"""`runaudit schema` from the outside."""

import json

import pytest

from runaudit.cli.exits import guarded
from runaudit.usecases.schemas import schema, schema_names


def test_without_a_name_the_schemas_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(["schema"]) == 0
    assert [line.split()[0] for line in capfd.readouterr().out.splitlines()] == list(schema_names())


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_printed_as_it_is(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(["schema", name]) == 0
    assert json.loads(capfd.readouterr().out) == schema(name)


def test_an_unknown_schema_is_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(["schema", "run_sumary"]) == 2
    streams = capfd.readouterr()
    assert streams.out == ""
    assert "no schema has the name 'run_sumary'" in streams.err
