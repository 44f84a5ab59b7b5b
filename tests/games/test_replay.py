"""Replay: sound games pass; each kind of bad game is reported within its limits, and nothing is left behind."""

import json
import os
import tempfile
from pathlib import Path

import pytest

from runaudit.cli.exits import guarded
from runaudit.errors import InputError, UsageError
from runaudit.layouts.games import replay_box
from runaudit.layouts.games.replay_box import Isolation, Limits, Play, isolation
from runaudit.model.report import Report
from runaudit.usecases.games_replay import replay_games
from tests.stories.run_support import until

LIMITS = Limits(seconds=5, memory=256 << 20)
HEAD = "class Game:\n    def reset(self, seed=None):\n        {reset}\n    def step(self, action):\n        {step}\n"
RESET, STEP = "return 'go', {}", "return 'over', 1.0, True, False, {}"


def game(*, reset: str = RESET, step: str = STEP, before: str = "") -> str:
    return before + "\n" + HEAD.format(reset=reset, step=step)


def left_behind() -> set[str]:
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("runaudit-replay-")}


def marked(mark: str) -> list[str]:
    """The processes whose command line or environment holds a text."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = Path(f"/proc/{entry}/cmdline").read_bytes() + Path(f"/proc/{entry}/environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in text and int(entry) != os.getpid():
            found.append(entry)
    return found


def replayed(folder: Path, source: str, *, limits: Limits = LIMITS, play: Play | None = None) -> Report:
    """The report on one game; its scratch folders and processes are gone."""
    path = folder / "game_00000_000_optimization.py"
    path.write_text(source)
    before = left_behind()
    report = replay_games(str(path), limits=limits, play=play)
    assert left_behind() <= before
    assert marked(str(path)) == []
    return report


def told(report: Report) -> str:
    return "\n".join(f"{group.id} {place.message}" for group in report.findings for place in group.places)


def test_a_sound_game_passes(tmp_path: Path) -> None:
    report = replayed(tmp_path, game())
    assert (report.verdict.exit_code, report.findings) == (0, ())
    assert report.body["counts"] == {"games": 1, "sound": 1, "not_sound": 0, "episodes": 1, "steps": 1}


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (game(reset="return 'go'"), "reset returned str, expected a tuple of 2"),
        (game(reset="return ['go', {}]"), "reset returned list of 2, expected a tuple of 2"),
        (game(reset="return 3, {}"), "reset returned int as observation, expected str"),
        (game(step="return 'x', 1.0, True, {}"), "step returned tuple of 4, expected a tuple of 5"),
        (game(step="return 'x', '1', True, False, {}"), "step returned str as reward, expected float"),
        (game(step="return 'x', True, True, False, {}"), "step returned bool as reward, expected float"),
        (game(step="return 'x', 1.0, 1, False, {}"), "step returned int as terminated, expected bool"),
        (game(step="return 'x', 1.0, True, False, None"), "step returned NoneType as info, expected dict"),
        (game(step="return 'x', float('nan'), True, False, {}"), "reward nan, expected a finite number"),
        (game(step="return 'x', 0.0, False, False, {}"), "not ended after 100 steps"),
        (game(step="raise ValueError('bad move')"), "it raised ValueError: bad move, in step 1 of episode 0"),
        (game(before="import no_such_module"), "No module named 'no_such_module', in import"),
        (game(before="import replay_judge"), "No module named 'replay_judge'"),
        ("x = (\n", "SyntaxError"),
        ("x = 1\n", "expected one class with reset and step, found none"),
        (game() + game().replace("Game", "Other"), "found Game, Other"),
        (game(step="raise SystemExit(0)"), "left the interpreter (SystemExit 0)"),
        (game(step="import os; os._exit(0)"), "left the interpreter with exit code 0, in step 1"),
        (game(reset="import random; return str(random.random()), {}"), "under one seed it gives another observation"),
        (
            game(before="count = [0]", reset="count[0] += 1; return str(count), {}"),
            "with a new instance in the same process",
        ),
        (game(reset="return str(list(set('abcdefgh'))), {}"), "in a new process, with other hashes of text"),
        (game(step="import os; return str(os.getpid() * 0 + id(self)), 1.0, True, False, {}"), "another observation"),
        (game(reset="return input(), {}"), "EOFError"),
    ],
)
def test_a_broken_contract_is_reported(tmp_path: Path, source: str, says: str) -> None:
    report = replayed(tmp_path, source)
    assert report.verdict.exit_code == 1
    assert [group.id for group in report.findings] == ["games-contract-broken"]
    assert says in told(report)


def test_a_base_class_is_not_a_second_game(tmp_path: Path) -> None:
    assert replayed(tmp_path, game() + "class Better(Game):\n    pass\n").verdict.exit_code == 0


@pytest.mark.parametrize(
    ("source", "limits", "says"),
    [
        (game(step="exec('while True: pass')"), Limits(seconds=0.6), "more than 0.6 seconds, in step 1 of episode 0"),
        (game(before="import time\ntime.sleep(60)"), Limits(seconds=0.6), "more than 0.6 seconds, in import"),
        (game(step="x = 'y' * (1 << 30)"), LIMITS, "more than 256 MiB of memory, in step 1"),
        (game(step="x = []\n        while True: x.append(bytearray(1 << 20))"), LIMITS, "more than 256 MiB"),
    ],
)
def test_a_game_without_end_is_stopped_at_its_limit(tmp_path: Path, source: str, limits: Limits, says: str) -> None:
    report = replayed(tmp_path, source, limits=limits)
    assert report.verdict.exit_code == 1
    assert [group.id for group in report.findings] == ["games-limit-reached"]
    assert says in told(report)


@pytest.mark.parametrize(
    ("doing", "says"),
    [
        ("import os; os.fork()", "process: os.fork"),
        ("import subprocess; subprocess.Popen(['sleep', '60'])", "process: subprocess.Popen"),
        ("import os; os.system('sleep 60')", "process: os.system"),
        ("import os; os.kill(1, 9)", "process: os.kill"),
        ("import socket; socket.socket()", "socket: socket.__new__"),
        ("import socket; socket.getaddrinfo('localhost', 80)", "socket: socket.getaddrinfo"),
        ("import threading; threading.Thread(target=print).start()", "thread: _thread.start_new_thread"),
        ("open('/tmp/runaudit-outside', 'w')", "(outside its folder)"),
        ("import os; os.remove('/tmp/runaudit-outside')", "(outside its folder)"),
        ("import os; os.symlink('/etc', 'here')", "file: os.symlink"),
    ],
)
def test_a_game_that_reaches_out_is_refused_and_reported(tmp_path: Path, doing: str, says: str) -> None:
    # the game hides its failure, and is reported all the same
    report = replayed(tmp_path, game(step=f"try: exec({doing!r})\n        except Exception: pass\n        {STEP}"))
    assert report.verdict.exit_code == 1
    assert "games-side-effect" in {group.id for group in report.findings}
    assert says in told(report)
    assert not Path("/tmp/runaudit-outside").exists()  # noqa: S108  # the path that the game tries


def test_files_in_its_own_folder_are_let_through_reported_and_removed(tmp_path: Path) -> None:
    write = "open('notes.txt', 'w').write('x'); assert open('notes.txt').read() == 'x'"
    report = replayed(tmp_path, game(step=f"{write}\n        {STEP}"))
    assert told(report) == "games-side-effect file: open notes.txt"


def test_a_file_over_the_size_limit_and_too_many_files_are_refused(tmp_path: Path) -> None:
    big = "open('big', 'wb').write(bytes(9 << 20))"
    assert "File too large" in told(replayed(tmp_path, game(step=big), limits=Limits(file_size=1 << 20)))
    many = "[open(str(n), 'w').close() for n in range(99)]"
    assert "writing files is refused" in told(replayed(tmp_path, game(step=many)))


def test_a_process_that_leaves_its_group_behind_pythons_back_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # others may replay games on this machine: only what was started here counts
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    hidden = "import ctypes, os, time\nlibc = ctypes.CDLL(None)\n"
    act = "libc.fork() == 0 and (libc.setsid(), time.sleep(60))"
    limits = Limits(seconds=3)
    held = isolation()
    path = tmp_path / "game.py"
    path.write_text(game(before=hidden, step=f"{act}; {STEP}"))
    for way in (held, Isolation(reason="none was asked for")):
        before = left_behind()
        replay_box.run(str(path), "game.py", Play(), limits, way, hash_seed=1)
        assert left_behind() <= before
        # what was killed takes a moment to be gone
        until(lambda: marked(f"RUNAUDIT_REPLAY={tmp_path}") == [], seconds=5)


def test_the_report_says_whether_the_network_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = isolation()
    report = replayed(tmp_path, game())
    assert report.body["network"] == ("cut" if held.network_cut else "not cut")
    monkeypatch.setattr(replay_box, "_TOOLS", str(tmp_path))
    report = replayed(tmp_path, game())
    assert report.body["network"] == "not cut"
    [check] = [check for check in report.checks if check.name == "network cut"]
    assert (check.made, check.reason) == (False, "there is no unshare command")


def test_nothing_of_the_callers_environment_reaches_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    assert replayed(tmp_path, game(before="import os\nassert 'SECRET_TOKEN' not in os.environ")).verdict.exit_code == 0


def test_actions_that_a_game_names_as_legal_are_taken(tmp_path: Path) -> None:
    source = game(reset="return 'go', {'legal_actions': ['[7]']}", step="assert action == '[7]'\n        " + STEP)
    assert replayed(tmp_path, source).verdict.exit_code == 0


def test_the_trace_has_a_line_for_every_step(tmp_path: Path) -> None:
    path, trace = tmp_path / "game_00000_000_optimization.py", tmp_path / "trace.jsonl"
    step = (
        "self.n = getattr(self, 'n', 0) + 1; return 'y' * 9000, 0.5, self.n == 2, False, {'n': self.n, 'o': object()}"
    )
    path.write_text(game(step=step))
    replay_games(str(path), play=Play(seed=3, episodes=2), once=True, trace=str(trace))
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    assert [(line["episode"], line["seed"], line["step"]) for line in lines] == [
        (0, 3, 0), (0, 3, 1), (0, 3, 2), (1, 4, 0), (1, 4, 1), (1, 4, 2),
    ]  # fmt: skip
    first, last = lines[0], lines[-1]
    assert (first["action"], first["reward"], first["observation"], first["info"]) == (None, None, "go", {})
    assert (last["reward"], last["terminated"], last["truncated"]) == (0.5, True, False)
    assert (len(last["observation"]), last["observation_length"]) == (8192, 9000)
    assert last["info"] == {"n": 2, "o": {"type": "object"}}
    replay_games(str(path), play=Play(seed=3, episodes=2), once=True, trace=str(tmp_path / "again.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == trace.read_bytes()


def test_no_game_is_no_audit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no game to replay"):
        replay_games(str(tmp_path))
    with pytest.raises(InputError, match="no such file or folder"):
        replay_games(str(tmp_path / "absent"))


def test_195_games_replay_on_two_cores_with_progress(whole: Path, tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    before = left_behind()
    report = replay_games(
        str(whole), jobs=2, once=True, trace=str(tmp_path / "t"), progress=lambda done, of: heard.append((done, of))
    )
    assert heard == [(done, 195) for done in range(1, 196)]
    assert (report.verdict.exit_code, report.body["counts"]["sound"]) == (0, 195)
    assert report.body["counts"]["steps"] + 195 == len((tmp_path / "t").read_bytes().splitlines())
    assert left_behind() <= before


def test_neither_manifest_nor_verify_runs_a_game(copied: Path, tmp_path: Path) -> None:
    game_file = next((copied / "generations" / "partial" / "step_00001").glob("*.py"))
    game_file.unlink()
    game_file.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    for command in ("manifest", "verify"):
        assert guarded(["games", command, str(copied)]) in (0, 1)
    assert not (tmp_path / "ran").exists()


def test_an_interpreter_that_is_none_is_wrong_usage_and_no_fault_of_the_game(tmp_path: Path) -> None:
    (tmp_path / "game_00000_000_optimization.py").write_text("")
    for python in (str(tmp_path / "none"), __file__):
        with pytest.raises(UsageError, match="there is no such program"):
            replay_games(str(tmp_path), python=python)
