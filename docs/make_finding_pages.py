"""Writes one page for each finding, and their list, into docs/findings: `python docs/make_finding_pages.py`.

A contract test holds that the pages are what this module makes of the registry.
"""

from collections.abc import Iterator
from pathlib import Path

from runaudit.model.finding import Definition
from runaudit.usecases.explain import groups, level_text

FOLDER = Path(__file__).parent / "findings"
_MADE = "<!-- made by docs/make_finding_pages.py from the registry; change the definition there -->"


def pages() -> Iterator[tuple[str, str]]:
    """Every page as its file name and its text."""
    yield "README.md", _index()
    for group in groups():
        for member in group.members:
            yield f"{member.id}.md", _page(member, group.title)


def _page(found: Definition, group: str) -> str:
    lines = [
        _MADE,
        "",
        f"# {found.id}",
        "",
        f"**{found.title}** · {level_text(found)} · [{group}](README.md)",
        "",
        found.meaning,
        "",
        f"**What to do.** {found.remedy}",
    ]
    return "\n".join(lines) + "\n"


def _index() -> str:
    lines = [
        _MADE,
        "",
        "# Findings",
        "",
        "`runaudit explain ID` prints the same in the terminal. An **error**: two pieces of evidence contradict each",
        "other, or bytes that carry results are lost, so a number may be wrong. A **warning**: evidence is incomplete,",
        "or a conclusion rests on weak evidence. A **note** is worth knowing and changes nothing. Some findings stop",
        "the command (exit code 3). Levels can be [configured](../configuration.md).",
    ]
    for group in groups():
        lines += ["", f"## {group.title}", "", "| id | level | what |", "| --- | --- | --- |"]
        lines += [f"| [{m.id}]({m.id}.md) | {level_text(m)} | {m.title} |" for m in group.members]
    return "\n".join(lines) + "\n"


def write(folder: Path = FOLDER) -> None:
    """Writes every page, and removes pages of findings that are no more."""
    folder.mkdir(exist_ok=True)
    made = dict(pages())
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    for path in folder.glob("*.md"):
        if path.name not in made:
            path.unlink()


if __name__ == "__main__":
    write()
