"""Where the configuration comes from, what it may say, and that an audited folder has no say in it."""

import os
from datetime import date
from pathlib import Path

import pytest

from runaudit.errors import UsageError
from runaudit.judge.registry import CORE, by_id
from runaudit.model.configuration import Configuration, KnownFinding
from runaudit.usecases.configuration import Loaded, load

REGISTRY = by_id(CORE)
STRICT = '[levels]\nstale-file = "error"\n'


def loaded(start: Path, *audited: Path, explicit: Path | None = None) -> Loaded:
    return load(
        explicit=None if explicit is None else str(explicit),
        start=str(start),
        audited=[str(path) for path in audited],
        registry=REGISTRY,
    )


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refused(tmp_path: Path, text: str, name: str = "runaudit.toml") -> str:
    path = written(tmp_path / name, text)
    with pytest.raises(UsageError) as caught:
        loaded(tmp_path, explicit=path)
    return str(caught.value).removeprefix(str(tmp_path) + "/")


def test_without_a_file_nothing_is_configured(tmp_path: Path) -> None:
    assert loaded(tmp_path) == Loaded(configuration=Configuration())


def test_the_whole_format(tmp_path: Path) -> None:
    path = written(
        tmp_path / "audit.toml",
        STRICT
        + '[[known]]\nid = "hollow-row"\npath = "a/*"\nreason = "r"\nexpires = 2027-01-31\n'
        + '[[known]]\nid = "stale-file"\nreason = "s"\nexpires = 2027-02-01\n',
    )
    configuration = loaded(tmp_path, explicit=path).configuration
    assert configuration.levels == {"stale-file": "error"}
    assert configuration.known == (
        KnownFinding(id="hollow-row", path="a/*", reason="r", expires=date(2027, 1, 31)),
        KnownFinding(id="stale-file", path="**", reason="s", expires=date(2027, 2, 1)),
    )
    assert configuration.file == str(path)
    assert (configuration.digest or "").startswith("sha256:")


def test_the_nearest_folder_upwards_wins_and_the_own_file_before_the_shared_one(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    written(tmp_path / "runaudit.toml", STRICT)
    assert loaded(deep).configuration.file == "../../runaudit.toml"
    written(tmp_path / "a" / "pyproject.toml", '[tool.runaudit.levels]\nstale-file = "note"\n')
    near = loaded(deep).configuration
    assert (near.file, near.levels) == ("../pyproject.toml", {"stale-file": "note"})
    written(tmp_path / "a" / "runaudit.toml", STRICT)
    assert loaded(deep).configuration.file == "../runaudit.toml"


@pytest.mark.parametrize("text", ['[project]\nname = "x"\n', "this is [ no toml", "# runaudit\n[tool.ruff]\nx = 1\n"])
def test_a_shared_file_that_says_nothing_about_us_is_passed_over(tmp_path: Path, text: str) -> None:
    written(tmp_path / "runaudit.toml", STRICT)
    written(tmp_path / "a" / "pyproject.toml", text)
    assert loaded(tmp_path / "a").configuration.file == "../runaudit.toml"


def test_a_file_inside_the_audited_folder_is_named_and_never_used(tmp_path: Path) -> None:
    audited = tmp_path / "results"
    written(tmp_path / "runaudit.toml", STRICT)
    written(audited / "runaudit.toml", "not even = [toml")
    written(audited / "pyproject.toml", "[tool.runaudit]\nbroken")
    found = loaded(audited, audited)
    assert found.configuration.file == "../runaudit.toml"
    assert [(note.id, note.path) for note in found.notes] == [("configuration-ignored", "runaudit.toml")]


def test_a_summary_stands_for_its_folder(tmp_path: Path) -> None:
    written(tmp_path / "results" / "runaudit.toml", STRICT)
    summary = written(tmp_path / "results" / "x_run_summary.json", "{}")
    found = loaded(tmp_path / "results", summary)
    assert found.configuration == Configuration()
    assert len(found.notes) == 1


def test_a_link_into_the_audited_folder_is_not_read(tmp_path: Path) -> None:
    written(tmp_path / "results" / "settings.toml", STRICT)
    (tmp_path / "runaudit.toml").symlink_to("results/settings.toml")
    assert loaded(tmp_path, tmp_path / "results").configuration == Configuration()
    with pytest.raises(UsageError, match="lies inside the folder that is audited"):
        loaded(tmp_path, tmp_path / "results", explicit=tmp_path / "runaudit.toml")


def test_a_link_to_a_file_that_the_user_keeps_elsewhere_is_read(tmp_path: Path) -> None:
    written(tmp_path / "dotfiles" / "audit.toml", STRICT)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "runaudit.toml").symlink_to("../dotfiles/audit.toml")
    assert loaded(tmp_path / "work").configuration.levels == {"stale-file": "error"}


def test_a_dangling_link_of_that_name_inside_the_audited_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "runaudit.toml").symlink_to("nowhere")
    assert len(loaded(tmp_path, tmp_path).notes) == 1


def test_an_explicit_file_must_be_a_plain_file_with_our_table(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    for name in ("absent.toml", "pipe.toml"):
        with pytest.raises(UsageError, match=name):
            loaded(tmp_path, explicit=tmp_path / name)
    assert refused(tmp_path, "[project]\n", "pyproject.toml").endswith("expected a table [tool.runaudit], found none")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[level]\n", "runaudit.toml: level: unknown key; did you mean 'levels'?"),
        ("zzz = 1\n", "runaudit.toml: zzz: unknown key; known keys: levels, known"),
        ("levels = 3\n", "runaudit.toml: levels: expected a table of levels by finding id, found 3"),
        ("known = 3\n", "runaudit.toml: known: expected an array of tables ([[known]]), found 3"),
        ("known = [3]\n", "runaudit.toml: known[0]: expected a table, found 3"),
        (
            '[levels]\nstale-fil = "note"\n',
            "runaudit.toml: levels.stale-fil: no finding has the id 'stale-fil'; did you mean 'stale-file'?",
        ),
        (
            '[levels]\nstale-file = "warn"\n',
            "runaudit.toml: levels.stale-file: expected error, warning, note, found 'warn'; did you mean 'warning'?",
        ),
        (
            "[levels]\nstale-file = true\n",
            "runaudit.toml: levels.stale-file: expected error, warning, note, found True",
        ),
        (
            '[levels]\nsignatures-reused = "note"\n',
            "runaudit.toml: levels.signatures-reused: signatures-reused stops the command and has no level to change",
        ),
        (
            '[[known]]\nid = "stale-file"\nreason = "r"\nexpire = 2027-01-31\n',
            "runaudit.toml: known[0].expire: unknown key; did you mean 'expires'?",
        ),
        (
            '[[known]]\nid = "stale-file"\nreason = "r"\n',
            "runaudit.toml: known[0].expires: expected a date (2027-01-31, without quotes), found nothing",
        ),
        (
            '[[known]]\nid = "stale-file"\nreason = "r"\nexpires = "2027-01-31"\n',
            "runaudit.toml: known[0].expires: expected a date (2027-01-31, without quotes), found '2027-01-31'",
        ),
        (
            '[[known]]\nid = "stale-file"\nreason = " "\nexpires = 2027-01-31\n',
            "runaudit.toml: known[0].reason: expected a text, found ' '",
        ),
    ],
)
def test_what_is_not_understood_is_refused_by_name(tmp_path: Path, text: str, complaint: str) -> None:
    assert refused(tmp_path, text) == complaint


@pytest.mark.parametrize("data", [b"a = [", b"\xff\xfe", b"x = " + b"[" * 100_000])
def test_what_is_no_toml_is_wrong_usage(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "runaudit.toml").write_bytes(data)
    with pytest.raises(UsageError, match="no TOML"):
        loaded(tmp_path)


def test_a_table_of_ours_that_is_no_table(tmp_path: Path) -> None:
    assert refused(tmp_path, "[tool]\nrunaudit = 3\n", "pyproject.toml") == (
        "pyproject.toml: tool.runaudit: expected a table, found int"
    )
