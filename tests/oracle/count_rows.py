"""A second opinion on a NeMo Gym run: keys, outcomes, rewards and the mean, counted with plain `json`.

Imports nothing from the package that it judges, and shares no code with it. Reads whole files into memory: it is for
tests, not for users. What it does not know is left out rather than guessed: shards that number on their own, told
lists of unvalidated tasks, and rows without indices, which it counts apart.

Run as a script: `python tests/oracle/count_rows.py ROLLOUTS…` prints one JSON object for each file.
"""

import gzip
import json
import math
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

OUTCOMES = ("scored", "masked", "unscored", "failed", "missing", "conflicted")
TWICE = "\0stated twice"


@dataclass
class Lines:
    """What one file of rows holds: its objects, and how many lines were none."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    blank: int = 0
    damaged: int = 0
    torn: bool = False


@dataclass
class Slot:
    """One key of the run, with everything that was said about it."""

    stage: object
    task: int
    repeat: int
    servers: set[str] = field(default_factory=set)
    agents: set[str] = field(default_factory=set)
    owed: dict[str, Any] | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    failures: int = 0

    def takes(self, row: dict[str, Any]) -> bool:
        """Whether a row of the same indices can be this key's: no name that both state differs."""
        server, agent = names_of(row)
        return not (server and self.servers - {server}) and not (agent and self.agents - {agent})


def sidecar(rollouts: Path, kind: str) -> Path:
    """The path of a sidecar; a `.gz` goes first, then only the last suffix is dropped."""
    name = rollouts.name.removesuffix(".gz")
    return rollouts.with_name(f"{Path(name).stem}_{kind}.jsonl")


def content(path: Path) -> bytes:
    """The bytes of a file, unpacked as far as they go; nothing when there is none."""
    if not path.is_file():
        packed = path.with_name(path.name + ".gz")
        return content(packed) if path.suffix != ".gz" and packed.is_file() else b""
    if path.suffix != ".gz":
        return path.read_bytes()
    whole = bytearray()
    try:
        with gzip.open(path) as stream:
            while piece := stream.read(1 << 16):
                whole += piece
    except (EOFError, OSError, zlib.error):
        pass
    return bytes(whole)


def lines_of(data: bytes) -> Lines:
    """Parse a file of rows. Objects glued to one line count each; anything else on a line makes it damaged."""
    found = Lines()
    pieces = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for number, piece in enumerate(pieces):
        text = piece.decode("utf-8", "replace").strip()
        if not text:
            found.blank += number < len(pieces) - 1
            continue
        values, whole = _values(text)
        objects = [value for value in values if isinstance(value, dict)]
        found.rows += objects
        if not whole and number == len(pieces) - 1:
            found.torn = True
        elif not whole or len(objects) != len(values):
            found.damaged += 1
    return found


def _values(text: str) -> tuple[list[Any], bool]:
    # raw control characters inside a text harm nobody who reads a row
    decoder = json.JSONDecoder(object_pairs_hook=_object, strict=False)
    values: list[Any] = []
    at = 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return values, False
        values.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return values, True


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    rewards = [item for name, item in pairs if name == "reward"]
    # by value and by spelling: NaN differs from itself, 1 is 1.0
    if any(item != rewards[0] and repr(item) != repr(rewards[0]) for item in rewards):
        value[TWICE] = True
    return value


def names_of(row: dict[str, Any]) -> tuple[str | None, str | None]:
    """The environment server and the agent that a row names."""
    server = row.get("_ng_environment_server")
    agent = row.get("agent_ref")
    agent = agent.get("name") if isinstance(agent, dict) else agent
    return server if isinstance(server, str) else None, agent if isinstance(agent, str) else None


def indices_of(row: dict[str, Any]) -> tuple[object, int, int] | None:
    """Stage, task and repeat of a row; None where it lacks an index."""
    task, repeat = row.get("_ng_task_index"), row.get("_ng_rollout_index")
    if type(task) is not int or type(repeat) is not int:
        return None
    return row.get("stage_index") or 0, task, repeat


class Board:
    """All keys of a run, in the order in which they were first heard of."""

    def __init__(self) -> None:
        self._slots: dict[tuple[object, int, int], list[Slot]] = {}

    def __iter__(self) -> Iterator[Slot]:
        return (slot for slots in self._slots.values() for slot in slots)

    def place(self, row: dict[str, Any]) -> Slot | None:
        """The key of a row, made if it is new; None for a row without indices."""
        indices = indices_of(row)
        if indices is None:
            return None
        slots = self._slots.setdefault(indices, [])
        slot = next((slot for slot in slots if slot.takes(row)), None)
        if slot is None:
            slot = Slot(*indices)
            slots.append(slot)
        server, agent = names_of(row)
        slot.servers |= {server} if server else set()
        slot.agents |= {agent} if agent else set()
        return slot


def count(rollouts: Path) -> dict[str, Any]:
    """Everything that can be counted about the run of one rollouts file."""
    main, failures, owed = (
        lines_of(content(path))
        for path in (rollouts, sidecar(rollouts, "failures"), sidecar(rollouts, "materialized_inputs"))
    )
    board = Board()
    for row in owed.rows:
        if slot := board.place(row):
            slot.owed = row
    unplaced = 0
    for row in main.rows:
        if row.get("_ng_omitted_rollout"):
            continue
        if slot := board.place(row):
            slot.rows.append(row)
        else:
            unplaced += 1
    for row in failures.rows:
        slot = None if row.get("_ng_omitted_rollout") else board.place(row)
        if slot:
            slot.failures += 1
    return {"file": rollouts.name, "lines": _tally(main), "unplaced": unplaced, **_judged(board, unplaced)}


def _tally(lines: Lines) -> dict[str, Any]:
    return {**asdict(lines), "rows": len(lines.rows)}


def _judged(board: Board, unplaced: int) -> dict[str, Any]:
    known = [slot for slot in board if slot.owed is not None]
    selected = known or list(board)
    entries = [_entry(slot, known) for slot in selected]
    waiting = 0
    if unplaced:
        waiting = sum(entry["outcome"] == "missing" for entry in entries)
        entries = [entry for entry in entries if entry["outcome"] != "missing"]
    tally = Counter(entry["outcome"] for entry in entries)
    rewards = [entry["reward"] for entry in entries if entry["outcome"] == "scored"]
    return {
        "selected": len(selected),
        "waiting": waiting,
        "unexpected": len(list(board)) - len(selected),
        "counts": {outcome: tally[outcome] for outcome in OUTCOMES},
        "mean_reward": {"value": math.fsum(rewards) / len(rewards) if rewards else None, "n": len(rewards)},
        "tasks": entries,
    }


def _entry(slot: Slot, known: list[Slot]) -> dict[str, Any]:
    outcome, reward = _outcome(slot, known)
    return {"stage": slot.stage, "task_index": slot.task, "repeat": slot.repeat, "outcome": outcome, "reward": reward}


def _outcome(slot: Slot, known: list[Slot]) -> tuple[str, float | None]:
    if not slot.rows:
        return ("failed" if slot.failures else "missing"), None
    rows = _latest(slot.rows)
    said = {_said(row) for row in rows}
    if len(said) > 1 or any(TWICE in row or _answers_another(row, slot, known) for row in rows):
        return "conflicted", None
    return said.pop()


def _latest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    attempts = [row.get("_ng_attempt_index") or 0 for row in rows]
    return [row for row, attempt in zip(rows, attempts, strict=True) if attempt == max(attempts)]


def _said(row: dict[str, Any]) -> tuple[str, float | None]:
    reward = row.get("reward")
    if row.get("mask_sample") is True:
        return "masked", None
    if isinstance(reward, int | float) and not isinstance(reward, bool) and abs(reward) <= sys.float_info.max:
        return "scored", float(reward)
    return "unscored", None


def _answers_another(row: dict[str, Any], slot: Slot, known: list[Slot]) -> bool:
    """Whether a row is of another task than its key says: by the ids, or else by the prompt."""
    if slot.owed is None:
        return False
    mine, owed = task_id(row.get("_ng_task_id")), task_id(slot.owed.get("_ng_task_id") or slot.owed.get("task_id"))
    if mine and owed:
        return mine != owed
    text = prompt(row)
    own = prompt(slot.owed)
    if not text or not own or text.startswith(own):
        return False
    others = (prompt(other.owed) for other in known if other.owed is not None and other.task != slot.task)
    return any(other and text.startswith(other) for other in others)


def task_id(value: object) -> str | None:
    """A task's own id, from either of its spellings."""
    value = value.get("task_id") if isinstance(value, dict) else value
    return value if isinstance(value, str) else None


def prompt(row: dict[str, Any]) -> str:
    """The text of the input of a row, or of the task that a native row carries."""
    inner = row.get("task_input")
    holder = inner if isinstance(inner, dict) else row
    request = holder.get("responses_create_params")
    return flat(request.get("input")) if isinstance(request, dict) else ""


def flat(value: object) -> str:
    """All text in a request's input, in order."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(flat(item) for item in value)
    if isinstance(value, dict):
        return flat(value.get("content", value.get("text")))
    return ""


def compare(summary: dict[str, Any], oracle: dict[str, Any]) -> list[str]:
    """Where a summary document and `count` disagree, in words; nothing when they agree.

    With unplaced rows only the keys that the oracle could place are compared, and that no task is called missing.
    """
    differences: list[str] = []
    counts = summary.get("counts", {})
    if oracle["unplaced"]:
        if counts.get("missing"):
            differences.append(f"{counts['missing']} tasks called missing beside {oracle['unplaced']} unplaced rows")
    else:
        expected = {"selected": oracle["selected"], **oracle["counts"]}
        differences += [
            f"{name}: summary {counts.get(name)}, counted {n}" for name, n in expected.items() if counts.get(name) != n
        ]
        differences += _mean_differences(counts.get("mean_reward") or {}, oracle["mean_reward"])
    placed = {_key(entry) for entry in oracle["tasks"]}
    tasks = [entry for entry in summary.get("tasks", []) if not oracle["unplaced"] or _key(entry) in placed]
    return differences + _task_differences(tasks, oracle["tasks"])


def _mean_differences(mean: dict[str, Any], counted: dict[str, Any]) -> list[str]:
    value, expected = mean.get("value"), counted["value"]
    same = value == expected or (
        value is not None and expected is not None and math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12)
    )
    if same and mean.get("n") == counted["n"]:
        return []
    return [f"mean_reward: summary {value} over {mean.get('n')}, counted {expected} over {counted['n']}"]


def _task_differences(tasks: list[dict[str, Any]], counted: list[dict[str, Any]]) -> list[str]:
    told, expected = _by_key(tasks), _by_key(counted)
    return [
        f"stage {key[0]} task {key[1]} repeat {key[2]}: summary {told.get(key)}, counted {expected.get(key)}"
        for key in [*expected, *(key for key in told if key not in expected)]
        if told.get(key) != expected.get(key)
    ]


def _key(entry: dict[str, Any]) -> tuple[Any, Any, Any]:
    return entry.get("stage") or 0, entry.get("task_index"), entry.get("repeat")


def _by_key(entries: list[dict[str, Any]]) -> dict[tuple[Any, Any, Any], list[tuple[str, str]]]:
    keyed: dict[tuple[Any, Any, Any], list[tuple[str, str]]] = {}
    for entry in entries:
        reward = entry.get("reward")
        said = (str(entry.get("outcome")), "" if reward is None else repr(float(reward)))
        keyed.setdefault(_key(entry), []).append(said)
    return {key: sorted(says) for key, says in keyed.items()}


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        sys.stdout.write(json.dumps(count(Path(argument)), allow_nan=False) + "\n")
