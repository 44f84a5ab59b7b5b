"""Judges `pairs`: every path with a SHA-256 that a document states, against the files."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from runaudit.claims.answer import Answer, Unknown, cannot_tell, some
from runaudit.claims.evidence import Evidence
from runaudit.claims.reading_fields import value_at
from runaudit.claims.statement import Pairs

_HEX = re.compile(r"(sha256:)?([0-9a-f]{64})\Z", re.IGNORECASE)


def pairs(statement: Pairs, evidence: Evidence) -> Answer:
    """Whether each listed file is there with the stated digest."""
    compared = f"every path and SHA-256 in {statement.json} against the files below {statement.root}"
    document = evidence.document(statement.json)
    part = document if isinstance(document, Unknown) else value_at(document, statement.at)
    if isinstance(part, Unknown):
        return cannot_tell(compared, part)
    listed = list(listed_in(part, statement.path_key, statement.digest_key))
    expected = f"{len(listed) if statement.count is None else statement.count} files as listed"
    if statement.count is not None and len(listed) != statement.count:
        found = f"{len(listed)} are listed"
        return Answer(word="fails", compared=compared, expected=expected, found=found, why=found, path=statement.json)
    if not listed:
        return cannot_tell(compared, Unknown(f"{statement.json} lists no path with a SHA-256"))
    return _held(statement, compared, expected, listed, evidence)


def _held(
    statement: Pairs, compared: str, expected: str, listed: list[tuple[str, str | None]], evidence: Evidence
) -> Answer:
    different: list[tuple[str, str]] = []
    unknown: list[Unknown] = []
    for path, stated in listed:
        where = path if statement.root in ("", ".") else f"{statement.root.rstrip('/')}/{path}"
        if stated is None:
            unknown.append(Unknown(f"{path}: what is stated is no SHA-256"))
            continue
        found = _unsafe(path) or evidence.sha256(where)
        if isinstance(found, Unknown):
            unknown.append(found)
        elif found != stated:
            different.append((where, f"{path}: {found}, not {stated}"))
    if different:
        told = some([text for _, text in different])
        return Answer(
            word="fails",
            compared=compared,
            expected=expected,
            found=f"{len(different)} differ",
            why=told,
            path=different[0][0],
            outside=tuple(one.outside for one in unknown if one.outside),
        )
    if unknown:
        return cannot_tell(compared, *unknown, expected=expected)
    return Answer(word="holds", compared=compared, expected=expected, found=f"all {len(listed)} as listed")


def _unsafe(path: str) -> Unknown | None:
    """Why a listed path is not looked at: it leaves the root that the list is about."""
    if not path.startswith("/") and posixpath.normpath(path).split("/", 1)[0] != "..":
        return None
    return Unknown(f"{path} leads out of the folder and was not opened", outside=path)


def listed_in(value: Any, path_key: str, digest_key: str) -> Iterator[tuple[str, str | None]]:
    """Every (path, hex digest) in a JSON value: objects with both keys, and mappings of path to digest.

    The digest is None where the key stands beside a path and holds something else. However deep the value is nested,
    the stack does not grow.
    """
    waiting: list[Any] = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, list):
            waiting += reversed(inner)
        elif isinstance(inner, Mapping):
            yield from _in_object(inner, path_key, digest_key)
            waiting += [one for key in reversed(inner) for one in reversed(_every(inner, key))]


def _in_object(value: Mapping[str, Any], path_key: str, digest_key: str) -> Iterator[tuple[str, str | None]]:
    """What an object states itself, without what is nested in it."""
    path = value.get(path_key)
    if isinstance(path, str) and digest_key in value:
        for stated in _every(value, digest_key):
            yield path, _hex(stated)
    for key in value:
        if key not in (path_key, digest_key) and _looks_like_path(key):
            digests = [_hex(stated) for stated in _every(value, key)]
            yield from ((key, digest) for digest in digests if digest is not None)


def _every(value: Mapping[str, Any], key: str) -> list[Any]:
    """Every value that an object states for the key, however often it does."""
    stated: Mapping[str, list[Any]] = getattr(value, "values_of", {})
    return stated.get(key) or [value[key]]


def _looks_like_path(key: str) -> bool:
    return "/" in key or "." in key


def _hex(stated: Any) -> str | None:
    found = _HEX.match(stated) if isinstance(stated, str) else None
    return found[2].lower() if found else None
