"""Received folders and claims files may hold anything: there is an answer, or an error that says what is wrong."""

import contextlib
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runaudit.errors import RunauditError
from runaudit.model.report import Report
from runaudit.usecases.claims import check_claims
from runaudit.usecases.claims_draft import draft_claims
from tests.claims.write_examples import FIXTURES

PIECES = (b"", b"nan", b"1e999", b"[", b"{", b'"', b"null", b"-1", b"\xff\0", b"../", b"9" * 400, b"\n")
EXAMPLE = FIXTURES / "training-evidence"
NAMES = sorted(path.relative_to(EXAMPLE).as_posix() for path in EXAMPLE.rglob("*") if path.is_file())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(NAMES), st.floats(0, 1), st.integers(0, 40), st.sampled_from(PIECES))
def test_damage_anywhere_is_answered(tmp_path: Path, name: str, where: float, cut: int, piece: bytes) -> None:
    folder = tmp_path / "received"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(EXAMPLE, folder)
    data = (folder / name).read_bytes()
    at = int(where * len(data))
    (folder / name).write_bytes(data[:at] + piece + data[at + cut :])
    with contextlib.suppress(RunauditError):
        report = check_claims(str(folder / "claims.toml"))
        assert report.verdict.word in ("fail", "inconclusive", "pass")
        assert all(entry["answer"] in ("holds", "fails", "cannot tell") for entry in report.body["claims"])
        assert all(entry["why"] for entry in report.body["claims"] if entry["answer"] == "cannot tell")
    with contextlib.suppress(RunauditError):
        assert draft_claims(str(folder)).blanks <= 15


@pytest.mark.parametrize("depth", [300, 700, 950, 20_000])
def test_deep_documents_are_answered(tmp_path: Path, depth: int) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth
    header = deep.encode()
    (tmp_path / "a.json").write_text(deep)
    (tmp_path / "r.jsonl").write_text(deep + "\n")
    (tmp_path / "m.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    (tmp_path / "README.md").write_text("It has 3 a of rank 4.\n")
    values = ('{ rank = "m.safetensors" }', '{ rows = "r.jsonl", distinct = "a" }', '{ json = "a.json", at = "a" }')
    bodies = ['kind = "pairs"\njson = "a.json"', *(f'kind = "equal"\nvalues = [7, {value}]' for value in values)]
    claims = [f'[[claims]]\nid = "{n}"\nsentence = "x"\n{body}\n' for n, body in enumerate(bodies)]
    (tmp_path / "claims.toml").write_text("version = 1\n" + "".join(claims))
    report: Report = check_claims(str(tmp_path / "claims.toml"))
    assert "holds" not in {entry["answer"] for entry in report.body["claims"]}
    assert draft_claims(str(tmp_path)).claims >= 0


def test_a_deep_claims_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "claims.toml").write_text(f"version = 1\nclaims = {'[' * 5000}{']' * 5000}\n")
    with pytest.raises(RunauditError):
        check_claims(str(tmp_path / "claims.toml"))
