"""`runaudit claims check` and `init` as commands: exit codes, formats, what is written where."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runaudit.cli.exits import guarded
from tests.claims.write_examples import FIXTURES

SCHEMAS = Path(__file__).parents[2] / "schemas"
CASE = str(FIXTURES / "training-evidence" / "claims.toml")
GAMES = str(FIXTURES / "games-export" / "claims.toml")
RECIPE = str(FIXTURES / "training-recipe" / "claims.toml")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = guarded(["claims", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([GAMES], 0),
        ([CASE], 1),
        ([RECIPE], 3),
        ([RECIPE, "--allow-unknown"], 0),
        ([CASE, "--allow-unknown"], 1),
        ([str(FIXTURES / "none.toml")], 3),
        ([str(FIXTURES)], 3),
        ([GAMES, "--root", str(FIXTURES / "none")], 3),
        ([str(FIXTURES / "games-export/README.md")], 2),
        ([GAMES, "--nonsense"], 2),
        ([GAMES, "--fail-on", "note"], 0),
        ([RECIPE, "--fail-on", "note"], 1),
    ],
)
def test_exit_codes(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "check", *words)[0] == code


def test_json_has_the_envelope_and_an_entry_for_each_claim(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, "check", CASE, "--format", "json")
    document: dict[str, Any] = json.loads(out)
    jsonschema.validate(document, json.loads((SCHEMAS / "report.v1.json").read_text(encoding="utf-8")))
    assert (document["kind"], document["exit_code"], code) == ("claims_check", 1, 1)
    assert document["counts"] == {"holds": 3, "fails": 4, "cannot_tell": 1, "unchecked": 0}
    keys = ["id", "sentence", "answer", "compared", "expected", "found", "why", "notes"]
    assert all(list(entry) == keys for entry in document["claims"])
    assert {group["id"]: group["count"] for group in document["findings"]} == {"claim-fails": 4}
    lines = [place["line"] for group in document["findings"] for place in group["places"]]
    claims = Path(CASE).read_text(encoding="utf-8").splitlines()
    assert all(claims[line - 1] == "[[claims]]" for line in lines)


@pytest.mark.parametrize("form", ["terminal", "markdown", "junit", "github", "sarif"])
def test_every_format_shows_both_values(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, "check", CASE, "--format", form)
    assert code == 1
    assert "760" in out
    assert "preference-pairs" in out.replace("\\-", "-")
    assert told(capsys, "check", CASE, "--format", form)[1] == out


def test_a_hostile_claims_file_reaches_no_terminal_raw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(
        'version = 1\n[[claims]]\nid = "a"\nsentence = "x\\u001b[31m"\nkind = "equal"\nvalues = ["\\u001b", 1]\n'
    )
    code, out, _ = told(capsys, "check", str(path))
    assert (code, "\x1b" in out) == (1, False)
    path.write_text('version = 1\n"\\u001b[2J" = 1\n')
    code, _, err = told(capsys, "check", str(path))
    assert (code, "\x1b" in err) == (2, False)


def test_the_folder_may_lie_elsewhere_and_links_may_lead_into_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(FIXTURES / "games-export", tmp_path / "export")
    (tmp_path / "blobs").mkdir()
    (tmp_path / "export/config.json").rename(tmp_path / "blobs/config")
    (tmp_path / "export/config.json").symlink_to("../blobs/config")
    words = ["check", GAMES, "--root", str(tmp_path / "export")]
    assert told(capsys, *words)[0] == 1
    assert told(capsys, *words, "--also", str(tmp_path / "blobs"))[0] == 0


def test_init_never_replaces_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "export"
    shutil.copytree(FIXTURES / "games-export", folder)
    before = (folder / "claims.toml").read_bytes()
    assert told(capsys, "init", str(folder))[0] == 2
    assert (folder / "claims.toml").read_bytes() == before
    code, out, _ = told(capsys, "init", str(folder), "-o", "-")
    assert code == 0
    assert told(capsys, "init", str(folder), "--force")[0] == 0
    assert (folder / "claims.toml").read_text(encoding="utf-8") == out
    assert told(capsys, "check", str(folder / "claims.toml"))[0] == 3


def test_init_needs_something_to_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "init", str(tmp_path / "none"))[0] == 3
    assert told(capsys, "init", str(tmp_path))[0] == 3
    (tmp_path / "README.md").write_text('It has 3 \x1b heads and "4" tails\\n in data.jsonl.\n')
    (tmp_path / "data.jsonl").write_text("{}\n")
    assert told(capsys, "init", str(tmp_path))[0] == 0
    assert told(capsys, "check", str(tmp_path / "claims.toml"))[0] == 3
