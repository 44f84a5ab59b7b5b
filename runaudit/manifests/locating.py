"""Finds, for each entry of a manifest, the name on disk that it means.

The exact name goes first, then the format's other spellings, then a backslash read as a slash, then the one file whose
name has the same NFC form. A file that another entry names exactly is nobody's second choice. What is not among the
plain files that were seen while walking the folder has to be looked at (`Unseen`); a name that leads out never is.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec

from runaudit.manifests.entry import Entry
from runaudit.manifests.names import canonical, collapsed, folded, leads_out, leads_out_elsewhere


class Found(msgspec.Struct, frozen=True, gc=False):
    """A plain file of this name was seen in the folder. `how` says by which reading, unless the name is exact."""

    name: str
    how: str | None = None


class Unsafe(msgspec.Struct, frozen=True):
    """The name leads out of the folder; nothing was opened."""

    reason: str


class Unseen(msgspec.Struct, frozen=True):
    """No plain file of that name was seen. `like` is one whose name differs by case only."""

    name: str
    like: str | None = None


Location = Found | Unsafe | Unseen


def locate(entries: Sequence[Entry], names: Sequence[str], files: Collection[str]) -> list[Location]:
    """The location of each entry; `names` are their paths, collapsed, and `files` the plain files below the root."""
    exact = {name for name in names if name in files}
    if len(exact) == len(names):
        return [Found(name) for name in names]
    asked = Counter(_form(name) for name in names if name not in exact)
    choices = _choices([name for name in files if name not in exact], asked)
    return [
        Found(name) if name in exact else _stray(name, entry, choices)
        for name, entry in zip(names, entries, strict=True)
    ]


class _Choices(msgspec.Struct, frozen=True):
    """The files that no entry names exactly, by their possible spellings; `asked` counts entries by form."""

    free: frozenset[str]
    forms: dict[str, str]
    cases: dict[str, str]
    asked: Counter[str]


def _choices(free: list[str], asked: Counter[str]) -> _Choices:
    return _Choices(free=frozenset(free), forms=_unique(free, canonical), cases=_unique(free, folded), asked=asked)


def _stray(name: str, entry: Entry, choices: _Choices) -> Location:
    if reason := leads_out(name):
        return Unsafe(reason)
    for spelling in entry.spellings:
        if not leads_out(spelling) and collapsed(spelling) in choices.free:
            return Found(collapsed(spelling), "the name as it stands, without undoing %-escapes")
    if reason := leads_out_elsewhere(entry.path):
        return Unsafe(reason)
    slashed, form = _slashed(name), _form(name)
    if choices.asked[form] == 1:
        if slashed in choices.free:
            return Found(slashed, "the backslashes read as slashes")
        if form in choices.forms:
            return Found(choices.forms[form], "the same letters in another Unicode form (NFC, NFD)")
    return Unseen(name, choices.cases.get(folded(slashed)))


def _form(name: str) -> str:
    return canonical(_slashed(name))


def _slashed(name: str) -> str:
    return collapsed(name.replace("\\", "/")) if "\\" in name else name


def _unique(names: Iterable[str], form: Callable[[str], str]) -> dict[str, str]:
    """Form to name, for forms that exactly one of the names has."""
    seen: dict[str, list[str]] = {}
    for name in names:
        seen.setdefault(form(name), []).append(name)
    return {key: members[0] for key, members in seen.items() if len(members) == 1}
