"""The pre-commit hooks name commands that exist, and pass on a sound folder."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from runaudit.cli.exits import guarded
from runaudit.usecases.manifest import create_manifest

HOOKS = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())


def command_of(hook: dict[str, Any]) -> list[str]:
    words = [*hook["entry"].split(), *hook.get("args", [])]
    assert words[0] == "runaudit"
    return words[1:]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_a_hook_names_a_command(hook: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded([*command_of(hook), "--help"]) == 0
    assert "Usage: runaudit" in capsys.readouterr().out


def test_the_manifest_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"x")
    create_manifest(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    command = command_of(next(hook for hook in HOOKS if hook["id"] == "runaudit-manifest"))
    assert guarded(command) == 0
    (tmp_path / "a").write_bytes(b"y")
    assert guarded(command) == 1


def test_the_claims_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = '[[claims]]\nid = "a"\nsentence = "One row."\nkind = "equal"\nvalues = [1, { rows = "a.jsonl" }]\n'
    (tmp_path / "claims.toml").write_text(f"version = 1\n{claim}")
    (tmp_path / "a.jsonl").write_text("{}\n")
    monkeypatch.chdir(tmp_path)
    command = command_of(next(hook for hook in HOOKS if hook["id"] == "runaudit-claims"))
    assert guarded(command) == 0
    (tmp_path / "a.jsonl").write_text("{}\n{}\n")
    assert guarded(command) == 1
