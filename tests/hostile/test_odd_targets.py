"""Targets that are no plain file in a folder where one may write: replaced or refused, and nothing else is changed."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hostile.children import ended
from tests.hostile.refusals import refused
from tests.hostile.writers import WRITERS, Target, Writer, content, writer
from tests.job_builders.harbor_job import HarborJob
from tests.stories.unprivileged import open_folder

_NOBODY = 65534


def become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setegid(_NOBODY)
        os.seteuid(_NOBODY)


@pytest.fixture
def place() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder / "place"
        for where, _, _ in os.walk(folder):
            Path(where).chmod(0o755)


def one_of(name: str, place: Path) -> Writer:
    return writer(name, place, 3)


def may_run_as_nobody(name: str) -> None:
    if name == "games-replay-trace" and os.geteuid() == 0:
        pytest.skip("a replay starts the interpreter of the tests, which other users than root may have no way to")


def replaceable(one: Writer) -> list[Target]:
    return [target for target in one.targets if not target.grows]


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_may_not_be_written_in(place: Path, name: str) -> None:
    may_run_as_nobody(name)
    one = one_of(name, place)
    for target in one.targets:
        target.path.parent.chmod(0o555)
    assert refused(one, "Permission denied", become_nobody) == []


@pytest.mark.parametrize("name", WRITERS)
def test_a_read_only_document_is_replaced_and_stays_read_only(place: Path, name: str) -> None:
    may_run_as_nobody(name)
    one = one_of(name, place)
    for target in replaceable(one):
        if target.old is None:
            target.path.write_bytes(b"an older one\n")
        target.path.chmod(0o440)
        target.path.parent.chmod(0o777)
    for target in one.targets:
        if os.geteuid() == 0 and target.path.exists():
            os.chown(target.path, _NOBODY, _NOBODY)
    place.chmod(0o777)
    assert one.run(become_nobody) == one.code
    for target in one.targets:
        assert target.path.read_bytes() == target.new
    assert [oct(target.path.stat().st_mode & 0o777) for target in replaceable(one)] == ["0o440"] * len(replaceable(one))


def test_a_read_only_ledger_is_refused(place: Path) -> None:
    one = one_of("summarize-harbor", place)
    one.targets[0].path.parent.chmod(0o777)
    one.targets[0].path.chmod(0o444)
    assert refused(one, "Permission denied", become_nobody) == []


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_in_the_place_of_the_document(place: Path, name: str) -> None:
    one = one_of(name, place)
    for target in one.targets:
        target.path.unlink(missing_ok=True)
        target.path.mkdir()
        (target.path / "kept").write_bytes(b"kept")
    code, out, err = ended(one.arguments, one.folder)
    assert code in ({7} if name == "run" else {2, 3})
    assert any(str(target.path) in err for target in one.targets)
    assert "internal error" not in err
    assert out == ("ran\n" if name == "run" else out)
    assert all(os.listdir(target.path) == ["kept"] for target in one.targets)
    assert one.leftovers() == []


def test_a_job_that_cannot_be_summarised_keeps_no_other_from_its_summary(place: Path) -> None:
    for name in ("first", "second"):
        job = HarborJob(place / "jobs" / name)
        job.trial("t0", "AAAAAAA", {"reward": 1.0})
        job.finish({"oracle__own-set": job.group(1.0)})
        job.folder.chmod(0o555 if name == "first" else 0o777)
    code, _, err = ended(["summarize", str(place / "jobs")], place, become_nobody)
    assert code == 3
    assert err.splitlines() == [
        f"runaudit: {place}/jobs/first/runaudit_ledger.jsonl: cannot be appended to: Permission denied"
    ]
    assert (place / "jobs" / "second" / "run_summary.json").exists()


def _dangling(path: Path, _: Path) -> None:
    path.symlink_to(path.parent / "nothing")


def _loop(path: Path, _: Path) -> None:
    path.symlink_to(path.name)


def _elsewhere(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "document")


def _folder_elsewhere(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


Link = Callable[[Path, Path], None]


@pytest.mark.parametrize("link", [_dangling, _loop, _elsewhere, _folder_elsewhere], ids=lambda link: link.__name__[1:])
@pytest.mark.parametrize("name", WRITERS)
def test_a_link_in_the_place_of_the_document(place: Path, name: str, link: Link) -> None:
    one, outside = one_of(name, place), place.parent / "outside"
    outside.mkdir()
    for target in one.targets:
        (outside / "document").write_bytes(target.old or b"an older one\n")
        target.path.unlink(missing_ok=True)
        link(target.path, outside)
    held, kept = sorted(os.listdir(outside)), (outside / "document").read_bytes()
    links = [os.readlink(target.path) for target in one.targets]
    code, out, err = ended(one.arguments, one.folder)
    assert sorted(os.listdir(outside)) == held
    assert (outside / "document").read_bytes() == kept
    assert not (place / "nothing").exists()
    assert one.leftovers() == []
    assert "internal error" not in err
    for target, led in zip(one.targets, links, strict=True):
        assert not (target.path.parent / "nothing").exists()
        if target.path.is_symlink():
            # never through it; told by name, as an error where the command is for nothing without it
            assert os.readlink(target.path) == led
            assert code in ((one.code,) if one.name == "run" else (0, 2, 3))
            assert any(str(each.path) in err for each in one.targets) or told_of(one, target, out)
        else:
            assert code == one.code
            target.check(content(target.path) or b"")


def told_of(one: Writer, target: Target, out: str) -> bool:
    """Whether a finding names the target: of the report, or of the summary that was written beside a ledger."""
    report = out if one.name == "hash-cache" else (one.targets[-1].path).read_text()
    ids = {"cache-ignored", "outside-root"}
    found = [group for group in json.loads(report)["findings"] if group["id"] in ids]
    return any(target.path.name in place["path"] for group in found for place in group["places"])


MISSING = {
    "signatures": ["signatures", "{place}/results/rollouts.jsonl", "-o", "{new}"],
    "summarize": ["summarize", "{place}/results/rollouts.jsonl", "-o", "{new}"],
    "manifest-create": ["manifest", "create", "{place}/release", "-o", "{new}"],
    "hash-cache": ["manifest", "verify", "{place}/release/SHA256SUMS", "--cache", "{new}"],
    "claims-init": ["claims", "init", "{place}/card", "-o", "{new}"],
    "games-manifest": ["games", "manifest", "{place}/export", "-o", "{new}"],
    "games-replay-trace": ["games", "replay", "{place}/export", "--once", "--trace", "{new}"],
    "diff-baseline": [
        *("diff", "{place}/none.json", "{place}/results", "--allow-missing-baseline", "--exit-zero"),
        *("--update-baseline", "{new}", "--accept"),
    ],
    "verify-report": ["verify", "{place}/results", "-o", "{new}"],
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_folders_are_made(place: Path, name: str) -> None:
    one_of(name, place)
    new = place / "new" / "newer" / "document"
    code, _, err = ended([word.format(place=place, new=new) for word in MISSING[name]], place)
    assert (code, "internal error" in err) == (0, False)
    assert new.stat().st_size > 0
    assert os.listdir(new.parent) == ["document"]


@pytest.mark.parametrize("name", MISSING)
def test_a_file_in_the_place_of_a_folder(place: Path, name: str) -> None:
    one_of(name, place)
    (place / "new").write_bytes(b"a file\n")
    new = place / "new" / "newer" / "document"
    code, out, err = ended([word.format(place=place, new=new) for word in MISSING[name]], place)
    assert code == (0 if name == "hash-cache" else 3)
    told = " ".join((out if name == "hash-cache" else err).split())
    assert f"{new}: cannot be written: Not a directory" in told or (name == "hash-cache" and str(new) in told)
    assert (place / "new").read_bytes() == b"a file\n"
