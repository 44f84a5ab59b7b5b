"""Whatever a command line names: folders, links, pipes, sockets and devices in the place of files. Nothing hangs.

A path that is named may be a link to a file. A link with a file's name that leads to a folder is no file and means no
folder; nothing but a plain file is ever opened; an output never replaces what is no file.
"""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runaudit.errors import OutputError
from runaudit.write.atomic import replace
from tests.hostile.bounded import Bounded, preload, run_bounded
from tests.hostile.sound import claimed_evidence, exported_games, listed_tree, run_quietly, signed_run
from tests.stories.unprivileged import open_folder


def _folder(path: Path) -> None:
    path.mkdir()


def _link_to_folder(path: Path) -> None:
    path.symlink_to(".")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def _unreadable(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0)


THINGS: dict[str, Callable[[Path], None]] = {
    "folder": _folder,
    "link to the folder": _link_to_folder,
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nothing": lambda path: path.symlink_to("gone"),
    "pipe": os.mkfifo,
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "socket": _socket,
    "not to be read": _unreadable,
    "empty file": Path.touch,
}
# the name of the thing, and the words; {it} is the thing, {here} a folder with one sound thing of every kind
INPUTS: list[tuple[str, str]] = [
    ("rollouts.jsonl", "summarize {it} -o -"),
    ("rollouts.jsonl", "signatures {it} -o {out}/signatures.json"),
    ("rollouts.jsonl", "verify {it}"),
    ("rollouts.jsonl", "show {it}"),
    ("rollouts_run_summary.json", "verify {it}"),
    ("rollouts_run_summary.json", "show {it}"),
    ("rollouts_run_summary.json", "diff {it} {summary}"),
    ("rollouts_run_summary.json", "diff {summary} {it}"),
    ("result.json", "summarize {it} -o -"),
    ("result.json", "verify {it}"),
    ("SHA256_MANIFEST.json", "manifest verify {it}"),
    ("SHA256SUMS.txt", "manifest verify {it}"),
    ("SHA256_MANIFEST.json", "manifest verify {it} --allow-list"),
    ("claims.toml", "claims check {it}"),
    ("manifest.json", "games verify {it}"),
    ("game.py", "games replay {it}"),
]
OPTIONS: list[tuple[str, str]] = [
    ("signatures.json", "summarize {run} -o - --signatures {it}"),
    ("expected.jsonl", "summarize {run} -o - --expected {it}"),
    ("rows.jsonl", "summarize {run} -o - --rows {it}"),
    ("config.yaml", "summarize {run} -o - --run-config {it}"),
    ("unvalidated.json", "summarize {run} -o - --unvalidated {it}"),
    ("skipped.json", "summarize {run} -o - --skipped {it}"),
    ("gate.toml", "verify {run} --policy {it}"),
    ("runaudit.toml", "verify {run} --config {it}"),
    ("root", "verify {run} --root {it}"),
    ("gate.toml", "diff {summary} {summary} --policy {it}"),
    ("tree", "manifest create {it} -o -"),
    ("root", "manifest verify {manifest} {it}"),
    ("root", "manifest verify {manifest} --root {it}"),
    ("cache", "manifest verify {manifest} --cache {it}"),
    ("root", "claims check {claims} --root {it}"),
    ("root", "claims check {claims} --also {it}"),
    ("card", "claims init {it} -o -"),
    ("job.log", "games verify {games} --logs {it}"),
    ("spare_games", "games verify {games} --live {it}"),
    ("job.log", "games manifest {games} --logs {it} -o -"),
    ("rollouts.jsonl", "run --output {it} -- true"),
]
OUTPUTS: list[str] = [
    "summarize {run}/rollouts.jsonl -o {it}",
    "signatures {run}/rollouts.jsonl -o {it}",
    "verify {run} -o {it}",
    "diff {summary} {summary} -o {it}",
    "diff {summary} {summary} --accept --update-baseline {it}",
    "manifest create {tree} -o {it}",
    "claims init {claims_folder} --force -o {it}",
    "games manifest {games} -o {it}",
    "games replay {games} --only game_00000_000 --trace {it}",
]
_SPECIAL = ("folder", "link to the folder", "pipe", "link to a device", "socket")


@pytest.fixture(scope="module")
def sound() -> Iterator[Path]:
    """One sound folder of each kind, where every user may read."""
    preload()
    with open_folder() as top:
        signed_run(top / "run")
        listed_tree(top / "tree")
        claimed_evidence(top / "claims")
        exported_games(top / "games")
        yield top


@pytest.fixture
def place(sound: Path) -> Iterator[Path]:
    """A folder for the thing, beside the sound ones; everybody may write to it."""
    folder = sound / "place"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "out").mkdir()
    (folder / "out").chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def _run(sound: Path, place: Path, words: str, thing: Path) -> Bounded:
    told = words.format(
        it=thing,
        out=place / "out",
        run=sound / "run",
        summary=sound / "run" / "rollouts_run_summary.json",
        tree=sound / "tree",
        manifest=sound / "tree" / "SHA256_MANIFEST.json",
        claims=sound / "claims" / "claims.toml",
        claims_folder=sound / "claims",
        games=sound / "games",
    )
    # the interpreter that replays games may be one that root alone can start
    bounded = run_bounded([told.split(" ")], place / "out", drop=not words.startswith("games replay"))
    assert bounded.died is None
    assert "internal error" not in bounded.ran[0].err
    return bounded


@pytest.mark.parametrize("kind", THINGS)
@pytest.mark.parametrize(("name", "words"), INPUTS, ids=[words for _, words in INPUTS])
def test_what_is_no_file_is_never_taken_for_one(sound: Path, place: Path, name: str, words: str, kind: str) -> None:
    THINGS[kind](place / name)
    bounded = _run(sound, place, words, place / name)
    assert bounded.ran[0].code in ((0, 1, 2, 3) if words.startswith(("signatures", "summarize")) else (1, 2, 3))
    assert not any(path.startswith("/dev/zero") for path in bounded.read)


@pytest.mark.parametrize("kind", THINGS)
@pytest.mark.parametrize(("name", "words"), OPTIONS, ids=[words for _, words in OPTIONS])
def test_an_option_that_names_no_file_is_answered(sound: Path, place: Path, name: str, words: str, kind: str) -> None:
    THINGS[kind](place / name)
    bounded = _run(sound, place, words, place / name)
    assert bounded.ran[0].code in (0, 1, 2, 3)
    assert not any(path.startswith("/dev/zero") for path in bounded.read)


@pytest.mark.parametrize("kind", _SPECIAL)
@pytest.mark.parametrize("words", OUTPUTS)
def test_an_output_never_replaces_what_is_no_file(sound: Path, place: Path, words: str, kind: str) -> None:
    thing = place / "report.out"
    THINGS[kind](thing)
    before = os.lstat(thing)
    assert _run(sound, place, words, thing).ran[0].code in (2, 3)
    after = os.lstat(thing)
    assert (before.st_mode, before.st_ino) == (after.st_mode, after.st_ino)
    assert sorted(os.listdir(place)) == ["out", "report.out"]


@pytest.mark.parametrize("path", ["/dev/runaudit-test", "/proc/self/runaudit-test", "/dev/../dev/runaudit-test"])
def test_nothing_is_written_among_devices(path: str) -> None:
    with pytest.raises(OutputError):
        replace(path, [b"x"])
    assert not os.path.lexists(path)


def test_a_pipe_for_the_step_summary_keeps_nobody_waiting(
    sound: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(place / "steps")
    (place / "steps").chmod(0o666)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place / "steps"))
    bounded = _run(sound, place, "verify {run} --format github", place / "steps")
    assert bounded.ran[0].code == 0
    assert "step summary cannot be written" in bounded.ran[0].err


def test_rollouts_that_became_a_link_to_a_folder_are_not_that_folder(tmp_path: Path) -> None:
    signed_run(tmp_path / "run")
    other = tmp_path / "run" / "other"
    signed_run(other)
    rollouts = tmp_path / "run" / "rollouts.jsonl"
    rollouts.unlink()
    rollouts.symlink_to("other")
    run_quietly("summarize", str(rollouts), "-o", str(tmp_path / "summary.json"), "--signatures", "none")
    assert b'"wrong-kind"' in (tmp_path / "summary.json").read_bytes()
    assert b'"scored": 0' in (tmp_path / "summary.json").read_bytes()
