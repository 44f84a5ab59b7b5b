"""Judges `equal` and `digest`: values against one another, and a digest against content."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from runaudit.claims.answer import Answer, Unknown, cannot_tell
from runaudit.claims.evidence import Evidence
from runaudit.claims.measuring import measure
from runaudit.claims.numbers import Match, Value, consistent, match
from runaudit.claims.statement import Digest, Equal

_NOTES: dict[Match, str] = {
    "rounded": "{found} ({source}) agrees with {stated} as rounded",
    "about": "{found} ({source}) agrees with {stated} within {about}",
    "other-type": "{found} ({source}) is {stated} as another type: a text and a number",
}


def equal(statement: Equal, evidence: Evidence) -> Answer:
    """Whether every value is the first one."""
    about = Fraction(statement.about) if statement.about is not None else None
    first, *others = (measure(value, evidence) for value in statement.values)
    return agreement(first, others, about)


def agreement(first: Value | Unknown, others: Sequence[Value | Unknown], about: Fraction | None = None) -> Answer:
    """The answer on values that should be one, `first` being what is stated."""
    if isinstance(first, Unknown):
        return _without_first(first, others)
    known = [one for one in others if isinstance(one, Value)]
    unknown = [one for one in others if isinstance(one, Unknown)]
    matches = [match(first, one, about) for one in known]
    compared = f"{first.source} against {', '.join(one.source for one in known) or 'nothing that could be read'}"
    expected, found = _side(first), "; ".join(_side(one) for one in known)
    wrong = [one for one, how in zip(known, matches, strict=True) if how == "different"]
    why = [f"{one.source}: {one.text}, not {first.text}" for one in wrong]
    if not wrong and about is None:
        # two values can each round to the stated one and still not be one value
        wrong = [one for one in known[1:] if not consistent(known[0], one)]
        why = [f"{one.source}: {one.text}, and {known[0].source}: {known[0].text}" for one in wrong]
    if wrong:
        return Answer(
            word="fails",
            compared=compared,
            expected=expected,
            found=found,
            why="; ".join(why),
            path=next((one.path for one in wrong if one.path), None),
            outside=tuple(one.outside for one in unknown if one.outside),
        )
    unknown += [_shortened(first, one) for one, how in zip(known, matches, strict=True) if how == "shortened"]
    if unknown:
        return cannot_tell(compared, *unknown, expected=expected, found=found)
    notes = tuple(
        _NOTES[how].format(found=one.text, source=one.source, stated=first.text, about=float(about or 0))
        for one, how in zip(known, matches, strict=True)
        if how in _NOTES
    )
    return Answer(word="holds", compared=compared, expected=expected, found=found, notes=notes)


def _without_first(first: Unknown, others: Sequence[Value | Unknown]) -> Answer:
    known = [one for one in others if isinstance(one, Value)]
    unknown = [one for one in others if isinstance(one, Unknown)]
    found = "; ".join(_side(one) for one in known)
    return cannot_tell(f"nothing against {', '.join(one.source for one in known)}", first, *unknown, found=found)


def _side(value: Value) -> str:
    return f"{value.text} ({value.source})"


def _shortened(first: Value, found: Value) -> Unknown:
    return Unknown(
        f"{first.text} and {found.text} agree as far as the shorter goes, which could be another one's start"
    )


def digest(statement: Digest, evidence: Evidence) -> Answer:
    """Whether content has a stated digest."""
    stated = [measure(one, evidence) for one in statement.stated]
    if statement.scheme == "unstated":
        return _unstated(statement.path, stated, evidence)
    content = _content(statement, evidence)
    if isinstance(content, Unknown):
        return cannot_tell(f"{statement.path} against the stated digest", content)
    known = [one for one in stated if isinstance(one, Value)]
    unknown = [one for one in stated if isinstance(one, Unknown)]
    # the content is what is certain here: each place that states a digest is held against it
    answer = agreement(content, [*known, *unknown])
    wrong = [f"{one.source}: {one.text}" for one in known if match(content, one) == "different"]
    return msgspec.structs.replace(
        answer,
        compared=f"{', '.join(one.source for one in known) or 'nothing'} against {content.source}",
        expected="; ".join(_side(one) for one in known),
        found=_side(content),
        why=f"{statement.path} has another digest than {'; '.join(wrong)}" if wrong else answer.why,
        path=statement.path,
    )


def _content(statement: Digest, evidence: Evidence) -> Value | Unknown:
    if statement.scheme == "tree":
        schemes = evidence.schemes(statement.path)
        found = (
            schemes if isinstance(schemes, Unknown) else schemes.get("tree", Unknown(f"{statement.path} is no folder"))
        )
        what = "tree digest"
    else:
        found, what = evidence.sha256(statement.path), "SHA-256"
    return found if isinstance(found, Unknown) else Value(found, f"{what} of {statement.path}", path=statement.path)


def _unstated(path: str, stated: Sequence[Value | Unknown], evidence: Evidence) -> Answer:
    compared = f"{path}, by every scheme in use, against the stated digest"
    schemes = evidence.schemes(path)
    unknown = [one for one in (*stated, schemes) if isinstance(one, Unknown)]
    if unknown or isinstance(schemes, Unknown):
        return cannot_tell(compared, *unknown)
    known = [one for one in stated if isinstance(one, Value)]
    expected = "; ".join(_side(one) for one in known)
    for name, value in schemes.items():
        if all(match(Value(value, name), one) == "equal" for one in known):
            return Answer(
                word="holds", compared=compared, expected=expected, found=value, notes=(f"the scheme is: {name}",)
            )
    tried = f"the scheme of the digest is not stated; none of these gives it: {', '.join(schemes)}"
    return cannot_tell(compared, Unknown(tried), expected=expected)
