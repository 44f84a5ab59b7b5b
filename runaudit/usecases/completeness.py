"""What lies in an audited folder and in no list: found by one walk, no link followed, whole folders named as one."""

from collections.abc import Iterable, Iterator

from runaudit.model.finding import Finding
from runaudit.model.relative import is_odd, shown
from runaudit.model.trouble import Trouble
from runaudit.read.listing import Listing, Listings
from runaudit.read.places import LONGEST_PATH
from runaudit.usecases.runs import is_summary_name
from runaudit.write.atomic import is_leftover

_OURS = ("_output_signatures.json",)


def disk_findings(
    folder: str, listed: Iterable[str], claimed: Iterable[str], *, strict: bool, listings: Listings | None = None
) -> list[Finding]:
    """Files that no list names, leftovers of stopped writers, and names that break elsewhere.

    `listed` are files, `claimed` folders whose whole content belongs to a task; both relative to `folder`.
    """
    return _Walk(listed, claimed).findings(folder, listings or Listings(), strict=strict)


class _Walk:
    def __init__(self, listed: Iterable[str], claimed: Iterable[str]) -> None:
        # a longer one, of a document that somebody made up, names nothing on any disk
        self._known = {path for path in listed if len(path) < LONGEST_PATH}
        self._owned = {path for path in claimed if len(path) < LONGEST_PATH}
        self._above: set[str] = set()
        for path in (*self._known, *self._owned):
            self._add_above(path)
        self._unlisted: dict[str, int] = {}
        self._found: list[Finding] = []

    def _add_above(self, path: str) -> None:
        """Notes every folder on the way to a path; a folder that is known has its way noted as well."""
        while (cut := path.rfind("/")) > 0 and (path := path[:cut]) not in self._above:
            self._above.add(path)

    def findings(self, folder: str, listings: Listings, *, strict: bool) -> list[Finding]:
        inside: set[str] = set()
        for path, listing in listings.below(folder):
            if isinstance(listing, Trouble):
                self._found.append(listing.at(shown(path) or "."))
                continue
            prefix = f"{path}/" if path else ""
            self._found += _portability(prefix, list(listing))
            if path in inside or shown(path) in self._owned:
                # all below belongs to a task
                inside.discard(path)
                inside.update(prefix + name for name, kind in listing.items() if kind == "folder")
            else:
                self._look_through(prefix, listing)
        told = sorted(self._unlisted.items())
        return self._found + [_unlisted(path, count, strict=strict) for path, count in told]

    def _look_through(self, prefix: str, listing: Listing) -> None:
        for name, kind in listing.items():
            path = prefix + name
            if kind == "folder" or shown(path) in self._known or is_summary_name(name) or name.endswith(_OURS):
                continue
            if is_leftover(name):
                message = "a stopped writer left it; it is not read"
                self._found.append(Finding(id="leftover-file", message=message, path=shown(path)))
                continue
            where = self._highest_unknown(path)
            self._unlisted[where] = self._unlisted.get(where, 0) + 1

    def _highest_unknown(self, path: str) -> str:
        """The file itself, or the highest folder on its way in which nothing is listed, with a closing slash."""
        for parent in _parents(path):
            if parent not in self._above:
                return f"{shown(parent)}/"
        return shown(path)


def _parents(path: str) -> Iterator[str]:
    cut = path.find("/")
    while cut >= 0:
        yield path[:cut]
        cut = path.find("/", cut + 1)


def _unlisted(path: str, count: int, *, strict: bool) -> Finding:
    message = f"{count} files in a folder that no list names" if path.endswith("/") else "no list names it"
    return Finding(id="unlisted-file", message=message, path=path, level="error" if strict else None)


def _portability(prefix: str, names: list[str]) -> list[Finding]:
    """Names of one folder that another system cannot have, or cannot have side by side."""
    if "".join(names).isascii() and len(set(map(str.casefold, names))) == len(names):
        return []
    found = []
    known: dict[str, str] = {}
    for name in names:
        path = shown(prefix + name)
        if is_odd(name):
            found.append(Finding(id="portability", message="the name is no UTF-8", path=path))
        elif (other := known.setdefault(name.casefold(), name)) != name:
            message = f"differs from {shown(prefix + other)} by case only"
            found.append(Finding(id="portability", message=message, path=path))
    return found
