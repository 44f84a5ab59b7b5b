"""A report as GitHub-flavoured Markdown, for a pull-request comment or a step summary.

Bounded in bytes: what does not fit is left out block by block, and the end says what was. Data stands in code or with
every special character escaped, so that it can be neither markup nor a mention, a reference or a link.
"""

import re
from collections.abc import Iterator

import msgspec

from runaudit.model.finding import Group
from runaudit.model.report import Report
from runaudit.render import wording
from runaudit.render.escaping import inert
from runaudit.render.options import RenderOptions

COMMENT_LIMIT = 64 << 10
_RESERVED = 1024
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()+\-!|~&$=])")
_NUMBERED = re.compile(r"\A(\d+)\.")
# GitHub looks for these after Markdown is done with the text; an invisible character keeps it from seeing them.
_REFERENCE = re.compile(r"([@#])|(?<=:)(?=//)|(?<=[wW]{3})(?=\.)|(?<=[gG][hH])(?=\\-)")


class Block(msgspec.Struct, frozen=True):
    """A heading with its lines; `what` names it in the sentence about what was left out."""

    what: str
    heading: str
    lines: tuple[str, ...] = ()
    close: str = ""


def render(report: Report, *, options: RenderOptions, limit: int = COMMENT_LIMIT) -> str:
    """The report as Markdown of fewer than `limit` bytes of UTF-8 (at least 2 KiB)."""
    kept: list[str] = []
    cut: list[str] = []
    room = limit - _RESERVED
    for block in _blocks(report, options):
        lines, room, dropped = _fitted(block, room)
        kept += lines
        if dropped:
            cut.append(dropped)
    if cut:
        kept.append(_cut_sentence(cut))
    return "\n".join(kept).rstrip("\n") + "\n"


def _fitted(block: Block, room: int) -> tuple[list[str], int, str]:
    """The lines of a block that fit, the room left after it, and what was dropped."""
    frame = [block.heading, *([block.close] if block.close else []), ""]
    need = _bytes(frame)
    if need > room:
        return [], 0, block.what
    room -= need
    fitting: list[str] = []
    for line in block.lines:
        size = _bytes([line])
        if size > room:
            break
        room -= size
        fitting.append(line)
    missing = len(block.lines) - len(fitting)
    dropped = f"{missing:,} lines of {block.what}" if missing else ""
    return [block.heading, *fitting, *frame[1:]], 0 if missing else room, dropped


def _bytes(lines: list[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _cut_sentence(cut: list[str]) -> str:
    named = "; ".join(cut[:10])
    more = f"; and {len(cut) - 10:,} more parts" if len(cut) > 10 else ""  # noqa: PLR2004  # as many as are named
    return f"**Left out to stay below the size limit:** {_shortened(named)}{more}. The JSON report has everything."


def _shortened(text: str) -> str:
    data = text.encode()
    limit = _RESERVED // 2
    return text if len(data) <= limit else data[:limit].decode(errors="ignore").rstrip("\\&") + "…"


def _blocks(report: Report, options: RenderOptions) -> Iterator[Block]:
    yield Block(what="the verdict", heading=f"## {escaped(wording.verdict_line(report))}")
    if report.verdict.reasons:
        yield Block(what="reasons", heading="", lines=_items(report.verdict.reasons))
    if report.headline:
        yield Block(what="the overview", heading="", lines=tuple(f"{escaped(line)}  " for line in report.headline))
    for group in report.findings:
        yield _group(group, options)
    unmade = wording.unmade(report)
    if unmade:
        lines = _items(wording.check_line(check) for check in unmade)
        yield Block(what="checks not made", heading="### Not checked\n", lines=lines)
    for title, lines in report.sections:
        yield _preformatted(title, lines)
    if report.configuration is not None:
        lines = _items(wording.configuration_lines(report.configuration))
        yield Block(what="the configuration", heading="### Configuration\n", lines=lines)


def _group(group: Group, options: RenderOptions) -> Block:
    places, left_out = wording.shown_places(group, options)
    lines = [f"- {_place(wording.place_name(place), wording.place_message(place))}" for place in places]
    if left_out:
        lines.append(f"- {escaped(wording.more_places(left_out))}")
    configured = f"\n({escaped(group.configured)})\n" if group.configured else ""
    heading = f"### {group.level}: {escaped(group.title)} ({code(group.id)}, {wording.counted(group)})\n{configured}"
    return Block(what=f"{group.level} {group.id}", heading=heading, lines=tuple(lines))


def _place(name: str, message: str) -> str:
    return ": ".join(part for part in (code(name) if name else "", escaped(message)) if part) or "(the whole)"


def _items(lines: Iterator[str] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"- {escaped(line)}" for line in lines)


def _preformatted(title: str, lines: tuple[str, ...]) -> Block:
    safe = tuple(inert(line) for line in lines)
    fence = "`" * max(3, 1 + max((_longest_run(line) for line in safe), default=0))
    heading = f"### {escaped(title)}\n\n{fence}text"
    return Block(what=f"the section {escaped(title)}", heading=heading, lines=safe, close=fence)


def code(text: str) -> str:
    """The text as a code span, whatever backticks it holds."""
    safe = inert(text)
    fence = "`" * (1 + _longest_run(safe))
    pad = " " if safe.startswith(("`", " ")) or safe.endswith(("`", " ")) else ""
    return f"{fence}{pad}{safe}{pad}{fence}"


def escaped(text: str) -> str:
    """The text as prose: markup, mentions, references and links are taken literally."""
    marked = _NUMBERED.sub(r"\1\\.", _SPECIAL.sub(r"\\\1", inert(text.strip())))
    return _REFERENCE.sub(lambda found: f"{found.group()}&#8203;", marked)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
