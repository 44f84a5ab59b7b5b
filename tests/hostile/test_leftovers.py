"""What a killed writer left is named where folders are audited, and nowhere listed, hashed or read, however whole."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.children import ended
from tests.hostile.kill_rounds import faults
from tests.hostile.writers import WRITERS, Writer, writer


def plant(one: Writer) -> list[Path]:
    """Beside each document a whole new one under the name of a temporary file; their paths."""
    planted = []
    for target in one.targets:
        planted.append(target.path.with_name(f".{target.path.name}.0123456789ab.tmp"))
        planted[-1].write_bytes(target.new)
    return planted


def without(findings: Any, known: str) -> Any:
    return [group for group in findings if group["id"] != known]


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_command_writes_the_same_beside_a_whole_leftover(tmp_path: Path, name: str) -> None:
    one = writer(name, tmp_path / "place", 3)
    planted = plant(one)
    assert faults(one) == []
    for path, target in zip(planted, one.targets, strict=True):
        assert path.read_bytes() == target.new
        said = json.loads(target.path.read_bytes()) if target.normal.__name__ == "without_leftovers" else {}
        told = [place["path"] for group in said.pop("findings", []) for place in group["places"]]
        assert path.name not in json.dumps(said)
        # a run's own leftovers are named in its summary
        assert name != "summarize" or path.name in told


AUDITS = {
    "summarize": ["verify", "results"],
    "run": ["verify", "results", "--allow-empty"],
    "summarize-harbor": ["verify", "job"],
    "hash-cache": ["manifest", "verify", "release/SHA256SUMS"],
    "manifest-create": ["manifest", "verify", "release"],
    "games-manifest": ["games", "verify", "export"],
}


@pytest.mark.parametrize("name", AUDITS)
def test_an_audit_names_a_leftover_and_is_the_same_otherwise(tmp_path: Path, name: str) -> None:
    one = writer(name, tmp_path / "place", 3)
    assert one.run() == one.code
    arguments = [*AUDITS[name], "--format", "json"]
    code, before, _ = ended(arguments, one.folder)
    planted = plant(one)
    again, after, _ = ended(arguments, one.folder)
    assert again == code
    clean, found = json.loads(before), json.loads(after)
    told = [place["path"] for group in found["findings"] if group["id"] == "leftover-file" for place in group["places"]]
    assert sorted(told) == sorted(path.name for path in planted)
    assert without(found["findings"], "leftover-file") == clean["findings"]
    assert {group["level"] for group in found["findings"] if group["id"] == "leftover-file"} == {"note"}


@pytest.mark.parametrize("kind", ["json", "sha256sum"])
@pytest.mark.parametrize("name", ["summarize", "summarize-harbor", "claims-init", "games-manifest", "hash-cache"])
def test_a_manifest_lists_no_leftover_and_says_so(tmp_path: Path, name: str, kind: str) -> None:
    one = writer(name, tmp_path / "place", 3)
    arguments = ["manifest", "create", ".", "--kind", kind, "-o", "-"]
    _, before, _ = ended(arguments, one.folder)
    planted = plant(one)
    code, after, told = ended(arguments, one.folder)
    assert (code, after) == (0, before)
    assert all(f"{path.relative_to(one.folder)}: left out" in told for path in planted)
