"""Every command that writes, each around a small folder of its own: what it is called with and what it must leave.

`writer(name, folder, size)` makes the folder and looks at an undisturbed run. `size` is how many tasks or files it has,
so that one table serves quick tests and long rounds.
"""

import contextlib
import errno
import hashlib
import json
import os
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from runaudit.layouts.harbor.ledger import parse_ledger
from runaudit.read.hash_cache import HashCache
from runaudit.usecases import schemas
from runaudit.write.atomic import is_own_leftover
from tests.builders import Run, native_input, row
from tests.games.exports import GAME
from tests.hostile.children import ended
from tests.hostile.stage import around_the_stage, refusing
from tests.job_builders.harbor_job import HarborJob

Check = Callable[[bytes], None]
# the bytes, and whether a line of a file that grows was cut
Normal = Callable[[bytes, bool], Any]


class Target(msgspec.Struct, frozen=True):
    """A document that a command writes: what lay there before, what an undisturbed run leaves, and other sound ends.

    `grows` marks a file that is only ever appended to. `normal` is what a run beside a leftover must give unchanged.
    """

    path: Path
    old: bytes | None
    new: bytes
    check: Check
    normal: Normal
    others: tuple[bytes, ...] = ()
    grows: bool = False

    def whole(self) -> bool:
        """Whether the old document or a new one lies there, all of it."""
        now = content(self.path)
        if now in (self.old, self.new):
            return True
        if now is None:
            return False
        if not self.grows:
            return self._is_another(now)
        # a killed append leaves every earlier line, and of its own a beginning that ends at no line's end
        return now.startswith(self.old or b"") and self.new.startswith(now)

    def _is_another(self, now: bytes) -> bool:
        with contextlib.suppress(ValueError):
            return self.normal(now, False) in [self.normal(other, False) for other in self.others]
        return False


class Writer(msgspec.Struct, frozen=True):
    """A command that writes, its exit code, and what it writes. `made` are files that the run itself makes anew.

    `around` are the names of everything that lies below the folder, with and without the command.
    """

    name: str
    folder: Path
    arguments: tuple[str, ...]
    targets: tuple[Target, ...]
    code: int = 0
    made: tuple[Path, ...] = ()
    around: frozenset[str] = frozenset()

    def restore(self) -> None:
        """Lays everything as it was before the command: the old documents, no leftover."""
        for name in self.leftovers():
            (self.folder / name).unlink()
        for path in self.made:
            path.unlink(missing_ok=True)
        for target in self.targets:
            lay(target.path, target.old)

    def leftovers(self) -> list[str]:
        """The temporary files that lie below the folder, relative to it."""
        return sorted(name for name in names_below(self.folder) if is_own_leftover(os.path.basename(name)))

    def run(self, before: Callable[[], object] = lambda: None) -> int | None:
        """The command in a process of its own, after `before`; its exit code, None when it was killed."""
        return ended(self.arguments, self.folder, before)[0]


def names_below(folder: Path) -> set[str]:
    """Every file below a folder, relative to it."""
    found = set()
    for where, _, files in os.walk(folder):
        found |= {os.path.relpath(os.path.join(where, name), folder) for name in files}
    return found


def content(path: Path) -> bytes | None:
    """The bytes of a file, None when nothing lies there."""
    return path.read_bytes() if os.path.lexists(path) else None


def lay(path: Path, data: bytes | None) -> None:
    """Puts a document where it belongs; None takes it away."""
    path.unlink(missing_ok=True)
    if data is not None:
        path.write_bytes(data)


def fits(name: str) -> Check:
    """The document is JSON that fits a schema."""
    validator = jsonschema.Draft202012Validator(schemas.schema(name))

    def check(data: bytes) -> None:
        validator.validate(json.loads(data))

    return check


def claims_fit(data: bytes) -> None:
    jsonschema.Draft202012Validator(schemas.schema("claims")).validate(tomllib.loads(data.decode()))


def sums_fit(data: bytes) -> None:
    for line in data.splitlines():
        digest, name = line.split(b"  ", 1)
        assert len(bytes.fromhex(digest.decode())) == 32
        assert name


def cache_fits(data: bytes) -> None:
    assert isinstance(HashCache.decode(data, 1 << 62), HashCache)


def ledger_fits(data: bytes) -> None:
    ledger = parse_ledger(data)
    assert ledger.entries
    assert not ledger.damaged


def as_it_is(data: bytes, _: bool) -> bytes:
    return data


def without_leftovers(data: bytes, cut: bool) -> Any:
    """A summary less what it says of leftovers, which it names and must not have read, and of a cut line."""
    document = json.loads(data)
    document["findings"] = [group for group in document["findings"] if group["id"] != "leftover-file"]
    return document["tasks"] if cut else document


def whole_lines(data: bytes, _: bool) -> Any:
    """What a reader makes of a ledger: the entries of its whole lines."""
    entries = parse_ledger(data).entries
    return [
        (entry.event, [msgspec.structs.replace(attempt, line=0) for attempt in entry.attempts]) for entry in entries
    ]


class _Plan(msgspec.Struct, frozen=True):
    """A target before anything ran: how to make the old document of the new one."""

    path: Path
    check: Check
    old: Callable[[bytes], bytes | None]
    normal: Normal = as_it_is
    grows: bool = False


def _with_a_break(new: bytes) -> bytes:
    """Another document of the same meaning: whatever is written over it in place cannot go unseen."""
    return new + b"\n"


def _nothing(_: bytes) -> None:
    return None


def _run(folder: Path, size: int) -> Run:
    run = Run(folder)
    run.inputs(*(native_input(task) for task in range(size)))
    run.results(*(row(task, reward=float(task % 2)) for task in range(size)))
    return run


def signatures(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    run = _run(folder / "results", size)
    target = run.folder / "rollouts_output_signatures.json"
    return ["signatures", str(run.rollouts)], [_Plan(target, fits("output_signatures"), _with_a_break)]


def summarize(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    run = _run(folder / "results", size)
    plan = _Plan(run.summary, fits("run_summary"), _with_a_break, without_leftovers)
    return ["summarize", str(run.rollouts)], [plan]


def harbor(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    job = HarborJob(folder / "job")
    for task in range(min(size, 1000)):
        job.trial(f"t{task}", "AAAAAAA", {"reward": 1.0})
    job.finish({"oracle__own-set": job.group(1.0)})
    ledger = job.folder / "runaudit_ledger.jsonl"
    first = b'{"kind":"runaudit_ledger","version":1,"event":"start","job_id":null,"trials":[]}\n'
    ledger.write_bytes(first)
    summary = job.folder / "run_summary.json"
    return ["summarize", str(job.folder)], [
        _Plan(ledger, ledger_fits, lambda _: first, whole_lines, grows=True),
        _Plan(summary, fits("run_summary"), _with_a_break, without_leftovers),
    ]


def run(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    there = _run(folder / "results", size)
    ran = there.folder.parent / "ran.jsonl"
    there.rollouts.rename(ran)
    # a link takes no room: on a full disk the trouble is all ours
    line = ["sh", "-c", f"ln '{ran}' '{there.rollouts}'; echo ran; exit 7"]
    arguments = ["run", "--output", str(there.rollouts), "--", *line]
    return arguments, [
        _Plan(there.folder / "rollouts_output_signatures.json", fits("output_signatures"), _with_a_break),
        _Plan(there.summary, fits("run_summary"), _with_a_break, without_leftovers),
    ]


def _files(folder: Path, size: int) -> Path:
    root = folder / "release"
    root.mkdir()
    for number in range(size):
        path = root / f"{number:06}_{'x' * 100}.bin"
        path.write_bytes(b"%d" % number)
        os.utime(path, (1_790_000_000.25, 1_790_000_000.25))
    return root


def manifest_create(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    root = _files(folder, size)
    plan = _Plan(root / "SHA256_MANIFEST.json", fits("sha256_manifest"), _with_a_break)
    return ["manifest", "create", str(root)], [plan]


def manifest_sums(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    root = _files(folder, size)
    return ["manifest", "create", str(root), "--kind", "sha256sum"], [_Plan(root / "SHA256SUMS", sums_fit, _nothing)]


def hash_cache(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    root = _files(folder, size)
    listing = root / "SHA256SUMS"
    assert ended(["manifest", "create", str(root), "--kind", "sha256sum"], folder)[0] == 0
    cache = root / "hashes.cache"
    # what changed a moment ago is not remembered
    time.sleep(0.15)
    plan = _Plan(cache, cache_fits, lambda _: HashCache(0).encode())
    return ["manifest", "verify", str(listing), "--cache", str(cache), "--format", "json"], [plan]


def claims_init(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    root = folder / "card"
    root.mkdir()
    (root / "data.bin").write_bytes(b"")
    listed = [{"path": "data.bin", "sha256": hashlib.sha256(b"").hexdigest()}]
    told = ["# A card"]
    for number in range(40):
        (root / f"list_{number}.json").write_text(json.dumps({"files": listed}))
        told.append(f"All files are in list_{number}.json, {'as was said before, ' * size}and there is 1.")
    (root / "README.md").write_text("\n\n".join(told))
    plan = _Plan(root / "claims.toml", claims_fit, _with_a_break)
    return ["claims", "init", str(root), "--force"], [plan]


def games_manifest(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    root = _export(folder, size)
    return ["games", "manifest", str(root)], [_Plan(root / "manifest.json", fits("games_manifest"), _with_a_break)]


def games_replay(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    root = _export(folder, min(size, 1))
    trace = folder / "trace.jsonl"

    def lines(data: bytes) -> None:
        for line in data.splitlines():
            json.loads(line)

    arguments = ["games", "replay", str(root), "--once", "--trace", str(trace)]
    return arguments, [_Plan(trace, lines, _nothing)]


def _export(folder: Path, size: int) -> Path:
    root = folder / "export"
    games = root / "generations" / "gen_00_step_00000"
    games.mkdir(parents=True)
    for index in range(min(size, 1000)):
        (games / f"game_00000_{index:03}_optimization.py").write_text(GAME.format(variant=index))
    return root


def baseline(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    candidate, kept = _run(folder / "results", size), folder / "baseline.json"
    assert ended(["summarize", str(candidate.rollouts), "-o", str(kept)], folder)[0] == 0
    old = _with_a_break(kept.read_bytes())
    assert ended(["summarize", str(candidate.rollouts)], folder)[0] == 0
    lay(kept, old)
    arguments = ["diff", str(kept), str(candidate.folder), "--update-baseline", str(kept), "--accept", "--exit-zero"]
    return arguments, [_Plan(kept, fits("run_summary"), lambda _: old)]


def report(folder: Path, size: int) -> tuple[list[str], list[_Plan]]:
    run = _run(folder / "results", size)
    assert ended(["summarize", str(run.rollouts)], folder)[0] == 0
    where = folder / "report.json"
    arguments = ["verify", str(run.folder), "--format", "json", "-o", str(where)]
    return arguments, [_Plan(where, fits("report"), _with_a_break)]


WRITERS: dict[str, Callable[[Path, int], tuple[list[str], list[_Plan]]]] = {
    "signatures": signatures,
    "summarize": summarize,
    "summarize-harbor": harbor,
    "run": run,
    "manifest-create": manifest_create,
    "manifest-create-sums": manifest_sums,
    "hash-cache": hash_cache,
    "claims-init": claims_init,
    "games-manifest": games_manifest,
    "games-replay-trace": games_replay,
    "diff-baseline": baseline,
    "verify-report": report,
}


def writer(name: str, folder: Path, size: int = 8) -> Writer:
    """The command of that name around a new folder, whose every document fits its schema, old and new."""
    folder.mkdir(parents=True, exist_ok=True)
    told, plans = WRITERS[name](folder, size)
    code = 7 if name == "run" else 0
    made = (folder / "results" / "rollouts.jsonl",) if name == "run" else ()
    first = Writer(name, folder, tuple(told), (), code, made)
    around = names_below(folder)
    assert first.run() == code
    around |= names_below(folder)
    olds = [plan.old(plan.path.read_bytes()) for plan in plans]

    def undisturbed() -> list[bytes]:
        for path in made:
            path.unlink(missing_ok=True)
        for plan, old in zip(plans, olds, strict=True):
            lay(plan.path, old)
        assert first.run() == code
        return [plan.path.read_bytes() for plan in plans]

    news = undisturbed()
    # two undisturbed runs must agree, or nothing could be compared with them
    assert undisturbed() == news
    others = _without_signatures(first, plans) if name == "run" else ()
    targets = []
    for plan, old, new in zip(plans, olds, news, strict=True):
        plan.check(new)
        assert old != new
        if old is not None:
            plan.check(old)
        targets.append(Target(plan.path, old, new, plan.check, plan.normal, others, plan.grows))
    whole = Writer(name, folder, tuple(told), tuple(targets), code, made, frozenset(around))
    whole.restore()
    return whole


def _without_signatures(first: Writer, plans: list[_Plan]) -> tuple[bytes, ...]:
    """The summary that a run gets whose signatures could not be written: it cannot tell what was there before."""
    first.made[0].unlink(missing_ok=True)
    refused = refusing(plans[0].path, errno.ENOSPC)
    assert first.run(lambda: around_the_stage(refused)) == first.code
    return (plans[-1].path.read_bytes(),)
