"""A run summary for a person: which run, its numbers, what is wrong, where things are. In that order."""

from runaudit.model.stored import StoredSummary
from runaudit.render import show_counts, show_files, show_troubles
from runaudit.render.options import RenderOptions
from runaudit.render.page import Page


def render(summary: StoredSummary, path: str, *, options: RenderOptions) -> str:
    """The summary that lies at `path` as text, with a final newline. No line is wider than the options say."""
    page = Page(options)
    show_counts.identity(page, summary)
    show_counts.counts(page, summary)
    show_counts.servers(page, summary.means, every=options.every_place)
    show_troubles.findings(page, summary)
    show_troubles.failures(page, summary)
    show_troubles.left_out(page, summary)
    show_troubles.checks(page, summary)
    show_files.files(page, summary)
    page.heading(f"Summary: {path}")
    if summary.findings:
        page.line("runaudit explain ID says what a finding means and what to do.", role="dim")
    return page.text()
