"""Hostile manifests: whatever one says, the answer is a report or a clear refusal, and nothing outside is opened."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runaudit.errors import RunauditError
from runaudit.read import hashing_file, hashing_many
from runaudit.read.hashing import of_bytes
from runaudit.read.places import open_with_status
from runaudit.usecases.manifest import allow_list, verify_manifest

DIGEST = of_bytes(b"x", "sha256").hex
PARTS = [
    "..",
    ".",
    "",
    "a",
    "out",
    "in",
    "secret",
    "pipe",
    "~",
    "C:",
    "\\",
    "\0",
    "e\u0301",
    "\ud800",
    "%2e%2e",
    "A" * 300,
]
PATH = st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from(["/", "\\"]).map(lambda slash: slash.join(parts))
)
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.lists(st.none(), max_size=2)
)
RECORD = st.dictionaries(
    st.sampled_from(["path", "sha256", "digest", "hash", "size", "bytes", "x"]),
    st.one_of(PATH, st.just(DIGEST), st.just(1), ODD),
    max_size=5,
)
LIKELY = st.fixed_dictionaries({"path": PATH, "sha256": st.just(DIGEST)})
MANIFEST = st.one_of(
    st.fixed_dictionaries({"files": st.lists(st.one_of(LIKELY, RECORD, ODD), max_size=6)}),
    st.fixed_dictionaries({"files": st.dictionaries(PATH, st.one_of(st.just(DIGEST), RECORD, ODD), max_size=4)}),
    st.dictionaries(PATH, st.just(DIGEST), max_size=4),
    ODD,
)
LINE = st.one_of(
    PATH.map(lambda path: f"{DIGEST}  {path}"),
    PATH.map(lambda path: f"\\SHA256 ({path}) = {DIGEST}"),
    st.text(max_size=20),
)
HOSTILE = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


class Opened:
    """The paths that were opened for hashing, in this process or another."""

    def __init__(self, log: Path) -> None:
        self.log = log
        log.touch()

    def add(self, path: str) -> None:
        with self.log.open("ab") as file:
            file.write(os.fsencode(path) + b"\0")

    def __iter__(self) -> Iterator[str]:
        return iter(os.fsdecode(path) for path in self.log.read_bytes().split(b"\0")[:-1])


@contextmanager
def laid_out() -> Iterator[tuple[Path, Opened]]:
    """A root with links that lead in and out, beside a secret; every path that is opened for hashing is recorded."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        root = top / "root"
        (root / "a").mkdir(parents=True)
        (root / "a" / "secret").write_bytes(b"x")
        (top / "secret").write_bytes(b"x")
        (root / "out").symlink_to("..")
        (root / "in").symlink_to("a")
        os.mkfifo(root / "pipe")
        opened = Opened(top / "opened")

        def record(path: str) -> tuple[int, os.stat_result]:
            opened.add(path)
            return open_with_status(path)

        with mock.patch.object(hashing_file, "open_with_status", record):
            yield root, opened


def answered(root: Path, name: str, content: bytes) -> dict[str, Any]:
    """The report as a strict JSON value; empty when the input was refused."""
    (root / name).write_bytes(content)
    try:
        report = verify_manifest(os.fspath(root / name))
    except RunauditError:
        return {}
    assert report.verdict.exit_code in (0, 1, 3)
    body: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(dict(report.body)))
    counts = body["counts"]
    if counts:
        kinds = ["verified", "different", "missing", "unreadable", "unsafe_path", "malformed", "conflicting"]
        assert counts["entries"] == sum(counts[kind] for kind in [*kinds, "lfs_pointer", "self"])
        assert len(body["files"]) == counts["entries"] - counts["verified"]
    return body


@HOSTILE
@given(document=MANIFEST)
def test_any_json(document: Any) -> None:
    with laid_out() as (root, opened):
        answered(root, "M.json", json.dumps(document).encode())
        assert all(path.startswith(f"{root}/") for path in opened)
        assert not any(path.endswith("pipe") for path in opened)


@HOSTILE
@given(lines=st.lists(LINE, max_size=5), end=st.sampled_from(["\n", "\r\n"]))
def test_any_text(lines: list[str], end: str) -> None:
    with laid_out() as (root, opened):
        content = end.join(lines).encode("utf-8", "surrogatepass")
        answered(root, "SUMS", content)
        assert all(path.startswith(f"{root}/") for path in opened)


@HOSTILE
@given(paths=st.lists(PATH, min_size=2, max_size=6))
def test_any_paths_in_processes(paths: list[str]) -> None:
    listed = [*paths, "a/secret", "in/secret", "out/secret", "pipe"]
    document = {"files": [{"path": path, "sha256": DIGEST} for path in listed]}
    with laid_out() as (root, opened), mock.patch.object(hashing_many, "MANY", 2):
        in_processes = answered(root, "M.json", json.dumps(document).encode())
        paths_opened = list(opened)
        with mock.patch.object(hashing_many, "MANY", len(listed) + 1):
            in_threads = answered(root, "M.json", json.dumps(document).encode())
    assert in_processes == in_threads
    assert f"{root}/a/secret" in paths_opened
    assert all(path.startswith(f"{root}/") and not path.endswith("pipe") for path in paths_opened)


@HOSTILE
@given(content=st.binary(max_size=60))
def test_any_bytes(content: bytes) -> None:
    with laid_out() as (root, _):
        answered(root, "M", content)


@HOSTILE
@given(paths=st.lists(PATH, max_size=6))
def test_the_allow_list_never_leads_out(paths: list[str]) -> None:
    with laid_out() as (root, _):
        path = root / "M.json"
        path.write_text(json.dumps({"files": [{"path": one, "sha256": DIGEST} for one in paths]}))
        for listed in allow_list(os.fspath(path)).paths:
            assert listed.isprintable()
            for reading in (listed, listed.replace("\\", "/")):
                assert not os.path.isabs(reading)
                assert not os.path.normpath(reading).startswith("..")


HALVES = {
    "M.json": json.dumps(
        {
            "kind": "sha256_manifest",
            "version": 1,
            "tree_digest": "\ud800",
            "files": [
                {"path": "a", "sha256": "\ud800:x"},
                {"path": "b", "hash": "\udcff:1"},
                {"path": "c", "sha256": DIGEST, "size": "\ud800"},
                {"path": "dangling", "sha256": DIGEST},
                {"path": "leading-out", "sha256": DIGEST},
                {"p\ud800": 1},
                "\ud800",
            ],
        }
    ).encode(),
    "T.json": b'{"files": [{"path": "x", "sha256": "\\ud800", "sha256": "\\udcff"}]}',
    "SUMS": b"".join(
        [DIGEST.encode() + b"  read\xff\n", DIGEST.encode() + b"  ../\xff\n", b"SHA1 (\xff) = " + DIGEST.encode()]
    ),
}


@pytest.mark.parametrize("name", HALVES)
def test_text_that_no_encoding_holds_is_told_in_escapes(tmp_path: Path, name: str) -> None:
    root = os.fsencode(tmp_path)
    with open(root + b"/Read\xff", "wb"):
        os.symlink(b"gone\xff", root + b"/dangling")
        os.symlink(b"/\xff", root + b"/leading-out")
    (tmp_path / name).write_bytes(HALVES[name])
    cache = os.path.join(tmp_path, name, os.fsdecode(b"\xff"))
    report = verify_manifest(os.fspath(tmp_path / name), cache=cache, began_ns=0)
    refused = allow_list(os.fspath(tmp_path / name)).refused
    assert refused
    assert "cache-ignored" in [group.id for group in report.findings]
    assert msgspec.json.encode([dict(report.body), report.findings, report.verdict, report.headline, refused])


@pytest.mark.parametrize("path", ["./\\", "./\\\\host\\x", "././C:\\x", ".//~/x", "./%5C%5Chost", "./x://y"])
def test_a_dot_before_an_unsafe_name_makes_it_no_safer(tmp_path: Path, path: str) -> None:
    (tmp_path / "M.json").write_text(json.dumps({"files": [{"path": path, "sha256": DIGEST}]}))
    listed = allow_list(os.fspath(tmp_path / "M.json"))
    assert (listed.paths, len(listed.refused)) == ((), 1)
    assert verify_manifest(os.fspath(tmp_path / "M.json")).verdict.exit_code == 1
