"""The cache of digests: what it saves, what it never hides, and that an interruption costs only the rest."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest

from runaudit.errors import UsageError
from runaudit.model.report import Report
from runaudit.read import hashing_many
from runaudit.read.hash_cache import COARSE_GRAIN_NS, FINE_GRAIN_NS, HashCache, load
from runaudit.read.identity import Identity
from runaudit.usecases.manifest import create_manifest, verify_manifest

COUNT = 6
# so many kills must hit after something was saved
KILLS = 5


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"f{number}").write_bytes(b"%d" % number)
    create_manifest(os.fspath(folder))
    return folder


def later() -> int:
    """A time at which every file of the test is old enough to be remembered."""
    return time.time_ns() + 2 * COARSE_GRAIN_NS


def verify(root: Path, cache: Path, began_ns: int | None = None) -> Report:
    return verify_manifest(
        os.fspath(root), cache=os.fspath(cache), began_ns=later() if began_ns is None else began_ns, strict=True
    )


def remembered(report: Report) -> int:
    count = report.body["counts"]["from_cache"]
    assert isinstance(count, int)
    return count


@pytest.mark.parametrize("inside", [True, False])
def test_unchanged_files_are_not_read_again(root: Path, tmp_path: Path, *, inside: bool) -> None:
    cache = (root if inside else tmp_path) / "cache"
    first, second = verify(root, cache), verify(root, cache)
    assert [remembered(first), remembered(second)] == [0, COUNT]
    assert [first.verdict.word, second.verdict.word] == ["pass", "pass"]
    assert first.findings == second.findings


def test_a_change_behind_an_equal_size_and_mtime_is_found(root: Path, tmp_path: Path) -> None:
    verify(root, tmp_path / "cache")
    path = root / "f3"
    status = path.stat()
    path.write_bytes(b"X")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    report = verify(root, tmp_path / "cache")
    assert [row["path"] for row in report.body["files"]] == ["f3"]
    assert remembered(report) == COUNT - 1


def test_files_younger_than_the_clocks_grain_are_hashed_each_time(root: Path, tmp_path: Path) -> None:
    now = min((root / f"f{number}").stat().st_ctime_ns for number in range(COUNT))
    for _ in range(2):
        assert remembered(verify(root, tmp_path / "cache", now)) == 0
    verify(root, tmp_path / "cache")
    assert remembered(verify(root, tmp_path / "cache", now)) == 0


@pytest.mark.parametrize(
    ("age_ns", "ctime_ns", "kept"),
    [
        (FINE_GRAIN_NS, 5_000_000_001, True),
        (FINE_GRAIN_NS - 1, 5_000_000_001, False),
        (FINE_GRAIN_NS, 5_000_000_000, False),
        (COARSE_GRAIN_NS, 5_000_000_000, True),
    ],
)
def test_the_grain_is_that_of_the_file_systems_clock(age_ns: int, ctime_ns: int, *, kept: bool) -> None:
    cache = HashCache(ctime_ns + age_ns)
    cache.keep(Identity(1, 2, 3, ctime_ns - 1, ctime_ns), "0" * 64)
    assert cache.changed == kept


@pytest.mark.parametrize("time_ns", [-(1 << 63) - 1, -(1 << 80), 1 << 63])
def test_times_that_the_cache_cannot_hold_are_not_kept(tmp_path: Path, time_ns: int) -> None:
    cache = HashCache(1 << 100)
    cache.keep(Identity(1, 2, 3, time_ns, 5), "0" * 64)
    assert not cache.changed
    assert cache.encode() == HashCache(0).encode()
    (tmp_path / "f").write_bytes(b"x")
    cache.keep(Identity(1, 2, 3, 4, 5), "0" * 64)
    status = SimpleNamespace(st_dev=1, st_ino=2, st_size=3, st_mtime_ns=time_ns, st_ctime_ns=5)
    with mock.patch("os.lstat", return_value=status):
        assert cache.get(os.fspath(tmp_path / "f")) is None


@pytest.mark.parametrize("harm", ["cut", "flip", "garble"])
def test_a_damaged_cache_is_ignored_with_a_note_and_replaced(root: Path, tmp_path: Path, harm: str) -> None:
    cache = tmp_path / "cache"
    verify(root, cache)
    data = bytearray(cache.read_bytes())
    if harm == "flip":
        data[60] ^= 1
    cache.write_bytes(data[:-7] if harm == "cut" else data[:30] + b"?" if harm == "garble" else data)
    report = verify(root, cache)
    assert (report.verdict.word, remembered(report)) == ("pass", 0)
    assert [(group.id, group.level) for group in report.findings] == [("cache-ignored", "note")]
    assert remembered(verify(root, cache)) == COUNT


def test_a_file_that_is_no_cache_is_left_as_it_is(root: Path, tmp_path: Path) -> None:
    mine = tmp_path / "thesis.txt"
    mine.write_text("three years of work")
    report = verify(root, mine)
    assert (report.verdict.word, mine.read_text()) == ("pass", "three years of work")
    assert [group.id for group in report.findings] == ["cache-ignored"]
    with pytest.raises(UsageError, match="folder"):
        verify(root, tmp_path)
    with pytest.raises(UsageError, match="began_ns"):
        verify_manifest(os.fspath(root), cache=os.fspath(mine))


def test_a_cache_that_cannot_be_written_does_not_cost_the_verdict(root: Path, tmp_path: Path) -> None:
    report = verify(root, tmp_path / "root" / "f0" / "cache")
    assert (report.verdict.word, [group.id for group in report.findings]) == ("pass", ["cache-ignored"])


def test_a_cache_and_its_bytes_are_inverses(root: Path, tmp_path: Path) -> None:
    verify(root, tmp_path / "cache")
    data = (tmp_path / "cache").read_bytes()
    read = HashCache.decode(data, 0)
    assert isinstance(read, HashCache)
    assert read.encode() == data


def test_an_interruption_keeps_what_was_hashed(root: Path, tmp_path: Path) -> None:
    def interrupt(done: int, _: int) -> None:
        if done == COUNT - 1:
            raise KeyboardInterrupt

    cache = os.fspath(tmp_path / "cache")
    with pytest.raises(KeyboardInterrupt):
        verify_manifest(os.fspath(root), cache=cache, began_ns=later(), progress=interrupt, workers=1)
    assert remembered(verify(root, tmp_path / "cache")) == COUNT - 1


def test_an_interruption_keeps_what_processes_hashed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(done: int, _: int) -> None:
        if done == COUNT - 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(hashing_many, "MANY", 2)
    cache = os.fspath(tmp_path / "cache")
    with pytest.raises(KeyboardInterrupt):
        verify_manifest(os.fspath(root), cache=cache, began_ns=later(), progress=interrupt, workers=2)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert remembered(verify(root, tmp_path / "cache")) == COUNT - 1


@pytest.mark.parametrize("many", [2, 1000])
def test_the_cache_is_whole_after_a_kill_at_any_moment(root: Path, tmp_path: Path, many: int) -> None:
    script = (
        "import sys\n"
        "from runaudit.read import hashing_many\n"
        "from runaudit.usecases import manifest, manifest_hashing\n"
        "manifest_hashing.SAVE_EVERY, hashing_many.MANY = 1, int(sys.argv[4])\n"
        "sys.stdout.write('.')\n"
        "sys.stdout.flush()\n"
        "while True:\n"
        "    manifest.verify_manifest(sys.argv[1], cache=sys.argv[2], began_ns=int(sys.argv[3]), workers=2)\n"
        "    open(sys.argv[2], 'wb').close()\n"
    )
    cache = tmp_path / "caches" / "cache"
    arguments = [os.fspath(root), os.fspath(cache), str(later()), str(many)]
    kept: list[int] = []
    deadline = time.monotonic() + 60
    while sum(map(bool, kept)) < KILLS:
        assert time.monotonic() < deadline, kept
        with subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE) as running:
            assert running.stdout is not None
            running.stdout.read(1)
            time.sleep(len(kept) * 0.003)
            running.kill()
        if cache.exists() and cache.stat().st_size:
            read = load(os.fspath(cache), later())
            assert isinstance(read, HashCache)
        kept.append(remembered(verify(root, cache)))
        cache.unlink()


def test_a_killed_verification_keeps_what_was_saved(root: Path, tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from runaudit.usecases import manifest, manifest_hashing\n"
        "manifest_hashing.SAVE_EVERY = 3\n"
        "def die(done, total):\n"
        "    if done == 5: os._exit(9)\n"
        "root, cache, began = sys.argv[1:]\n"
        "manifest.verify_manifest(root, cache=cache, began_ns=int(began), progress=die, workers=1)\n"
    )
    arguments = [sys.executable, "-c", script, os.fspath(root), os.fspath(tmp_path / "cache"), str(later())]
    assert subprocess.run(arguments, check=False).returncode == 9
    assert remembered(verify(root, tmp_path / "cache")) == 3
