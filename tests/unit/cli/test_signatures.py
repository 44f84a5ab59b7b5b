"""`runaudit signatures -o -` prints the document that it would write, and writes nothing."""

from pathlib import Path

import pytest

from runaudit.cli.exits import guarded


def test_a_dash_is_standard_output(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rollouts.jsonl").write_bytes(b'{"reward": 1}\n')
    assert guarded(["signatures", "rollouts.jsonl", "-o", "-"]) == 0
    printed = capfdbinary.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rollouts.jsonl"]
    assert guarded(["signatures", "rollouts.jsonl"]) == 0
    assert Path("rollouts_output_signatures.json").read_bytes() == printed
