"""Writes a folder with a claims file and tells what comes of it, for the tests by table."""

import json
from pathlib import Path
from typing import Any

from runaudit.model.report import Report
from runaudit.usecases.claims import ClaimsOptions, check_claims


def checked(folder: Path, claims: str, options: ClaimsOptions | None = None, **files: bytes | str | Any) -> Report:
    """The report on claims over files; `a__b_json` stands for a/b.json, values that are no text are written as JSON."""
    for name, value in files.items():
        stem, _, ending = name.rpartition("_")
        path = folder / f"{stem.replace('__', '/')}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = value if isinstance(value, bytes | str) else json.dumps(value)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "claims.toml").write_text(f"version = 1\n{claims}", encoding="utf-8")
    return check_claims(str(folder / "claims.toml"), options)


def claim(body: str, kind: str = "equal") -> str:
    return f'[[claims]]\nid = "one"\nsentence = "It is so."\nkind = "{kind}"\n{body}\n'


def only(report: Report) -> Any:
    """The entry of the one claim."""
    [entry] = report.body["claims"]
    return entry
