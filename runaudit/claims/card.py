"""The sentences of a card that state a number or a digest, and which of them a claims file stands for.

Markdown is read for its lines only: table rows, list items, and sentences of paragraphs; code blocks, front matter and
headings state nothing here. Two texts are one when they agree without markup and case.
A sentence is stood for when each of its numbers lies in the text of a claim.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"\s*([-*+•]|\d{1,3}[.)])\s+")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9`*(])")
_ITEMS = re.compile(r"^[^\S\n]*[-*+•]\s+", re.MULTILINE)
_MARKUP = re.compile(r"[*`]")
_RULE = re.compile(r"[\s|:\-]*\Z")
_CODE = re.compile(r"`[^`]*`")
# no pattern here looks far ahead of places that it then leaves: a line of a card may be as long as the card
_LINK = re.compile(r"\]\([^)\s]{0,2000}\)|https?://\S+")
_NAME = re.compile(r"[A-Za-z_][\w./-]*")
_DIGIT = re.compile(r"\d")
_HEX = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b")


class Sentence(msgspec.Struct, frozen=True):
    """A sentence as the card has it, and the line on which it begins."""

    text: str
    line: int


def sentences(card: str) -> tuple[Sentence, ...]:
    """Every sentence, list item and table row, in order."""
    return tuple(_split(card))


def _split(card: str) -> Iterator[Sentence]:
    held: list[str] = []
    began = 0
    for number, line in _prose(card):
        item = _ITEM.match(line)
        apart = not line.strip() or item or line.lstrip().startswith(("|", "#"))
        if apart and held:
            yield from _ended(held, began)
            held = []
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.lstrip().startswith("|"):
            if not _RULE.match(line):
                yield Sentence(line.strip(), number)
            continue
        began = began if held else number
        held.append(line[item.end() :] if item else line)
    if held:
        yield from _ended(held, began)


def _prose(card: str) -> Iterator[tuple[int, str]]:
    """The lines outside code blocks and front matter; those inside come as empty lines."""
    fenced = False
    front = card.startswith("---\n")
    for number, line in enumerate(card.splitlines(), 1):
        if front:
            front = number == 1 or line.strip() != "---"
            yield number, ""
        elif _FENCE.match(line):
            fenced = not fenced
            yield number, ""
        else:
            yield number, "" if fenced else line


def _ended(held: Sequence[str], began: int) -> Iterator[Sentence]:
    for text in _END.split(" ".join(line.strip() for line in held)):
        if text:
            yield Sentence(text, began)


def states_something(sentence: str) -> bool:
    """Whether a sentence states a number or a digest, outside names such as `step_60` and links."""
    if _HEX.search(sentence):
        return True
    bare = _LINK.sub(" ", _NAME.sub(_without_digits, _CODE.sub(" ", sentence)))
    return _DIGIT.search(bare) is not None


def _without_digits(name: re.Match[str]) -> str:
    """A word as it stands, and a blank for a name with a digit behind its first letter."""
    return " " if _DIGIT.search(name[0]) else name[0]


def bare(text: str) -> str:
    """The text without markup and case, its white space as single blanks."""
    return " ".join(_MARKUP.sub("", text).replace("|", " ").split()).casefold()


def uncovered(card: str, covered: Sequence[str]) -> tuple[Sentence, ...]:
    """The sentences of which some number or digest stands in no covered text."""
    known = sorted((text for text in map(bare, covered) if text), key=len, reverse=True)
    return tuple(
        sentence
        for sentence in sentences(card)
        if states_something(sentence.text) and states_something(_left(bare(sentence.text), known))
    )


def _left(sentence: str, known: Sequence[str]) -> str:
    """What remains of a sentence without the texts that claims stand for."""
    if any(sentence in text for text in known):
        return ""
    for text in known:
        sentence = sentence.replace(text, " ; ")
    return sentence


def stands_in(card: str, sentence: str) -> bool:
    """Whether the card has the sentence."""
    return bare(sentence) in bare(_ITEMS.sub("", card))
