"""A full disk: the old document stays whole, the error names file and reason, the exit code is the documented one, and
nothing is left behind. A wrapped command ends as it ends, and hears of it in one line on stderr for each document."""

import errno
import json
import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyfakefs.fake_filesystem import FakeFilesystem

from runaudit.errors import OutputError
from runaudit.write.append import append_line
from runaudit.write.atomic import replace
from tests.hostile.children import ended
from tests.hostile.stage import FAILED, around_the_stage, failing
from tests.hostile.writers import WRITERS, Target, Writer, content, names_below, writer

# a cache that cannot be saved is a note of the report: the audit itself does not need it
CODES = {"run": 7, "hash-cache": 0}
NUMBERS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
FULL = os.strerror(errno.ENOSPC)


def refused(one: Writer, reason: str, before: Callable[[], object] = lambda: None) -> list[Target]:
    """Runs the command where it cannot write, and holds it to what is promised; the documents that were written."""
    held = names_below(one.folder)
    code, out, err = ended(one.arguments, one.folder, before)
    written = [target for target in one.targets if content(target.path) not in (target.old, *target.others)]
    stopped = [target for target in one.targets if target not in written]
    assert all(target.whole() for target in one.targets)
    assert one.leftovers() == []
    assert names_below(one.folder) - held <= {os.path.relpath(path, one.folder) for path in one.made} | {
        os.path.relpath(target.path, one.folder) for target in written
    }
    if not stopped:
        assert code == one.code
        return written
    assert code == CODES.get(one.name, 3)
    lines = [json.dumps(json.loads(out)["findings"])] if one.name == "hash-cache" else err.splitlines()
    told = [line for line in lines if reason in line]
    assert len(told) == (len(stopped) if one.name == "run" else 1)
    assert any(str(target.path) in line for target in stopped for line in told)
    assert "Traceback" not in err
    assert "internal error" not in err
    if one.name == "run":
        assert out == "ran\n"
        assert len(err.splitlines()) == len(stopped) + (one.targets[-1] in written)
    return written


@pytest.fixture
def tiny() -> Iterator[Path]:
    """A file system of a few megabytes, where this user may mount one."""
    folder = Path(tempfile.mkdtemp())
    mounting = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mounting, capture_output=True, check=False).returncode:
        folder.rmdir()
        pytest.skip("this user may not mount a file system; the limit of a file's size stands in for it below")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
    folder.rmdir()


def fill(folder: Path, keep: int) -> None:
    """Leaves room for so many bytes."""
    rest = os.statvfs(folder)
    with open(folder / "filler", "wb") as file:
        file.write(b"\0" * max(0, rest.f_bavail * rest.f_frsize - keep))


@pytest.mark.parametrize("name", WRITERS)
def test_no_room_on_the_disk(tiny: Path, name: str) -> None:
    one = writer(name, tiny / "place", 60)
    # where that is not enough for it, a document can be begun
    room = 4096 if max(len(target.new) for target in one.targets) > 2 * 4096 else 0
    fill(tiny, room)
    written = refused(one, FULL)
    assert len(written) < len(one.targets)
    (tiny / "filler").unlink()
    one.restore()
    assert one.run() == one.code
    assert all(target.path.read_bytes() == target.new for target in one.targets)


# the limit of a replay holds for its games as well, which then leave another trace
@pytest.mark.parametrize("name", sorted(WRITERS.keys() - {"games-replay-trace"}))
def test_a_limit_on_the_size_of_files(tmp_path: Path, name: str) -> None:
    one = writer(name, tmp_path / "place", 60)
    largest = max(len(target.new) for target in one.targets)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest // 2, largest // 2))

    assert len(refused(one, os.strerror(errno.EFBIG), limit)) < len(one.targets)


@pytest.mark.parametrize("name", WRITERS)
def test_every_call_of_a_write_may_fail(tmp_path: Path, name: str) -> None:
    one, nth = writer(name, tmp_path / "place", 3), 1
    while _failed_at(one, nth, NUMBERS[nth % len(NUMBERS)]):
        one.restore()
        nth += 1
    assert nth > 4


def _failed_at(one: Writer, nth: int, number: int) -> bool:
    reading, telling = os.pipe()
    refused(one, os.strerror(number), lambda: around_the_stage(failing(nth, number, telling)))
    os.close(telling)
    came_so_far = os.read(reading, 1) == FAILED
    os.close(reading)
    return came_so_far


def test_folders_that_were_made_for_nothing_go_again(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    target = tmp_path / "here" / "new" / "newer" / "document.json"

    def chunks() -> Iterator[bytes]:
        yield b"begun"
        raise OSError(errno.ENOSPC, FULL)

    with pytest.raises(OutputError, match=f"document.json: cannot be written: {FULL}"):
        replace(str(target), chunks())
    assert os.listdir(tmp_path / "here") == []
    replace(str(target), [b"whole"])
    assert target.read_bytes() == b"whole"


def test_a_disk_that_others_filled(fs: FakeFilesystem) -> None:
    fs.create_dir("/results")
    fs.set_disk_usage(10_000)
    replace("/results/document.json", [b"old\n"])
    append_line("/results/ledger.jsonl", b"old\n")
    for _ in range(2):
        with pytest.raises(OutputError, match=f"/results/document.json: cannot be written: {FULL}"):
            replace("/results/document.json", [b"new\n" * 5000])
        with pytest.raises(OutputError, match=f"/results/ledger.jsonl: cannot be appended to: {FULL}"):
            append_line("/results/ledger.jsonl", b"new\n" * 5000)
    assert sorted(os.listdir("/results")) == ["document.json", "ledger.jsonl"]
    assert Path("/results/document.json").read_bytes() == b"old\n"
    assert Path("/results/ledger.jsonl").read_bytes() == b"old\n"
    assert shutil.disk_usage("/").used == len(b"old\nold\n")
    replace("/results/document.json", [b"new\n" * 1000])
    assert Path("/results/document.json").read_bytes() == b"new\n" * 1000


def test_a_line_is_not_taken_back_when_another_writer_came_after_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b"old\n")

    def another_writes(
        name: str, call: Callable[..., object], args: tuple[object, ...], more: dict[str, object]
    ) -> object:
        result = call(*args, **more)
        if name == "write":
            with open(path, "ab") as file:
                file.write(b"other\n")
        if name == "fsync":
            raise OSError(errno.EIO, "it broke")
        return result

    code, _, err = ended(
        ["--version"], tmp_path, lambda: (around_the_stage(another_writes), append_line(str(path), b"mine\n"))
    )
    assert (code, "it broke" in err) == (99, True)  # as a child that raised
    assert path.read_bytes() == b"old\nmine\nother\n"
