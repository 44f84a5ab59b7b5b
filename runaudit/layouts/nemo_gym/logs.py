"""Reads one verifier log folder: what it holds, its digests, and whether its reward fits the row.

Nothing inside a folder is promised: an absent file is null and nothing is missing. Links, pipes and devices are named
and never opened.
"""

import msgspec

from runaudit.layouts.atif import trajectory_of
from runaudit.layouts.nemo_gym.rewards import LARGEST_REWARD, Reading, read_json, read_text, standing_of
from runaudit.layouts.trajectory import inconsistencies
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.relative import is_odd, shown
from runaudit.model.task import FileEvidence, TaskEvidence
from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.documents import decode_json, digest_of, read_bytes
from runaudit.read.folder import Item, list_folder, tree_of, walk
from runaudit.read.places import Places, Sight

STDOUT = "test-stdout.txt"
TRAJECTORY = "trajectory.json"
ARTIFACTS = "artifacts"
LARGEST_TRAJECTORY = 64 << 20
_REWARDS = {"reward.json": read_json, "reward.txt": read_text}


class LogFolder(msgspec.Struct):
    """What one log folder holds, as paths of the document; times in nanoseconds; what its reward files say."""

    path: str
    test_stdout: str | None = None
    reward_file: str | None = None
    trajectory: str | None = None
    artifacts: str | None = None
    evidence: TaskEvidence | None = None
    stdout_mtime_ns: int | None = None
    reward_mtimes_ns: dict[str, int] = msgspec.field(default_factory=dict)
    readings: list[Reading] = msgspec.field(default_factory=list)
    findings: list[Finding] = msgspec.field(default_factory=list)
    read: bool = True

    @property
    def reward(self) -> Reading | None:
        """The reward file that the writer goes by."""
        return standing_of(self.readings)


def read_log_folder(sight: Sight, path: str, places: Places, algorithm: Algorithm | None) -> LogFolder:
    """Lists and digests a log folder that was found at `path`."""
    folder = LogFolder(path=path)
    trouble = sight.trouble("folder")
    items = list_folder(sight.real) if trouble is None else trouble
    if isinstance(items, Trouble):
        folder.read = False
        folder.findings.append(items.at(path))
        return folder
    return _Reader(folder, sight.real, places, algorithm).read(items)


class _Reader:
    def __init__(self, folder: LogFolder, real: str, places: Places, algorithm: Algorithm | None) -> None:
        self._folder = folder
        self._real = real
        self._places = places
        self._algorithm = algorithm
        self._evidence: dict[str, FileEvidence] = {}

    def read(self, items: list[Item]) -> LogFolder:
        folder = self._folder
        known = {item.name: item for item in items}
        folder.test_stdout = self._file(known.pop(STDOUT, None))
        folder.trajectory = self._trajectory(known.pop(TRAJECTORY, None))
        for name in _REWARDS:
            self._reward(known.pop(name, None))
        reading = folder.reward
        if reading is not None:
            folder.reward_file = f"{folder.path}/{reading.name}"
        artifacts = known.pop(ARTIFACTS, None)
        trees = [self._below(item) for item in known.values()]
        other = [pair for tree in trees for pair in tree]
        inside = self._below(artifacts) if artifacts is not None else []
        if artifacts is not None and artifacts.kind == "folder":
            folder.artifacts = f"{folder.path}/{ARTIFACTS}"
        if self._algorithm is not None:
            folder.evidence = TaskEvidence(
                test_stdout=self._evidence.get(STDOUT),
                reward_file=self._evidence.get(reading.name) if reading else None,
                trajectory=self._evidence.get(TRAJECTORY),
                artifacts=tree_of(inside, self._algorithm) if folder.artifacts else None,
                other=tree_of(other, self._algorithm) if other else None,
                files=self._second_reward(reading),
            )
        return folder

    def _second_reward(self, first: Reading | None) -> dict[str, FileEvidence] | None:
        more = {n: e for n, e in self._evidence.items() if n in _REWARDS and first is not None and n != first.name}
        return more or None

    def _tell(self, trouble: Trouble, name: str) -> None:
        self._folder.findings.append(trouble.at(f"{self._folder.path}/{shown(name)}"))

    def _sight(self, item: Item) -> Sight | None:
        """The file behind an entry; None, and a finding, when it is none that may be opened."""
        if item.kind == "file":
            return Sight(kind="file", path=item.path, real=item.path, size=item.size, mtime_ns=item.mtime_ns)
        sight = self._places.look(item.path)
        trouble = sight.trouble("file")
        if trouble is not None:
            self._tell(trouble, item.name)
        return sight if trouble is None and sight.kind == "file" else None

    def _file(self, item: Item | None) -> str | None:
        if item is None:
            return None
        sight = self._sight(item)
        if sight is None:
            return None
        if item.name == STDOUT:
            self._folder.stdout_mtime_ns = sight.mtime_ns
        if self._algorithm is not None:
            digest = digest_of(sight, self._algorithm)
            if isinstance(digest, Trouble):
                self._tell(digest, item.name)
                self._evidence[item.name] = FileEvidence(sight.size)
            else:
                self._evidence[item.name] = FileEvidence(sight.size, str(digest))
        return f"{self._folder.path}/{item.name}"

    def _trajectory(self, item: Item | None) -> str | None:
        """Digests the trajectory and judges it, both from one read."""
        sight = None if item is None else self._sight(item)
        if item is None or sight is None:
            return None
        data = read_bytes(sight, LARGEST_TRAJECTORY)
        if isinstance(data, Trouble):
            self._tell(_renamed(data, "trajectory-unreadable"), item.name)
            self._evidence[item.name] = FileEvidence(sight.size, self._long_digest(sight))
            return f"{self._folder.path}/{item.name}"
        if self._algorithm is not None:
            self._evidence[item.name] = FileEvidence(len(data), str(hashing.of_bytes(data, self._algorithm)))
        document = decode_json(data)
        path = f"{self._folder.path}/{item.name}"
        held = document if isinstance(document, Trouble) else trajectory_of(document.value, path)
        if isinstance(held, Trouble):
            self._tell(_renamed(held, "trajectory-unreadable"), item.name)
        else:
            self._folder.findings += inconsistencies(held)
        return path

    def _reward(self, item: Item | None) -> None:
        if item is None:
            return
        sight = self._sight(item)
        if sight is None:
            return
        self._folder.reward_mtimes_ns[item.name] = sight.mtime_ns
        data = read_bytes(sight, LARGEST_REWARD)
        if isinstance(data, Trouble):
            self._folder.readings.append(Reading(item.name, "unread", reason=data.message))
            if data.id == "no-permission":
                self._tell(data, item.name)
            else:
                self._tell(Trouble(id="invalid-reward-file", message=data.message), item.name)
            self._evidence[item.name] = FileEvidence(sight.size, self._long_digest(sight))
            return
        reading = _REWARDS[item.name](data)
        self._folder.readings.append(reading)
        if self._algorithm is not None:
            self._evidence[item.name] = FileEvidence(len(data), str(hashing.of_bytes(data, self._algorithm)))
        self._judge(reading)

    def _long_digest(self, sight: Sight) -> str | None:
        digest = digest_of(sight, self._algorithm or "xxh3")
        return None if isinstance(digest, Trouble) else str(digest)

    def _judge(self, reading: Reading) -> None:
        if reading.standing == "unusable":
            self._tell(Trouble(id="invalid-reward-file", message=reading.reason or ""), reading.name)
        if reading.doubled:
            self._tell(Trouble(id="duplicate-key", message=reading.reason or "a key is stated twice"), reading.name)
        if reading.marked:
            finding = Trouble(id="odd-encoding", message="it starts with a byte order mark")
            self._tell(finding, reading.name)

    def _below(self, item: Item) -> list[tuple[str, Item]]:
        """An entry and what lies below it; what cannot be listed, and names that are no UTF-8, become findings."""
        found: list[tuple[str, Item]] = [(item.name, item)]
        if item.kind == "file" and item.name.isascii():
            return found
        if item.kind == "folder":
            for path, below in walk(item.path, f"{item.name}/"):
                if isinstance(below, Trouble):
                    self._tell(below, path)
                else:
                    found.append((path, below))
        for path, entry in found:
            if is_odd(path):
                self._tell(Trouble(id="portability", message="the name is no UTF-8"), path)
            if entry.kind == "other":
                self._tell(Trouble(id="wrong-kind", message="wrong-kind: neither file nor folder; not opened"), path)
            elif entry.kind == "link":
                self._link(path, entry)
        return found

    def _link(self, path: str, entry: Item) -> None:
        sight = self._places.look(entry.path)
        if sight.kind in ("outside-root", "link-loop", "dangling-link"):
            trouble = sight.trouble("file")
            if trouble is not None:
                self._tell(trouble, path)


def _renamed(trouble: Trouble, finding: str) -> Trouble:
    """The trouble under the finding of its kind of file; that it may not be read is the same for every file."""
    return trouble if trouble.id == "no-permission" else msgspec.structs.replace(trouble, id=finding)
