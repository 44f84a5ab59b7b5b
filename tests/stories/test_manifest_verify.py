"""`manifest verify` on real folders: whatever a manifest lists and a disk holds, nothing outside is opened."""

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import bagit
import jsonschema
import pytest
from click.testing import CliRunner

from runaudit.cli.exits import guarded
from runaudit.cli.main import cli
from runaudit.errors import InputError, UsageError
from runaudit.model.report import Report
from runaudit.read.hashing import of_bytes
from runaudit.usecases.manifest import allow_list, create_manifest, verify_manifest

CONTENT = b"payload\n"
DIGEST = of_bytes(CONTENT, "sha256").hex
OTHER = "0" * 64
SCHEMA = Path(__file__).parents[2] / "schemas" / "sha256_manifest.v1.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "d").mkdir(parents=True)
    (folder / "a.txt").write_bytes(CONTENT)
    (folder / "d" / "b.txt").write_bytes(CONTENT)
    (tmp_path / "secret").write_bytes(CONTENT)
    return folder


def listing(root: Path, *records: Any, **more: Any) -> str:
    path = root / "SHA256_MANIFEST.json"
    path.write_text(json.dumps({"files": list(records), **more}))
    return os.fspath(path)


def entry(path: str, digest: str = DIGEST, **more: Any) -> dict[str, Any]:
    return {"path": path, "sha256": digest, **more}


def outcomes(report: Report) -> dict[str, str]:
    return {row["path"]: row["result"] for row in report.body["files"]}


def ids(report: Report) -> set[str]:
    return {group.id for group in report.findings}


@pytest.mark.parametrize(
    "path", ["../secret", "d/../../secret", "@ABSOLUTE@", "..\\secret", "%2e%2e/secret", "~/secret"]
)
def test_a_path_that_leads_out_is_never_opened(root: Path, path: str) -> None:
    path = path.replace("@ABSOLUTE@", os.fspath(root.parent / "secret"))
    report = verify_manifest(listing(root, entry("a.txt"), entry(path)))
    assert (outcomes(report), report.verdict.exit_code) == ({path: "unsafe-path"}, 1)


def test_links_inside_are_followed_and_links_out_are_not(root: Path) -> None:
    (root / "in").symlink_to("d")
    (root / "file").symlink_to("d/b.txt")
    (root / "out").symlink_to("..")
    (root / "leak").symlink_to(root.parent / "secret")
    (root / "gone").symlink_to("nothing")
    (root / "loop").symlink_to("loop")
    names = ["in/b.txt", "file", "out/secret", "leak", "gone", "loop", "loop/x"]
    report = verify_manifest(listing(root, *map(entry, names)))
    assert outcomes(report) == {
        "out/secret": "unsafe-path",
        "leak": "unsafe-path",
        "gone": "missing",
        "loop": "unreadable",
        "loop/x": "unreadable",
    }
    assert report.body["counts"]["verified"] == 2
    assert report.body["unlisted"] == ["a.txt", "d/b.txt"]


def test_another_root_makes_links_into_it_safe(root: Path, tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "x").write_bytes(CONTENT)
    (root / "w.bin").symlink_to(tmp_path / "blobs" / "x")
    manifest = listing(root, entry("w.bin"))
    assert outcomes(verify_manifest(manifest)) == {"w.bin": "unsafe-path"}
    assert verify_manifest(manifest, roots=[os.fspath(tmp_path / "blobs")]).verdict.word == "pass"


def test_pipes_folders_and_unreadable_files_are_neither_opened_nor_missing(root: Path) -> None:
    os.mkfifo(root / "pipe")
    report = verify_manifest(listing(root, entry("a.txt"), entry("pipe"), entry("d"), entry("a.txt/x")))
    assert outcomes(report) == {"pipe": "unreadable", "d": "unreadable", "a.txt/x": "missing"}
    assert "pipe" not in report.body["unlisted"]


def test_what_may_not_be_read_is_unreadable(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refuse(path: str, *rest: Any, **more: Any) -> int:
        if str(path).endswith("b.txt"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    assert outcomes(verify_manifest(listing(root, entry("a.txt"), entry("d/b.txt")))) == {"d/b.txt": "unreadable"}


def test_every_entry_has_exactly_one_result(root: Path) -> None:
    (root / "x.tmp").write_bytes(b"")
    records = [
        entry("a.txt", size=8),
        entry("d/b.txt", size=9),
        entry("none"),
        entry("twice"),
        entry("./twice", OTHER),
        entry("d//b.txt", size=9),
        {"path": "odd"},
        entry("SHA256_MANIFEST.json", OTHER),
    ]
    report = verify_manifest(listing(root, *records, total_files=9, total_bytes=1))
    counts = report.body["counts"]
    assert {name: count for name, count in counts.items() if count} == {
        "entries": 8,
        "verified": 1,
        "different": 2,
        "missing": 1,
        "malformed": 1,
        "conflicting": 2,
        "self": 1,
        "leftovers": 1,
        "verified_bytes": 8,
    }
    assert {"entry-repeated", "manifest-total-differs", "entry-self", "leftover-file"} <= ids(report)


@pytest.mark.parametrize(
    "version",
    [
        "https://git-lfs.github.com/spec/v1\n",
        "https://git-lfs.github.com/spec/v1\r\n",
        "https://hawser.github.com/spec/v1\n",
        "http://git-media.io/v/2\n",
    ],
)
def test_a_pointer_is_named_as_such(root: Path, version: str) -> None:
    text = f"version {version}oid sha256:{DIGEST}\nsize 8\n".encode()
    (root / "w.bin").write_bytes(text)
    report = verify_manifest(listing(root, entry("w.bin", size=8)))
    assert report.body["files"][0]["message"] == "a Git LFS pointer, content not downloaded"
    other = verify_manifest(listing(root, entry("w.bin", OTHER)))
    assert "to other content" in other.body["files"][0]["message"]
    itself = verify_manifest(listing(root, entry("w.bin", of_bytes(text, "sha256").hex)))
    assert (itself.verdict.word, "entry-lfs-pointer" in ids(itself)) == ("pass", True)


@pytest.mark.parametrize("records", [[], [entry("SHA256_MANIFEST.json")]])
def test_a_manifest_that_proves_nothing_does_not_pass(root: Path, records: list[Any]) -> None:
    manifest = listing(root, *records)
    assert verify_manifest(manifest).verdict.exit_code == 3
    assert verify_manifest(manifest, allow_empty=True).verdict.exit_code == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1,2",
        b"\x00\x01\x02",
        b'{"files": 3}',
        b"null",
        b"<html></html>",
        b'{"files":[' * 5000,
        b"\xff\xfe{",
    ],
)
def test_a_manifest_that_cannot_be_read_is_an_error(root: Path, content: bytes) -> None:
    path = root / "SHA256_MANIFEST.json"
    path.write_bytes(content)
    report = verify_manifest(os.fspath(path))
    assert (report.verdict.exit_code, ids(report)) == (1, {"manifest-unreadable"})


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le-bom"])
@pytest.mark.parametrize("text", [f"{DIGEST}  a.txt\r\n", f'{{"files":[{{"path":"a.txt","sha256":"{DIGEST}"}}]}}'])
def test_odd_encodings_are_read_and_told(root: Path, encoding: str, text: str) -> None:
    data = b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16-le-bom" else text.encode(encoding)
    (root / "M").write_bytes(data)
    report = verify_manifest(os.fspath(root / "M"))
    assert report.body["counts"]["verified"] == 1
    levels = {group.level for group in report.findings if group.id == "odd-encoding"}
    assert ("error" in levels) == (encoding != "utf-8-sig")


def test_the_name_of_a_list_does_not_make_it_json(root: Path) -> None:
    (root / "SHA256_MANIFEST.json").write_text(f"{DIGEST}  a.txt\n{DIGEST}  d/b.txt\n")
    report = verify_manifest(os.fspath(root))
    assert (report.verdict.word, report.body["manifest"]["format"]) == ("pass", "sha256sum")


def test_a_file_at_the_manifests_place_must_be_there(root: Path) -> None:
    for path in ("nothing.json", "d"):
        with pytest.raises(InputError):
            verify_manifest(os.fspath(root / path))
    (root / "SHA256SUMS").write_bytes(b"")
    listing(root)
    with pytest.raises(UsageError, match="several manifests"):
        verify_manifest(os.fspath(root))
    os.mkfifo(root / "pipe.json")
    assert ids(verify_manifest(os.fspath(root / "pipe.json"))) == {"manifest-unreadable"}


def test_an_anchor(root: Path) -> None:
    manifest = listing(root, entry("a.txt"))
    own = of_bytes(Path(manifest).read_bytes(), "sha256").hex
    unanchored, anchored = verify_manifest(manifest), verify_manifest(manifest, expect=own.upper())
    assert (unanchored.body["anchored"], anchored.body["anchored"]) == (False, True)
    assert "whoever can change the files" in unanchored.headline[1]
    wrong = verify_manifest(manifest, expect=OTHER)
    assert (wrong.verdict.exit_code, "manifest-not-expected" in ids(wrong)) == (1, True)
    with pytest.raises(UsageError):
        verify_manifest(manifest, expect="abc")


def test_unlisted_files_fail_only_with_strict(root: Path) -> None:
    manifest = listing(root, entry("a.txt"))
    assert verify_manifest(manifest).body["unlisted"] == ["d/b.txt"]
    assert verify_manifest(manifest).verdict.exit_code == 0
    assert verify_manifest(manifest, strict=True).verdict.exit_code == 1
    assert verify_manifest(manifest, strict=True, exclude=["d"]).verdict.exit_code == 0


@pytest.mark.parametrize("kind", ["json", "sha256sum"])
def test_what_was_made_verifies_elsewhere(root: Path, tmp_path: Path, kind: Any) -> None:
    names = ["z", "caf\u00e9", " lead", "new\nline", "q'uote\"", "deep/er/x", "a\\b"]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    made = create_manifest(os.fspath(root), kind=kind)
    with zipfile.ZipFile(tmp_path / "copy.zip", "w") as archive:
        for path in sorted(root.rglob("*"), reverse=True):
            archive.write(path, path.relative_to(root))
    with zipfile.ZipFile(tmp_path / "copy.zip") as archive:
        archive.extractall(tmp_path / "unzipped")
    shutil.move(root, tmp_path / "moved")
    for copy in ("unzipped", "moved"):
        report = verify_manifest(os.fspath(tmp_path / copy), strict=True)
        assert (report.verdict.word, report.body["tree_digest"]) == ("pass", made.tree_digest)
        assert create_manifest(os.fspath(tmp_path / copy), kind=kind, output="-").content == made.content


def test_bytes_do_not_depend_on_directory_order(root: Path, tmp_path: Path) -> None:
    for number in range(30):
        (root / f"f{number}").write_bytes(b"%d" % number)
    other = tmp_path / "other"
    (other / "d").mkdir(parents=True)
    for path in sorted(root.rglob("*.*"), reverse=True) + sorted(root.glob("f*"), reverse=True):
        shutil.copy(path, other / path.relative_to(root))
    first, second = (create_manifest(os.fspath(folder)) for folder in (root, other))
    assert first.content == second.content
    again = create_manifest(os.fspath(root))
    assert again.content == first.content
    document = json.loads(again.content)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert "SHA256_MANIFEST.json" not in {record["path"] for record in document["files"]}


def test_an_edited_manifest_of_ours_contradicts_its_tree_digest(root: Path) -> None:
    create_manifest(os.fspath(root))
    path = root / "SHA256_MANIFEST.json"
    document = json.loads(path.read_text())
    document["files"].pop()
    path.write_text(json.dumps(document))
    report = verify_manifest(os.fspath(path))
    assert {group.level for group in report.findings if group.id == "manifest-total-differs"} == {"error", "note"}


def test_what_cannot_be_listed_honestly_stops_create(root: Path) -> None:
    with open(os.path.join(os.fsencode(root), b"\xff"), "wb"):
        pass
    with pytest.raises(InputError, match="not UTF-8"):
        create_manifest(os.fspath(root))
    assert create_manifest(os.fspath(root), kind="sha256sum", output="-").files == 3
    for name, make in (("pipe", os.mkfifo), ("link", lambda path: path.symlink_to("/etc/hostname"))):
        make(root / name)
        with pytest.raises(InputError, match=name):
            create_manifest(os.fspath(root), kind="sha256sum")
        (root / name).unlink()
    assert not (root / "SHA256SUMS").exists()
    empty = root / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="no file to list"):
        create_manifest(os.fspath(empty))
    assert create_manifest(os.fspath(empty), allow_empty=True).files == 0


def test_a_bag_is_checked_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(CONTENT)
    bagit.make_bag(os.fspath(tmp_path), checksums=["sha256", "sha512"])
    for path in (tmp_path, tmp_path / "manifest-sha256.txt", tmp_path / "tagmanifest-sha256.txt"):
        report = verify_manifest(os.fspath(path))
        assert (report.verdict.word, report.body["unlisted"]) == ("pass", [])
        assert [check.name for check in report.checks if not check.made] == [
            "manifest-sha512.txt",
            "tagmanifest-sha512.txt",
        ]
    (tmp_path / "data" / "more").write_bytes(b"x")
    report = verify_manifest(os.fspath(tmp_path))
    assert {group.id for group in report.findings if group.level == "error"} == {"unlisted-file", "bag-payload-differs"}
    (tmp_path / "manifest-sha256.txt").unlink()
    with pytest.raises(InputError, match="only SHA-256"):
        verify_manifest(os.fspath(tmp_path))


def test_the_allow_list_is_exactly_what_is_listed(root: Path) -> None:
    manifest = listing(
        root, entry("a.txt"), entry("not/here*"), entry("../x"), entry("a\nb"), {"path": "m"}, entry("./a.txt")
    )
    listed = allow_list(manifest)
    assert listed.paths == ("a.txt", "not/here*")
    assert [path for path, _ in listed.refused] == ["m", "../x", "a\nb"]
    ran = CliRunner().invoke(cli, ["manifest", "verify", manifest, "--allow-list"])
    assert ran.stdout == "a.txt\nnot/here*\n"
    ran = CliRunner().invoke(cli, ["manifest", "verify", manifest, "--allow-list", "--format", "json"])
    assert json.loads(ran.stdout) == ["a.txt", "not/here*"]


def test_the_command_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(["manifest", "create", os.fspath(root), "--exclude", "d"]) == 0
    manifest = os.fspath(root / "SHA256_MANIFEST.json")
    assert guarded(["manifest", "verify", manifest]) == 0
    assert guarded(["manifest", "verify", manifest, "--strict"]) == 1
    assert guarded(["manifest", "verify", manifest, "--expect", "x"]) == 2
    assert guarded(["manifest", "verify", manifest + "x"]) == 3
    capsys.readouterr()
    (root / "a\x1b[31m").write_bytes(b"")
    assert guarded(["manifest", "verify", manifest, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {"kind", "version", "subject", "verdict", "exit_code", "checks", "findings"} <= set(document)
    assert document["unlisted"] == ["a\x1b[31m", "d/b.txt"]
    assert guarded(["manifest", "verify", manifest]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_the_documented_command_gives_the_tree_digest(root: Path) -> None:
    document = (Path(__file__).parents[2] / "docs" / "manifests.md").read_text()
    command = next(line.strip() for line in document.splitlines() if "sort -z" in line)
    made = create_manifest(os.fspath(root))
    ran = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, text=True, check=True)
    assert made.tree_digest == f"sha256:{ran.stdout.split()[0]}"
