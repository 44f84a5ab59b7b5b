"""A full disk: the old document stays whole, the error names file and reason, the exit code is the documented one, and
nothing is left behind. A wrapped command ends as it ends, and hears of it in one line on stderr for each document."""

import errno
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
from tests.hostile.refusals import refused
from tests.hostile.stage import FAILED, around_the_stage, failing
from tests.hostile.writers import WRITERS, Writer, writer

NUMBERS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
FULL = os.strerror(errno.ENOSPC)


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


CHATTY = """
class ChattyEnv:
    def reset(self, seed=None):
        return "word " * 1000, {}

    def step(self, action):
        return "word " * 1000, 1.0, True, False, {}
"""


@pytest.mark.parametrize("room", [0, 4096])
def test_a_game_is_not_blamed_for_a_full_disk(tiny: Path, tmp_path: Path, room: int) -> None:
    game = tmp_path / "game_00000_000_optimization.py"
    game.write_text(CHATTY)

    def elsewhere() -> None:
        tempfile.tempdir = str(tiny)

    fill(tiny, room)
    code, _, err = ended(["games", "replay", str(game), "--once"], tmp_path, elsewhere)
    assert (code, err) == (3, f"runaudit: {tiny}: the record of a replay cannot be written: {FULL}\n")
    (tiny / "filler").unlink()
    assert ended(["games", "replay", str(game), "--once"], tmp_path, elsewhere)[0] == 0
    assert os.listdir(tiny) == []


@pytest.mark.parametrize("arguments", [["demo"], ["games", "replay", "game_00000_000_optimization.py"]], ids=" ".join)
def test_no_temporary_folder(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "game_00000_000_optimization.py").write_text(CHATTY)

    def elsewhere() -> None:
        tempfile.tempdir = str(tmp_path / "nowhere")

    code, _, err = ended(arguments, tmp_path, elsewhere)
    assert code == 3
    assert "internal error" not in err
    assert "can be made: No such file or directory" in err


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

    def mine() -> None:
        around_the_stage(another_writes)
        append_line(str(path), b"mine\n")

    code, _, err = ended(["--version"], tmp_path, mine)
    assert (code, "it broke" in err) == (99, True)  # as a child that raised
    assert path.read_bytes() == b"old\nmine\nother\n"
