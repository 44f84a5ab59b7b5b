"""For test suites: a run compared with its baseline, as an assertion."""

from runaudit.model.report import Report
from runaudit.usecases.diff import diff


def assert_no_regression(baseline: str, candidate: str, *, policy: str | None = None) -> Report:
    """Fails the test unless `runaudit diff` would pass; returns the report.

    Takes paths of run summaries, or of folders that hold one, and of a TOML policy. An inconclusive comparison fails
    the test, too: what could not be compared has not passed. Raises AssertionError with the reasons and the tasks that
    changed; InputError and UsageError as `runaudit.usecases.diff.diff` does.
    """
    report = diff(baseline, [candidate], policy=policy)
    if report.verdict.word != "pass":
        blocks = [f"{title}:\n  " + "\n  ".join(lines) for title, lines in report.sections if title == "tasks"]
        raise AssertionError("\n".join([f"runaudit: {report.verdict.word}", *report.verdict.reasons, *blocks]))
    return report
