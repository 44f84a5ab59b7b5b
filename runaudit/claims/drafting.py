"""Drafts a claims file: what was found in a folder, joined with the card's sentences that seem to speak of it.

The draft loads. What the author has to fill in is the blank `"?"`, at most `MOST_BLANKS` of them, each beside the
sentence that it stands for. Nothing is filled in from the files: a claim says what the card says.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from runaudit.claims.card import Sentence, bare, sentences, states_something
from runaudit.claims.quantity import BLANK

MOST_BLANKS = 15
_MOST_FOR_ONE_SENTENCE = 3
_WORD = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHA256 = re.compile(r"\b[0-9a-fA-F]{64}\b")
_RANK = re.compile(r"\brank\b|\br ?= ?\d", re.IGNORECASE)
_SLUG = re.compile(r"[^a-z0-9]+")

# what names of fields add and sentences leave out
_FILLERS = {"total", "number", "num", "count", "with"}


class Found(msgspec.Struct, frozen=True):
    """What lies in a folder. `fields` are the single values in JSON documents, by document."""

    card: str | None = None
    text: str = ""
    lists: tuple[str, ...] = ()
    fields: Mapping[str, tuple[str, ...]] = {}
    tables: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Draft(msgspec.Struct, frozen=True):
    """The text of a claims file, how many claims it makes, and how many blanks it has."""

    text: str
    claims: int
    blanks: int


class _Drafted(msgspec.Struct, frozen=True):
    """A claim of the draft: the stem of its id, its sentence, and its own lines."""

    stem: str
    sentence: str
    lines: tuple[str, ...]
    blank: bool


def draft(found: Found) -> Draft:
    """The draft for a folder."""
    whole = [_list_claim(path, found) for path in found.lists]
    blank: dict[tuple[str, ...], _Drafted] = {}
    for sentence in sentences(found.text):
        if states_something(sentence.text):
            # each thing is asked for once, beside the first sentence that seems to speak of it
            new = [one for one in _for_sentence(sentence, found) if one.lines not in blank]
            blank |= {one.lines: one for one in new[:_MOST_FOR_ONE_SENTENCE]}
    drafted = [*whole, *list(blank.values())[:MOST_BLANKS]]
    lines = ["version = 1"]
    lines += [f"card = {quoted(found.card)}"] if found.card else []
    taken: set[str] = set()
    for one in drafted:
        name = _free(one.stem, taken)
        taken.add(name)
        lines += ["", "[[claims]]", f"id = {quoted(name)}", f"sentence = {quoted(one.sentence)}", *one.lines]
    return Draft(text="\n".join(lines) + "\n", claims=len(drafted), blanks=sum(one.blank for one in drafted))


def _list_claim(path: str, found: Found) -> _Drafted:
    name = path.rsplit("/", 1)[-1]
    spoken = next((one.text for one in sentences(found.text) if name in one.text), None)
    sentence = spoken or f"Every file is as {path} lists it."
    return _Drafted(f"listed-in-{name}", sentence, ('kind = "pairs"', f"json = {quoted(path)}"), blank=False)


def _for_sentence(sentence: Sentence, found: Found) -> Iterator[_Drafted]:
    for path in _named(sentence.text, found.files) if _SHA256.search(sentence.text) else ():
        lines = ('kind = "digest"', f"path = {quoted(path)}", f"stated = [{quoted(BLANK)}]")
        yield _Drafted(f"digest-of-{_name(path)}", sentence.text, lines, blank=True)
    for path in _named(sentence.text, found.tables):
        yield _equal(f"rows-of-{_name(path)}", sentence, f"{{ rows = {quoted(path)} }}")
    for path in found.adapters if _RANK.search(sentence.text) else ():
        yield _equal("rank", sentence, f"{{ rank = {quoted(path)} }}")
    yield from _for_fields(sentence, found)


def _for_fields(sentence: Sentence, found: Found) -> Iterator[_Drafted]:
    """A claim for each field whose name is made of words of the sentence."""
    words = set(map(_singular, _WORD.findall(sentence.text.lower())))
    for path, fields in found.fields.items():
        for at in fields:
            if (key := _key_words(at)) and key <= words and _is_meant(at, sentence.text):
                yield _equal(at, sentence, f"{{ json = {quoted(path)}, at = {quoted(at)} }}")


def _equal(stem: str, sentence: Sentence, quantity: str) -> _Drafted:
    lines = ('kind = "equal"', f"values = [{quoted(BLANK)}, {quantity}]")
    return _Drafted(stem, sentence.text, lines, blank=True)


def _key_words(at: str) -> set[str]:
    """The words of a field's own name; none for a name of one or two letters, which says too little."""
    key = _CAMEL.sub("_", at.rsplit("/", 1)[-1])
    words = {_singular(word) for word in _WORD.findall(key.lower()) if len(word) > 2}  # noqa: PLR2004  # see above
    return words - _FILLERS or words


def _is_meant(at: str, sentence: str) -> bool:
    """Whether a name with a number of its own, such as `step_00004`, stands in the sentence; true of other names."""
    name = at.rsplit("/", 1)[-1]
    return name in sentence or not any(c.isdigit() for c in name.lower().replace("sha256", ""))


def _singular(word: str) -> str:
    return word.removesuffix("s")


def _named(sentence: str, paths: Sequence[str]) -> list[str]:
    """The paths that a sentence names; only those whose folder it names too, where there are such."""
    named = [path for path in paths if _names(sentence, path)]
    return [path for path in named if "/" in path and path.rpartition("/")[0] in sentence] or named


def _names(sentence: str, path: str) -> bool:
    """Whether a sentence names a file: its name, or its name without the ending."""
    name = _name(path)
    return name in sentence or bare(name.split(".")[0]) in map(bare, re.findall(r"[\w-]+", sentence))


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _free(stem: str, taken: set[str]) -> str:
    base = _SLUG.sub("-", stem.lower()).strip("-")[:60] or "claim"
    number, name = 1, base
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


def quoted(text: str) -> str:
    """The text as a TOML string on one line."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(escapes.get(c, c if c.isprintable() else f"\\U{ord(c):08x}") for c in text) + '"'


def printable_paths(paths: Sequence[str]) -> tuple[str, ...]:
    """The paths that a TOML document can hold: it has no way to write bytes that are not UTF-8."""
    return tuple(path for path in paths if not any("\ud800" <= c <= "\udfff" for c in path))
