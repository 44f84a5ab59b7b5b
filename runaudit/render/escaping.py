"""Makes text from data harmless: on a terminal, in a log that a CI runner reads for commands, in JSON.

What is escaped stays readable (`\\x1b`, `\\u202e`, `\\udcff`), and nothing is dropped.
"""

import re

_RUNNER_COMMAND = re.compile(r"\A(\s*):(?=:)")
_UNPRINTABLE_KEPT_BY_JSON = re.compile(r"[^\n\x20-\x7e]")


def printable(text: str) -> str:
    """The text on one line, without control, format and bidirectional characters and lone surrogates."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def inert(line: str) -> str:
    """A printable line that a workflow runner does not take for a command.

    GitHub's runner obeys lines that start with `::`, after white space, and `##[` anywhere in a line.
    """
    safe = printable(line)
    if ":" in safe:
        safe = _RUNNER_COMMAND.sub(r"\1\\x3a", safe)
    return safe.replace("##[", "\\x23#[")


def inert_json(document: str) -> str:
    """An encoded JSON document that means the same, and holds neither control characters nor runner commands."""
    if not document.replace("\n", "").isprintable():
        document = _UNPRINTABLE_KEPT_BY_JSON.sub(lambda found: _json_escape(found.group()), document)
    return document.replace("##[", "\\u0023#[")


def _json_escape(character: str) -> str:
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
