"""What one rule said, and the verdict that follows from several."""

from collections.abc import Iterable, Sequence

import msgspec

from runaudit.model.report import Verdict, Word

_GRAVEST: tuple[Word, ...] = ("fail", "inconclusive", "pass")


class Ruling(msgspec.Struct, frozen=True):
    """A rule by its name in the policy, what it came to, and why."""

    rule: str
    word: Word
    detail: str


def verdict_of(rulings: Sequence[Ruling], prefix: str = "") -> Verdict:
    """The gravest word, with the reasons of the rules that came to it; nothing judged is inconclusive."""
    word = worst(r.word for r in rulings)
    return Verdict(word, tuple(f"{prefix}{r.detail} ({r.rule})" for r in rulings if r.word == word))


def worst(words: Iterable[Word]) -> Word:
    """Fail before inconclusive before pass; inconclusive for none at all."""
    return min(words, key=_GRAVEST.index, default="inconclusive")
