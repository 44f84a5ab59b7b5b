"""A claims file is refused with the file, the claim, the place, and what was probably meant."""

import pytest

from runaudit.claims.quantity import Constant, Field, Files, Quoted, Rank, Rows, Sha256, Total
from runaudit.claims.statement import Equal
from runaudit.errors import UsageError
from runaudit.usecases.claims import read_claims
from tests.unit.claims.held import claim

EQUAL = 'values = [1, { json = "a.json", at = "b" }]'


def test_every_kind_of_quantity() -> None:
    text = claim(
        'values = [0.50, ["1/2", 0], { json = "a", at = "/b" }, '
        '{ rows = ["a", "b"], where = { x = [1, 2] }, having = "y" }, '
        '{ files = "*" }, { sha256 = "a" }, { rank = "a" }, { summary = "a", at = "b" }]'
    )
    [statement] = read_claims(f"version = 1\n{text}", "c.toml").statements
    assert isinstance(statement, Equal)
    assert [type(value) for value in statement.values] == [Constant, Total, Field, Rows, Files, Sha256, Rank, Quoted]
    assert str(getattr(statement.values[0], "value", "")) == "0.50"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version = 2", "version: expected 1, found 2"),
        ("", "version: expected 1, found None"),
        ("version = true", "version: expected 1"),
        ("version = 1\nclams = []", "unknown key 'clams'; did you mean 'claims'?"),
        ("version = 1\ncard = 3", "card: expected a path"),
        ("version = 1\nclaims = 3", "expected tables [[claims]]"),
        ("version = ", "no TOML"),
        ("a = " + "[" * 5000, "no TOML"),
        ("version = 1\n" + claim(EQUAL) + claim(EQUAL), "two claims have the id 'one'"),
        ("version = 1\n" + claim(EQUAL).replace('"one"', '"One Two"'), "id: expected lower-case"),
        ("version = 1\n" + claim(EQUAL, "equals"), "did you mean 'equal'?"),
        ("version = 1\n" + claim(EQUAL).replace("It is so.", " "), "sentence: expected the sentence"),
        ("version = 1\n" + claim(EQUAL + "\nabuot = 1"), "unknown key 'abuot'; did you mean 'about'?"),
        ("version = 1\n" + claim("values = [1]"), "expected at least two"),
        ("version = 1\n" + claim("values = [1, []]"), "a sum of nothing"),
        ("version = 1\n" + claim("values = [1, nan]"), "finite number"),
        ("version = 1\n" + claim("values = [1, 2020-01-01]"), "finite number"),
        ("version = 1\n" + claim('values = [1, { jsn = "a", at = "b" }]'), "did you mean 'json'?"),
        ("version = 1\n" + claim('values = [1, { json = "a", att = "b" }]'), "unknown key 'att'; did you mean 'at'?"),
        ("version = 1\n" + claim('values = [1, { json = "a", rows = "b" }]'), "exactly one of"),
        ("version = 1\n" + claim('values = [1, { json = 3, at = "b" }]'), "Expected `str`"),
        ("version = 1\n" + claim('values = [1, { json = "a" }]'), "missing required field `at`"),
        ("version = 1\n" + claim('path = "a"\nstated = []', "digest"), "at least one entry"),
        ("version = 1\n" + claim('path = "a"\nstated = "x"\nscheme = "md5"', "digest"), "scheme"),
        ("version = 1\n" + claim('rows = ["a", "b"]\nwithin = "c"', "contained"), "equally many"),
        (
            "version = 1\n" + claim('rows = "a"\nname = "n"\nnominated = "x"\nthresholds = [{ metric = "m" }]', "gate"),
            "at_least",
        ),
        (
            "version = 1\n"
            + claim('rows = "a"\nname = "n"\nnominated = "x"\nthresholds = [{ metric = "m", atleast = 1 }]', "gate"),
            "did you mean 'at_least'?",
        ),
        (
            "version = 1\n"
            + claim(
                'rows = "a"\nname = ["n"]\nsplit = { s = 1 }\nwinner = "x"\nrounds = [{ within = "a" }]', "selection"
            ),
            "either least or greatest",
        ),
        (
            "version = 1\n"
            + claim(
                'rows = "a"\nname = ["n"]\nsplit = { s = 1 }\nwinner = "x"\nrounds = [{ least = "m", within = "a" }]',
                "selection",
            ),
            "the last round selects one",
        ),
        ("version = 1\n" + claim('roots = ["a"]\nends_at = "b"\nstages = []', "lineage"), "at least one entry"),
        ("version = 1\n" + claim('tensors = "a"', "adapter"), "at least one of rank"),
        ("version = 1\n" + claim('paths = ["a", "a"]', "identical"), "agrees with itself"),
        ("version = 1\n" + claim('tensors = ["a", "a"]', "same-tensors"), "agrees with itself"),
        ("version = 1\n" + claim('rows = "a"\nwithin = "a"', "contained"), "a file contains itself"),
        (
            "version = 1\n"
            + claim(
                'roots = ["a"]\nends_at = "b"\nstages = [{ name = "x", init = "a", output = "b", evidence = "e" }]',
                "lineage",
            ),
            "fields: expected where",
        ),
        ("version = 1\n" + claim("values = [1, 2]\nabout = -1"), "about: expected a tolerance of 0 or more, found -1"),
        (
            "version = 1\n"
            + claim(
                'rows = "a"\nname = "n"\nnominated = "x"\nthresholds = [{ metric = "m", at_most = 1, about = -2 }]',
                "gate",
            ),
            "m: about: expected 0 or more",
        ),
        ("version = 1\n[[unchecked]]\nsentense = 'x'", "did you mean 'sentence'?"),
    ],
)
def test_what_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_claims(text, "c.toml")
    assert str(refused.value).startswith("c.toml: ")
    assert says in str(refused.value)
