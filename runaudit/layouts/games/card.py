"""Reads what an export's card (README.md) says in numbers, in the wording of the source. Pure.

Only sentences of these forms are understood; the report lists how many were found, so that nobody takes a card that
says nothing for one that was checked.
"""

import re

import msgspec

from runaudit.layouts.games.names import CARD


class Said(msgspec.Struct, frozen=True):
    """One number (or pair of names) of the card: what it is about, where it stands, what it says."""

    about: str
    line: int
    number: int
    name: str | None = None


# from the beginning of a number, and never far: a line of a card may be as long as the card
_NUMBER = r"(?P<number>(?<![\d,])\d[\d,]{0,40})"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("generation", re.compile(r"(?P<name>gen_\d+_step_\d+)/.{0,400}?" + _NUMBER + r" games\b")),
    ("partial", re.compile(r"(?<!\w)(?P<name>step_\d{3,})/")),
    ("total", re.compile(r"total_games\b[^.\n]{0,400}?\(" + _NUMBER + r"\)")),
    ("total", re.compile(r"\ball " + _NUMBER + r" games\b")),
    ("memory", re.compile(r"env_memory\.json.{0,400}?\(" + _NUMBER + r" entries\)")),
    ("memory", re.compile(r"accumulated by the proposer[^\n]{0,400}\(" + _NUMBER + r" entries\)")),
    ("log-entries", re.compile(_NUMBER + r" such log entries\b")),
    ("log-entries-of-a-job", re.compile(_NUMBER + r" from the (?P<name>\w+) (?:job|one)\b")),
    ("join-rate", re.compile(_NUMBER + r" ?% join rate")),
    ("skills", re.compile(_NUMBER + r" cognitive skills\b")),
    ("full-generations", re.compile(r"\bthe " + _NUMBER + r" full-generation snapshots\b")),
    ("live", re.compile(r"byte-identical to (?P<name>gen_\d+_step_\d+) for all " + _NUMBER)),
)
_ABOUT = {
    "generation": "games of {name}",
    "partial": "folder of {name}",
    "live": "files identical to {name}",
    "log-entries-of-a-job": "log entries of the {name} job",
}


def said_by(text: str) -> tuple[Said, ...]:
    """The numbers that a card states."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        clean = line.replace("`", "").replace("*", "")
        for about, form in _FORMS:
            found += [_said(about, number, match) for match in form.finditer(clean)]
    return tuple(dict.fromkeys(found))


def _said(about: str, line: int, match: re.Match[str]) -> Said:
    name = match["name"] if "name" in match.re.groupindex else None
    number = match["number"] if "number" in match.re.groupindex else "1"
    return Said(about=about, line=line, number=int(number.replace(",", "")[:12]), name=name)


def described(said: Said) -> str:
    """What a statement is about, in words."""
    what = _ABOUT.get(said.about, said.about.replace("-", " "))
    return f"{CARD}: {what.format(name=said.name)}"
