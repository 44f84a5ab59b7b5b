"""A report as JUnit XML, of the shape that Jenkins' xunit plug-in publishes as a schema.

Checks, findings, the command's own cases and the verdict are test cases. A failure is "the answer is no", an error is
"could not be judged"; findings below the failing level pass and stand in the suite's output. The verdict is a test case
of its own, so that the suite is green exactly when the exit code is 0.
"""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from runaudit.model.check import Check
from runaudit.model.finding import Group
from runaudit.model.report import Case, Outcome, Report
from runaudit.model.severity import at_least
from runaudit.render import wording
from runaudit.render.escaping import inert
from runaudit.render.options import RenderOptions

_ELEMENTS: dict[Outcome, str] = {"fail": "failure", "could-not-judge": "error", "skipped": "skipped"}


def render(report: Report, *, options: RenderOptions) -> str:
    """The report as one XML document with a single suite."""
    cases = [
        _verdict(report),
        *(_check(check) for check in report.checks),
        *(_finding(group, options) for group in report.findings if at_least(group.level, report.fail_on)),
        *report.cases,
    ]
    outcomes = [case.outcome for case in cases]
    name, tests = _attribute(f"runaudit {report.kind}"), len(cases)
    failures, errors = outcomes.count("fail"), outcomes.count("could-not-judge")
    totals = f'tests="{tests}" failures="{failures}" errors="{errors}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {totals}>",
        f'<testsuite name={name} {totals} skipped="{outcomes.count("skipped")}">',
        *(line for case in cases for line in _case(case)),
        f"<system-out>{_text(_output(report, options))}</system-out>",
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _verdict(report: Report) -> Case:
    outcomes: dict[str, Outcome] = {"pass": "pass", "fail": "fail", "inconclusive": "could-not-judge"}
    return Case(
        suite=report.kind,
        name="verdict",
        outcome=outcomes[report.verdict.word],
        message="\n".join(report.verdict.reasons) or report.verdict.word,
    )


def _check(check: Check) -> Case:
    if check.made:
        return Case(suite="checks", name=check.name, outcome="pass")
    outcome: Outcome = "could-not-judge" if check.belongs else "skipped"
    return Case(suite="checks", name=check.name, outcome=outcome, message=check.reason or "not made")


def _finding(group: Group, options: RenderOptions) -> Case:
    return Case(suite="findings", name=group.id, outcome="fail", message="\n".join(_group_lines(group, options)))


def _group_lines(group: Group, options: RenderOptions) -> Iterator[str]:
    yield f"{group.title}, {wording.counted(group)}" + (f" ({group.configured})" if group.configured else "")
    places, left_out = wording.shown_places(group, options)
    yield from (wording.place_text(place) for place in places)
    if left_out:
        yield wording.more_places(left_out)


def _output(report: Report, options: RenderOptions) -> Iterator[str]:
    yield wording.verdict_line(report)
    yield from report.headline
    for group in report.findings:
        if not at_least(group.level, report.fail_on):
            first, *rest = _group_lines(group, options)
            yield f"{group.level} {group.id}: {first}"
            yield from rest
    for title, lines in report.sections:
        yield title
        yield from lines
    if report.configuration is not None:
        yield "configuration"
        yield from wording.configuration_lines(report.configuration)


def _case(case: Case) -> Iterator[str]:
    opening = f"<testcase classname={_attribute(f'runaudit.{case.suite}')} name={_attribute(case.name)}"
    if case.outcome == "pass":
        yield f"{opening}/>"
        return
    first, *rest = case.message.split("\n") or [""]
    element = _ELEMENTS[case.outcome]
    yield f"{opening}>"
    yield f"<{element} type={_attribute(case.suite)} message={_attribute(first)}>{_text(rest)}</{element}>"
    yield "</testcase>"


def _attribute(text: str) -> str:
    return quoteattr(inert(text))


def _text(lines: Iterable[str]) -> str:
    # `inert` leaves printable characters only, and those are all legal in XML.
    return escape("\n".join(inert(line) for line in lines))
