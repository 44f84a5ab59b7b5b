"""Sizes and digests of everything in one trial's folder.

What is read or belongs to the run gets a digest of its own; artifacts, and what else a verifier left, one for the tree.
"""

import os

from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.trial import TrialFiles
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.relative import is_odd, shown
from runaudit.model.task import FileEvidence, TaskEvidence
from runaudit.model.trouble import Trouble
from runaudit.read.documents import digest_of
from runaudit.read.folder import Item, tree_of, walk
from runaudit.read.places import Places, Sight

_REWARDS = (names.REWARD_JSON, names.REWARD_TEXT)
# under these names a folder is never meant, and a link may not lead to one
_FILES = frozenset({*_REWARDS, names.TEST_STDOUT, names.TRAJECTORY})
Items = dict[str, Item]


class TrialTree:
    """The files below one trial's folder by path relative to the job, and what could not be looked at."""

    def __init__(self, places: Places, root: str, trial: str, algorithm: Algorithm | None) -> None:
        self.items: Items = {}
        self.findings: list[Finding] = []
        self._places = places
        self._root = root
        self._algorithm = algorithm
        for path, item in walk(places.look(os.path.join(root, trial)).real, trial + "/"):
            self._take(path, item)

    def _take(self, path: str, item: Item | Trouble) -> None:
        if isinstance(item, Trouble):
            self.findings.append(item.at(shown(path)))
        elif item.kind != "folder":
            if is_odd(item.name):
                self.findings.append(Finding("portability", "the name is not UTF-8", path=shown(path)))
            seen = self.sight(path)
            led_to_folder = item.kind == "link" and seen.kind == "folder"
            trouble = None if led_to_folder and item.name not in _FILES else seen.trouble("file")
            if trouble is not None:
                self.findings.append(trouble.at(shown(path)))
            self.items[path] = item

    def sight(self, path: str) -> Sight:
        """What lies at a path of this tree."""
        return self._places.look(os.path.join(self._root, path))

    def evidence(self, path: str) -> FileEvidence | None:
        """Size and digest of a file of this tree; None where there is none."""
        sight = self.sight(path)
        if path not in self.items or sight.kind != "file":
            return None
        digest = digest_of(sight, self._algorithm, sample=True) if self._algorithm else None
        return FileEvidence(sight.size, None if digest is None or isinstance(digest, Trouble) else str(digest))

    def below(self, folder: str, *, without: tuple[str | None, ...] = ()) -> list[tuple[str, Item]]:
        """The files below a folder, by path relative to it."""
        start = folder + "/"
        return [
            (path.removeprefix(start), item)
            for path, item in self.items.items()
            if path.startswith(start) and path not in without
        ]


def files_of(
    tree: TrialTree, trial: str, rewards_from: str | None, algorithm: Algorithm | None
) -> tuple[TrialFiles, dict[str, FileEvidence]]:
    """Where the trial's evidence lies, and the other files of its folder with size and digest.

    `rewards_from` is the reward file that counts.
    """
    verifier, trajectory = f"{trial}/verifier", f"{trial}/agent/{names.TRAJECTORY}"
    stdout, artifacts = f"{verifier}/{names.TEST_STDOUT}", f"{trial}/artifacts"
    second = {name: tree.evidence(f"{verifier}/{name}") for name in _REWARDS if f"{verifier}/{name}" != rewards_from}
    rewards = tuple(f"{verifier}/{name}" for name in _REWARDS)
    inside = tree.below(artifacts)
    other = tree.below(verifier, without=(stdout, *rewards))
    files = TrialFiles(
        logs=verifier if other or any(path in tree.items for path in (stdout, *rewards)) else None,
        test_stdout=stdout if stdout in tree.items else None,
        reward_file=rewards_from if rewards_from in tree.items else None,
        trajectory=trajectory if trajectory in tree.items else None,
        artifacts=artifacts if inside else None,
        evidence=TaskEvidence(
            test_stdout=tree.evidence(stdout),
            reward_file=tree.evidence(rewards_from) if rewards_from else None,
            trajectory=tree.evidence(trajectory),
            artifacts=tree_of(inside, algorithm or "xxh3") if inside else None,
            other=tree_of(other, algorithm or "xxh3") if other else None,
            files={name: evidence for name, evidence in second.items() if evidence is not None} or None,
        ),
    )
    apart = (verifier + "/", artifacts + "/")
    rest = (path for path in sorted(tree.items) if not path.startswith(apart))
    return files, {shown(path): evidence for path in rest if (evidence := tree.evidence(path)) is not None}
