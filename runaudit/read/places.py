"""Looks at paths without ever following a link out of the roots, and without opening anything but plain files.

`Places.look` resolves a path component by component. Inside the roots, a link may lead anywhere that is inside a root;
one that leads out is reported and neither followed nor opened. Paths that were never inside a root are looked at only
where the caller describes its own run (`beyond`). Folders are resolved once and remembered: a hundred thousand paths
cost one `lstat` each.
"""

import errno
import os
import stat
from collections.abc import Iterable
from typing import Literal

import msgspec

from runaudit.model.trouble import Trouble

Kind = Literal["file", "folder", "absent", "dangling-link", "link-loop", "outside-root", "wrong-kind", "no-permission"]
_MOST_LINKS = 40
# the longest path that a common system takes; one that a document states may be of any length
LONGEST_PATH = 4096
_ONLY_PLAIN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Sight(msgspec.Struct, frozen=True):
    """What lies at a path. `real` is the resolved path, safe to open; set for files and folders only."""

    kind: Kind
    path: str
    real: str = ""
    size: int = 0
    mtime_ns: int = 0
    target: str | None = None

    @property
    def present(self) -> bool:
        """Whether something lies at the path, readable or not."""
        return self.kind not in ("absent", "dangling-link", "link-loop")

    def trouble(self, wanted: Literal["file", "folder"]) -> Trouble | None:
        """Why the path is not the file or folder that it should be; None when it is, or when nothing is there."""
        match self.kind:
            case "absent":
                return None
            case "file" | "folder":
                if self.kind == wanted:
                    return None
                return Trouble(id="wrong-kind", message=f"wrong-kind: a {self.kind} lies where a {wanted} belongs")
            case "wrong-kind":
                return Trouble(id="wrong-kind", message=f"wrong-kind: neither file nor folder where a {wanted} belongs")
            case "no-permission":
                return Trouble(id="no-permission", message="no-permission: it is there and may not be read")
            case "dangling-link":
                return Trouble(id="dangling-link", message=f"a link to {self.target}, which does not exist")
            case "link-loop":
                return Trouble(id="link-loop", message=f"links that lead to themselves ({self.target})")
            case "outside-root":
                return Trouble(id="outside-root", message="leads out of the folder and was not opened")


class Places:
    """Looks at paths below some roots. Remembers resolved folders, so it must not outlive one command."""

    def __init__(self, roots: Iterable[str], *, beyond: bool = False) -> None:
        named = [os.path.abspath(root) for root in roots]
        self._roots = tuple(dict.fromkeys(os.path.realpath(root) for root in named))
        self._named = tuple(dict.fromkeys([*self._roots, *named]))
        self._beyond = beyond
        self._folders: dict[str, str | Sight] = {}

    @property
    def roots(self) -> tuple[str, ...]:
        """The roots, resolved."""
        return self._roots

    def inside(self, path: str) -> bool:
        """Whether a resolved path lies inside a root, or is one."""
        return any(_below(path, root) for root in self._roots)

    def reachable(self, path: str) -> bool:
        """Whether the path may be looked at at all: written as one below a root, or anything for one's own run."""
        return self._beyond or self._guarded(os.path.normpath(os.path.join(self._roots[0], path))) is not None

    def look(self, path: str) -> Sight:
        """What lies at `path` (absolute, or relative to the first root)."""
        if not _can_be_a_path(path):
            return Sight(kind="absent", path=path)
        asked = self._climbed(path)
        guarded = self._guarded(asked)
        if guarded is None and not self._beyond:
            return Sight(kind="outside-root", path=path)
        return self._look(guarded or asked, path, guard=guarded is not None, links=0)

    def _climbed(self, path: str) -> str:
        """The path from the first root on. That root is resolved, so leading `..` can be taken literally."""
        base, rest = self._roots[0], path
        while rest == ".." or rest.startswith("../"):
            base, rest = os.path.dirname(base), rest[3:].lstrip("/")
        return os.path.join(base, rest)

    def _guarded(self, asked: str) -> str | None:
        """The path below a resolved root, when it is written as one below a root."""
        for name in self._named:
            if _below(asked, name):
                return os.path.realpath(name) + asked[len(name.rstrip("/")) :] if name not in self._roots else asked
        return None

    def _look(self, asked: str, told: str, *, guard: bool, links: int) -> Sight:
        if asked.rstrip("/") in self._roots:
            return self._stat(asked.rstrip("/"), told, guard=guard, links=links)
        asked = asked.rstrip("/") or "/"
        cut = asked.rfind("/")
        parent, name = asked[:cut].rstrip("/") or "/", asked[cut + 1 :]
        if not name or name in (".", ".."):
            folder = self._folder(asked, told, guard=guard, links=links)
            return folder if isinstance(folder, Sight) else self._stat(folder, told, guard=guard, links=links)
        folder = self._folder(parent, told, guard=guard, links=links)
        if isinstance(folder, Sight):
            return folder
        return self._stat(f"{folder.rstrip('/')}/{name}", told, guard=guard, links=links)

    def _stat(self, path: str, told: str, *, guard: bool, links: int) -> Sight:
        """What lies at a path whose folder is resolved; follows it when it is a link."""
        try:
            status = os.lstat(path)
        except OSError as error:
            return _refused(told, error)
        except ValueError:
            # text that is no file name on any system: lone surrogates of a document
            return Sight(kind="absent", path=told)
        if stat.S_ISLNK(status.st_mode):
            return self._follow(path, told, guard=guard, links=links)
        if guard and not self.inside(path):
            return Sight(kind="outside-root", path=told)
        kind: Kind = "wrong-kind"
        if stat.S_ISREG(status.st_mode):
            kind = "file"
        elif stat.S_ISDIR(status.st_mode):
            kind = "folder"
        return Sight(kind=kind, path=told, real=path, size=status.st_size, mtime_ns=status.st_mtime_ns)

    def _follow(self, link: str, told: str, *, guard: bool, links: int) -> Sight:
        try:
            target = os.readlink(link)
        except OSError as error:
            return _refused(told, error)
        if links >= _MOST_LINKS:
            return Sight(kind="link-loop", path=told, target=target)
        aim = _climbed(os.path.dirname(link), target)
        if guard:
            held = self._guarded(aim)
            if held is None:
                return Sight(kind="outside-root", path=told, target=target)
            aim = held
        seen = self._look(aim, told, guard=guard, links=links + 1)
        if seen.kind == "absent":
            return Sight(kind="dangling-link", path=told, target=target)
        return seen

    def _folder(self, asked: str, told: str, *, guard: bool, links: int) -> str | Sight:
        """The resolved path of a folder, or what is wrong with it.

        From the nearest known folder above it, step by step: a path may have thousands of steps.
        """
        way: list[str] = []
        at = asked
        while (known := self._folders.get(at)) is None:
            above = os.path.dirname(at.rstrip("/") or "/")
            if at in self._roots or at == above:
                known = at
                break
            way.append(at)
            at = above
        for step in reversed(way):
            known = self._step(known, step, told, guard=guard, links=links)
            # A verdict on a chain of links depends on how many were followed before: only whole walks are kept.
            if links == 0:
                self._folders[step] = known
        return msgspec.structs.replace(known, path=told) if isinstance(known, Sight) else known

    def _step(self, folder: str | Sight, asked: str, told: str, *, guard: bool, links: int) -> str | Sight:
        """From a folder to the one at `asked`, which is named in it."""
        name = os.path.basename(asked.rstrip("/"))
        if isinstance(folder, Sight) or name in ("", "."):
            return folder
        if name == "..":
            above = os.path.dirname(folder)
            return Sight(kind="outside-root", path=told) if guard and not self.inside(above) else above
        seen = self._stat(os.path.join(folder, name), told, guard=guard, links=links)
        if seen.kind == "folder":
            return seen.real
        return seen if seen.kind not in ("file", "wrong-kind") else Sight(kind="absent", path=told)


def _can_be_a_path(text: str) -> bool:
    """Whether the system could open a file of that name: no NUL, nothing that cannot become bytes, not too long."""
    if len(text) >= LONGEST_PATH:
        return False
    if text.isascii():
        return "\0" not in text
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _climbed(folder: str, target: str) -> str:
    """A link's target from its resolved folder, without the `..` at its start.

    Above a resolved folder there is no link, so these steps can be taken in one: on the way from one root to another
    lie folders that are in neither.
    """
    while target == ".." or target.startswith("../"):
        folder, target = os.path.dirname(folder), target[3:].lstrip("/")
    return os.path.join(folder, target)


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(root if root.endswith("/") else root + "/")


def _refused(path: str, error: OSError) -> Sight:
    if error.errno in (errno.EACCES, errno.EPERM):
        return Sight(kind="no-permission", path=path)
    if error.errno == errno.ELOOP:
        return Sight(kind="link-loop", path=path)
    # not there, a file in the middle of the path, a name too long or with characters that the system refuses
    return Sight(kind="absent", path=path)


def open_plain(real: str) -> int:
    """A descriptor of a plain file at a resolved path. A link, pipe or device in its place is refused, not opened.

    Raises OSError.
    """
    return open_with_status(real)[0]


def open_with_status(real: str) -> tuple[int, os.stat_result]:
    """As `open_plain`, with the status of the open file. Raises OSError."""
    descriptor = os.open(real, _ONLY_PLAIN)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no plain file", real)
    return descriptor, status
