"""The "did you mean" at the end of a message about a word that is not known."""

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'levels'?` when a known word is close, else an empty text."""
    import difflib  # noqa: PLC0415  # a sound input has no use for it

    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
