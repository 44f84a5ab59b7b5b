"""Sizes and digests of everything in one trial's folder. Files are hashed one by one, artifacts as one tree."""

import os

from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.trial import TrialFiles
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.task import FileEvidence, TaskEvidence, TreeEvidence
from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.documents import digest_of
from runaudit.read.places import Places, Sight

_MOST_FILES = 200_000
_DEEPEST = 64


class TrialTree:
    """The files below one trial's folder, and what could not be looked at."""

    def __init__(self, places: Places, root: str, trial: str) -> None:
        self.files: dict[str, Sight] = {}
        self.findings: list[Finding] = []
        self._places = places
        self._root = root
        self._walk(trial, 0)

    def _walk(self, relative: str, depth: int) -> None:
        sight = self._places.look(os.path.join(self._root, relative))
        try:
            listed = sorted(os.scandir(sight.real), key=lambda entry: entry.name)
        except OSError:
            self.findings.append(Finding("no-permission", "the folder cannot be listed", path=shown(relative)))
            return
        for entry in listed:
            name = f"{relative}/{entry.name}"
            seen = self._places.look(os.path.join(self._root, name))
            if seen.kind == "folder" and not entry.is_symlink() and depth < _DEEPEST:
                self._walk(name, depth + 1)
            elif seen.kind == "file" and len(self.files) < _MOST_FILES:
                self.files[name] = seen
            elif (trouble := seen.trouble("file")) is not None and not (seen.kind == "folder" and entry.is_symlink()):
                self.findings.append(trouble.at(shown(name)))


def shown(name: str) -> str:
    """A name as text that every document can hold: bytes that are no UTF-8 are escaped."""
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def files_of(tree: TrialTree, trial: str, rewards_from: str | None, algorithm: Algorithm | None) -> TrialFiles:
    """Where the trial's evidence lies and what it looks like. `rewards_from` is the reward file that counts."""
    verifier, trajectory = f"{trial}/verifier", f"{trial}/agent/{names.TRAJECTORY}"
    stdout = f"{verifier}/{names.TEST_STDOUT}"
    artifacts = f"{trial}/artifacts/"
    apart = [path for path in (stdout, rewards_from, trajectory) if path in tree.files]
    inside = {path: sight for path, sight in tree.files.items() if path.startswith(artifacts)}
    single = {path: sight for path, sight in tree.files.items() if path not in apart and path not in inside}
    return TrialFiles(
        logs=verifier if any(path.startswith(verifier + "/") for path in tree.files) else None,
        test_stdout=stdout if stdout in tree.files else None,
        reward_file=rewards_from if rewards_from in tree.files else None,
        trajectory=trajectory if trajectory in tree.files else None,
        artifacts=artifacts[:-1] if inside else None,
        evidence=TaskEvidence(
            test_stdout=_file(tree.files.get(stdout), algorithm),
            reward_file=_file(tree.files.get(rewards_from or ""), algorithm),
            trajectory=_file(tree.files.get(trajectory), algorithm),
            artifacts=tree_of(inside, artifacts, algorithm) if inside else None,
            files={shown(path): _evidence(sight, algorithm) for path, sight in single.items()} or None,
        ),
    )


def _file(sight: Sight | None, algorithm: Algorithm | None) -> FileEvidence | None:
    return None if sight is None else _evidence(sight, algorithm)


def _evidence(sight: Sight, algorithm: Algorithm | None) -> FileEvidence:
    digest = digest_of(sight, algorithm, sample=True) if algorithm else None
    return FileEvidence(sight.size, None if digest is None or isinstance(digest, Trouble) else str(digest))


def tree_of(files: dict[str, Sight], below: str, algorithm: Algorithm | None) -> TreeEvidence:
    """One digest over sorted names and sizes; with sha256 over names and contents."""
    running = hashing.hasher(algorithm or "xxh3")
    for path, sight in sorted(files.items()):
        content: object = sight.size
        if algorithm == "sha256":
            content = _evidence(sight, algorithm).digest
        running.update(f"{shown(path.removeprefix(below))}\0{content}\n".encode())
    digest = f"{algorithm or 'xxh3'}:{running.hexdigest()}"
    return TreeEvidence(len(files), sum(sight.size for sight in files.values()), digest)
