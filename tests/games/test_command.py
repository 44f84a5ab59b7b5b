"""The command line of `runaudit games`: exit codes, the JSON envelope, what goes where."""

import json
from pathlib import Path

import pytest

from runaudit.cli.exits import guarded


def test_verify_prints_the_envelope_and_its_exit_code(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(["games", "verify", str(whole), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    envelope = ["kind", "version", "subject", "verdict", "exit_code", "reasons", "checks", "findings"]
    assert list(document) == [*envelope, "counts", "logs"]
    assert (document["kind"], document["verdict"], document["exit_code"]) == ("games_verify", "pass", 0)


def test_the_answer_no_is_one(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    next((copied / "generations" / "gen_00_step_00000").glob("*.py")).unlink()
    assert guarded(["games", "verify", str(copied)]) == 1
    assert "error games-count-differs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["verify", "absent"], 3, "no such folder"),
        (["verify"], 2, "Missing argument"),
        (["manifest", "EXPORT", "--job", "j"], 2, "--dashboard and --job belong together"),
        (["manifest", "EXPORT", "--logs", "absent.log"], 3, "no such log"),
        (["replay", "absent"], 3, "no such file or folder"),
    ],
)
def test_what_cannot_be_audited_is_no_verdict(
    copied: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
) -> None:
    told = [str(copied) if argument == "EXPORT" else argument for argument in arguments]
    assert guarded(["games", *told]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err


def test_manifest_to_standard_output_is_the_document_alone(
    whole: Path, logs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(["games", "manifest", str(whole), "--logs", str(logs[0].parent), "-o", "-"]) == 0
    captured = capsys.readouterr()
    assert captured.out.encode() == (whole / "manifest.json").read_bytes()
    assert "195 games" in captured.err


def test_warnings_fail_on_request_only(whole: Path, logs: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "j.log").write_text(logs[0].read_text() + logs[1].read_text() + "[COLLECT] stats: {'game': {\n")
    told = ["games", "manifest", str(whole), "--logs", f"run={tmp_path / 'j.log'}", "-o", str(tmp_path / "m.json")]
    assert guarded(told) == 0
    assert guarded([*told, "--fail-on", "warning"]) == 1
    assert json.loads((tmp_path / "m.json").read_text())["summary"]["reward_stats_source"] == {"run": 35}


def test_hostile_names_do_not_reach_the_terminal(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copied / "generations" / "gen_00_step_00000" / "game_\x1b[31m_1.py").write_text("x = 1\n")
    (copied.joinpath("generations").joinpath("gen_00_step_00000") / "game_\udcff.py").write_text("x = 1\n")
    for output in ("terminal", "json", "markdown", "junit", "github", "sarif"):
        assert guarded(["games", "verify", str(copied), "--format", output]) == 1
        assert "\x1b" not in capsys.readouterr().out
