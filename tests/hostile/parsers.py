"""Feeds the parsers of everything that is read with bytes that a coverage-guided fuzzer makes up.

`python tests/hostile/parsers.py SECONDS`, with the package `atheris` at hand. A parser may refuse by one of our own
exceptions or by a Trouble; anything else is a fault, and atheris prints the bytes.
"""

import contextlib
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from runaudit.claims.claims_format import parse as parse_claims
from runaudit.compare.document import decode as decode_summary
from runaudit.compare.policy_file import parse as parse_policy
from runaudit.errors import RunauditError
from runaudit.layouts.games.literals import LiteralError, read_literal
from runaudit.layouts.nemo_gym.rewards import read_json, read_text
from runaudit.manifests import bag_form, json_form, sums_form
from runaudit.model.trouble import Trouble
from runaudit.read.documents import Document, decode_json
from runaudit.read.explain import explain
from runaudit.usecases.canonical import two_readings
from runaudit.usecases.manifest_reading import decode_text

Parser = Callable[[bytes], object]


def _manifest(data: bytes) -> None:
    document = decode_json(data, strict_keys=True)
    if isinstance(document, Document):
        json_form.parse(document.value, "M.json")
    text = decode_text(data, "SUMS")
    if not isinstance(text, Trouble):
        for form in (sums_form, bag_form):
            # what is a list in one form is none in another
            with contextlib.suppress(RunauditError):
                form.parse(text[0], "manifest-sha256.txt")


def _claims(data: bytes) -> None:
    try:
        document = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return
    parse_claims(document, "claims.toml")


def _literal(data: bytes) -> None:
    with contextlib.suppress(LiteralError):
        read_literal(data.decode("utf-8", "replace"))


PARSERS: tuple[Parser, ...] = (
    decode_json,
    lambda data: decode_json(data, strict_keys=True),
    lambda data: explain(data, number=1, offset=0),
    lambda data: decode_summary(data, "fuzz"),
    two_readings,
    _manifest,
    lambda data: parse_policy(data, "gate.toml"),
    _claims,
    _literal,
    read_text,
    read_json,
)


def parse(data: bytes) -> None:
    """One input: the first byte says which parser takes the rest."""
    if data:
        with contextlib.suppress(RunauditError):
            PARSERS[data[0] % len(PARSERS)](data[1:])


def seeds() -> list[bytes]:
    """A sound input for each parser to begin with."""
    tasks = b'[{"outcome": "scored", "reward": 1.0, "task_index": 0}]'
    document = b'{"kind": "run_summary", "version": 1, "tasks": ' + tasks + b"}"
    claim = b'[[claims]]\nid = "a"\nsentence = "1 row."\nkind = "equal"\nvalues = [1, { rows = "a.jsonl" }]\n'
    listed = b"a" * 64
    sound = (
        document,
        document,
        b'{"_ng_task_index": 0, "_ng_rollout_index": 0, "reward": NaN}{"reward": 1',
        document,
        document,
        b'{"files": [{"path": "a/b", "sha256": "' + listed + b'"}]}',
        b"[require]\ncoverage = 0.9\n\n[metrics.mean_reward]\nmin = 0.5\nmax_drop = 0.1\n",
        b"version = 1\n\n" + claim,
        b"{'game': {'/a/game_00000_002_x.py': [1.0, nan]}, 'skill': (True, None)}",
        b" 1.0\n",
        b'{"reward": 1, "other": 0.5}',
    )
    assert len(sound) == len(PARSERS)
    return [bytes([number]) + data for number, data in enumerate(sound)]


def fuzz(seconds: str, folder: str) -> None:
    """Runs the fuzzer for so many seconds on the inputs in a folder; ends the process."""
    import atheris  # noqa: PLC0415  # the one thing here that is not among the tests' own packages

    atheris.instrument_all()
    limits = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=20", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *limits, "-verbosity=0", "-print_final_stats=1", folder], parse)
    atheris.Fuzz()


def main() -> int:
    """Lays the seeds out and lets a process of its own fuzz, which never comes back; returns its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(seeds()):
            Path(folder, str(number)).write_bytes(data)
        words = [sys.executable, __file__, (*sys.argv[1:2], "60")[0], folder]
        return subprocess.run(words, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) > 2:
        fuzz(*sys.argv[1:3])
    sys.exit(main())
