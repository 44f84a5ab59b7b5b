"""Judges `identical`, `contained` and `same-tensors`: content that should be in two places."""

from collections import Counter
from collections.abc import Mapping

from runaudit.claims.answer import Answer, Unknown, cannot_tell, some
from runaudit.claims.evidence import Evidence, Row
from runaudit.claims.statement import Contained, Identical, SameTensors
from runaudit.claims.tables import selected, table_of
from runaudit.judge.levels import matches


def identical(statement: Identical, evidence: Evidence) -> Answer:
    """Whether two files or folders are the same to the byte."""
    one, two = statement.paths
    compared = f"{one} against {two}"
    kinds = [evidence.kind(path) for path in statement.paths]
    unknown = [kind for kind in kinds if isinstance(kind, Unknown)]
    if unknown:
        return cannot_tell(compared, *unknown)
    if kinds[0] != kinds[1]:
        return Answer(word="fails", compared=compared, expected=f"a {kinds[0]}", found=f"a {kinds[1]}", path=two)
    held = [
        _contents(path, str(kind), statement.pattern, evidence)
        for path, kind in zip(statement.paths, kinds, strict=True)
    ]
    troubles = [contents for contents in held if isinstance(contents, Unknown)]
    if troubles:
        return cannot_tell(compared, *troubles)
    first, second = (contents for contents in held if not isinstance(contents, Unknown))
    return _same_contents(statement, compared, first, second)


def _contents(path: str, kind: str, pattern: str, evidence: Evidence) -> Mapping[str, str] | Unknown:
    if kind == "file":
        digest = evidence.sha256(path)
        return digest if isinstance(digest, Unknown) else {"": digest}
    contents = evidence.contents(path)
    if isinstance(contents, Unknown):
        return contents
    return {name: digest for name, digest in contents.items() if matches(pattern, name)}


def _same_contents(statement: Identical, compared: str, first: Mapping[str, str], second: Mapping[str, str]) -> Answer:
    one, two = statement.paths
    only = [f"{name} only in {one}" for name in sorted(first.keys() - second.keys())]
    only += [f"{name} only in {two}" for name in sorted(second.keys() - first.keys())]
    other = sorted(name for name in first.keys() & second.keys() if first[name] != second[name])
    wrong = [*only, *(f"{name or two} differs" for name in other)]
    expected = f"the same bytes in {_files(statement.count if statement.count is not None else len(first))}"
    if wrong:
        path = f"{two}/{other[0]}".rstrip("/") if other else two
        return Answer(word="fails", compared=compared, expected=expected, found=some(wrong), why=some(wrong), path=path)
    if not first:
        return cannot_tell(compared, Unknown(f"no file matches {statement.pattern} in either"))
    if statement.count is not None and len(first) != statement.count:
        found = f"the same bytes in {_files(len(first))}"
        return Answer(word="fails", compared=compared, expected=expected, found=found, why=found, path=two)
    return Answer(word="holds", compared=compared, expected=expected, found=f"the same bytes in {_files(len(first))}")


def contained(statement: Contained, evidence: Evidence) -> Answer:
    """Whether rows stand in another file byte for byte."""
    compared = "; ".join(
        f"rows of {one} in {other}" for one, other in zip(statement.rows, statement.within, strict=True)
    )
    lost: list[tuple[str, Row]] = []
    total = 0
    for one, other in zip(statement.rows, statement.within, strict=True):
        for source, target in ((one, other), (other, one)) if statement.both_ways else ((one, other),):
            rows = _lacking(statement, source, target, evidence)
            if isinstance(rows, Unknown):
                return cannot_tell(compared, rows)
            total += rows[1]
            lost += [(target, row) for row in rows[0]]
    expected = f"{total} rows, each byte for byte"
    if lost:
        told = some([f"{row.path}:{row.number} is not in {target}" for target, row in lost])
        return Answer(
            word="fails",
            compared=compared,
            expected=expected,
            found=f"{total - len(lost)} of {total}",
            why=told,
            path=lost[0][0],
        )
    if not total:
        return cannot_tell(compared, Unknown("there are no rows of that kind"))
    return Answer(word="holds", compared=compared, expected=expected, found=f"{total} of {total}")


def _lacking(statement: Contained, source: str, target: str, evidence: Evidence) -> tuple[list[Row], int] | Unknown:
    """The rows of a file that another lacks, each as often as it is there, and how many were looked for."""
    wanted, there = table_of(source, None, evidence), table_of(target, None, evidence)
    if isinstance(wanted, Unknown) or isinstance(there, Unknown):
        return wanted if isinstance(wanted, Unknown) else Unknown(getattr(there, "why", ""))
    rows = selected(wanted, statement.where)
    if isinstance(rows, Unknown):
        return rows
    left = Counter(row.data for row in there.rows)
    lacking = []
    for row in rows:
        if left[row.data]:
            left[row.data] -= 1
        else:
            lacking.append(row)
    return lacking, len(rows)


def same_tensors(statement: SameTensors, evidence: Evidence) -> Answer:
    """Whether two files hold the same tensors, and whether their headers differ as stated."""
    one, two = statement.tensors
    compared = f"the tensors of {one} against those of {two}"
    headers = [evidence.tensors(path) for path in statement.tensors]
    digests = [evidence.tensor_digests(path) for path in statement.tensors]
    unknown = [held for held in (*headers, *digests) if isinstance(held, Unknown)]
    if unknown:
        return cannot_tell(compared, *unknown)
    first, second = (held for held in headers if not isinstance(held, Unknown))
    contents, others = (held for held in digests if not isinstance(held, Unknown))
    wrong = [f"{name} only in {one}" for name in sorted(contents.keys() - others.keys())]
    wrong += [f"{name} only in {two}" for name in sorted(others.keys() - contents.keys())]
    for name in sorted(contents.keys() & others.keys()):
        if first.tensors[name] != second.tensors[name]:
            wrong.append(f"{name} has another type or shape")
        elif contents[name] != others[name]:
            wrong.append(f"{name} has other values")
    expected = f"{len(first.tensors)} equal tensors"
    if wrong:
        return Answer(word="fails", compared=compared, expected=expected, found=some(wrong), why=some(wrong), path=two)
    differ = first.header_sha256 != second.header_sha256
    if statement.headers != "any" and differ != (statement.headers == "different"):
        found = "the headers differ" if differ else "the headers are the same bytes"
        return Answer(
            word="fails", compared=compared, expected=f"{statement.headers} headers", found=found, why=found, path=two
        )
    if not first.tensors:
        return cannot_tell(compared, Unknown("neither file holds a tensor"))
    found = f"{expected}, headers {'different' if differ else 'identical'}"
    return Answer(word="holds", compared=compared, expected=expected, found=found)


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number} files"
