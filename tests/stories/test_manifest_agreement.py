"""`sha256sum` and BagIt's own tool against runaudit, both ways, on generated trees with odd names."""

import logging
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bagit
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runaudit.usecases.manifest import create_manifest, verify_manifest

# every byte that a name can hold; those that formats, shells and other systems treat specially come up often
ODD = [b"\\", b"\n", b"\r", b" ", b"*", b"~", b":", b"%", b"%0A", b"#", b"\xff", b"\xc3\xa9", b"e\xcc\x81", b"(", b"="]
PIECE = st.one_of(st.sampled_from(ODD), st.sampled_from([bytes([n]) for n in range(1, 256) if n != ord("/")]))
PART = st.lists(PIECE, min_size=1, max_size=3).map(b"".join).filter(lambda part: part not in (b".", b".."))
NAME = st.lists(PART, min_size=1, max_size=2).map(b"/".join).filter(lambda name: name != b"-")
DAMAGE = st.sampled_from(["none", "change", "delete", "empty"])
TREE = st.tuples(st.dictionaries(NAME, st.sampled_from([b"", b"x", b"one\n"]), min_size=1, max_size=3), DAMAGE)
TREES_EACH = 5
TREES = st.lists(TREE, min_size=TREES_EACH, max_size=TREES_EACH)
# 50 examples of 5 trees for each direction: 500 trees
AGREEING = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


def lay_out(root: bytes, files: Mapping[bytes, bytes]) -> list[bytes]:
    """Writes the files whose folders do not collide with other files; returns their names."""
    written = []
    for name, content in files.items():
        path = os.path.join(root, name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(content)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
        written.append(name)
    return written


def harm(path: bytes, damage: str) -> None:
    if damage == "change":
        with open(path, "ab") as file:
            file.write(b"!")
    elif damage == "delete":
        os.unlink(path)
    elif damage == "empty":
        os.truncate(path, 0)


def sums(root: bytes, names: list[bytes], *flags: str) -> bytes:
    return subprocess.run(["sha256sum", *flags, "--", *names], cwd=root, capture_output=True, check=True).stdout


def judged_by_sha256sum(root: bytes, listing: str) -> tuple[int, list[str]]:
    """The exit code of `sha256sum -c`, and its word on each line of the listing."""
    ran = subprocess.run(
        ["sha256sum", "--strict", "-c", listing], cwd=root, check=False, capture_output=True, env={"LC_ALL": "C"}
    )
    words = {b"OK": "verified", b"FAILED": "different", b"FAILED open or read": "missing"}
    return ran.returncode, [words[line.rpartition(b": ")[2]] for line in ran.stdout.splitlines() if b": " in line]


def judged_by_runaudit(root: bytes, listing: str, names: list[str]) -> tuple[int, list[str]]:
    report = verify_manifest(listing, os.fsdecode(root))
    wrong: dict[int, Any] = {row["line"]: row["result"] for row in report.body["files"]}
    return report.verdict.exit_code, [wrong.get(number, "verified") for number in range(1, len(names) + 1)]


@contextmanager
def all_trees(trees: list[tuple[Mapping[bytes, bytes], str]]) -> Iterator[tuple[bytes, list[bytes], list[bytes]]]:
    """The trees side by side in one folder; yields it, the names of all files and those to harm."""
    with tempfile.TemporaryDirectory() as folder:
        root = os.fsencode(folder) + b"/root"
        names: list[bytes] = []
        firsts: list[bytes] = []
        for number, (files, _) in enumerate(trees):
            top = b"%d" % number
            written = lay_out(os.path.join(root, top), files)
            names += [os.path.join(top, name) for name in written]
            firsts.append(os.path.join(top, written[0]))
        yield root, names, firsts


@AGREEING
@given(trees=TREES, tag=st.booleans())
def test_runaudit_reads_what_sha256sum_writes(trees: list[tuple[Mapping[bytes, bytes], str]], *, tag: bool) -> None:
    with all_trees(trees) as (root, names, firsts):
        listing = os.fsdecode(root) + ".sums"
        Path(listing).write_bytes(sums(root, names, *(["--tag"] if tag else [])))
        for first, (_, damage) in zip(firsts, trees, strict=True):
            harm(os.path.join(root, first), damage)
        ours = judged_by_runaudit(root, listing, [os.fsdecode(name) for name in names])
        assert ours == judged_by_sha256sum(root, listing)


@AGREEING
@given(trees=TREES)
def test_sha256sum_reads_what_runaudit_writes(trees: list[tuple[Mapping[bytes, bytes], str]]) -> None:
    with all_trees(trees) as (root, names, firsts):
        listing = os.fsdecode(root) + ".sums"
        made = create_manifest(os.fsdecode(root), kind="sha256sum", output=listing)
        assert made.content == sums(root, sorted(names))
        for first, (_, damage) in zip(firsts, trees, strict=True):
            harm(os.path.join(root, first), damage)
        ours = judged_by_runaudit(root, listing, [os.fsdecode(name) for name in names])
        assert ours == judged_by_sha256sum(root, listing)


@pytest.mark.parametrize(
    "name",
    [b"-", b"~", b"C:x", b"..\\x", b"\\\\?\\C:", b"a:b", b"~/.ssh", b"%2e%2e", b" lead", b"trail ", b"SHA256 (x)"],
)
def test_names_that_only_look_unsafe_verify_where_they_are(tmp_path: Path, name: bytes) -> None:
    lay_out(os.fsencode(tmp_path), {name: b"x"})
    create_manifest(os.fspath(tmp_path), kind="sha256sum", output=os.fspath(tmp_path / "SUMS"))
    assert verify_manifest(os.fspath(tmp_path / "SUMS")).verdict.word == "pass"


# the other tool leaves a per cent sign as it is and then reads what looks like an escape as one
ESCAPE = re.compile("%0[AaDd]")
# what `str.splitlines` takes for the end of a line breaks the other tool's own reader, so no name holds it
BAG_NAME = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Zs"], exclude_characters="/"),
    min_size=1,
    max_size=5,
).filter(lambda name: name not in (".", "..") and ESCAPE.search(name) is None)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(files=st.dictionaries(BAG_NAME, st.binary(max_size=4), min_size=1, max_size=3), damage=DAMAGE)
def test_a_bag_is_judged_as_its_own_tool_judges_it(files: Mapping[str, bytes], damage: str) -> None:
    logging.getLogger("bagit").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        names = lay_out(os.fsencode(folder), {name.encode(): content for name, content in files.items()})
        bag = bagit.make_bag(folder, checksums=["sha256"])
        assert verify_manifest(folder).verdict.word == "pass"
        harm(os.path.join(os.fsencode(folder), b"data", names[0]), damage)
        assert verify_manifest(folder).verdict.exit_code == (0 if bag.is_valid() else 1)


@pytest.mark.parametrize("name", ["a%0Ab.txt", "100%.txt", "new\nline", "r\rn", "%25", "a b"])
def test_names_that_bags_encode(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    bagit.make_bag(os.fspath(tmp_path), checksums=["sha256"])
    report = verify_manifest(os.fspath(tmp_path))
    assert (report.verdict.word, report.body["counts"]["missing"]) == ("pass", 0)
