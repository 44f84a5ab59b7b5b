"""Writes a rendered report to a file, whole or not at all."""

from runaudit.write.atomic import replace


def write_report(path: str, text: str) -> None:
    """Replaces the file at `path` with the text in UTF-8. Raises OutputError when that is not possible."""
    replace(path, [text.encode()])
