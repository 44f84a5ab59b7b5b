"""What the commands owed in answer to a damage, found out without the program: plain bytes, plain `json`.

A judgement is a word: `found` (something recorded or counted is another, and the answer says so), `harmless` (nothing
that is recorded or counted is another), `undetectable` with its reason, or `fault`.
"""

import hashlib
import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hostile.bounded import Ran
from tests.hostile.damages import Harm
from tests.hostile.sound import MANIFEST, SUMMARY
from tests.oracle.recorded import closed, content, differing, readable

Json = dict[str, Any]
# of a summary: options that shape nothing else in it, and the wording that a finding's id gives
_UNSHOWN = re.compile(r"[+-]?\.(options\.(split|pass_at|messages|max_row|resumed|signatures|told)|findings\.\d+\.t)")
CONTRADICTED = "nothing that is left contradicts it"


@dataclass(frozen=True)
class Trial:
    """One damage and everything that came of it. `sound` is the folder as it was, `here` as it is."""

    kind: str
    harm: Harm
    sound: Path
    here: Path
    ran: tuple[Ran, ...]

    def now(self, path: str) -> bytes | None:
        """What a reader finds who stays inside, but for a link that the command line named."""
        whole = self.here / path
        named = any(str(whole) in ran.words for ran in self.ran)
        if named and os.path.isfile(whole) and readable(self.here, Path(os.path.realpath(whole))):
            return whole.read_bytes()
        return content(self.here, path)

    def changed(self, path: str) -> bool:
        """Whether a file is another than it was."""
        return content(self.sound, path) != self.now(path)

    def value(self, path: str) -> Any:
        """The strict value of a JSON file as it is now, None where it is none."""
        return parsed(self.now(path))


@dataclass(frozen=True)
class Judgement:
    """The word for one answer, with the reason of an undetectable damage or the fault."""

    word: str
    why: str = ""


FOUND, HARMLESS = Judgement("found"), Judgement("harmless")


def unseen(reason: str) -> Judgement:
    """A damage that the answer cannot show, and why."""
    return Judgement("undetectable", reason)


def fault(why: str) -> Judgement:
    """An answer that is not what was owed."""
    return Judgement("fault", why)


class TwiceError(ValueError):
    """A key is stated twice in one object."""


def strict(data: bytes | None) -> Any:
    """The JSON value in some bytes; raises ValueError for anything that two readers could read differently.

    Raw control characters inside a text are let pass: whoever reads them reads the same.
    """
    if data is None:
        raise ValueError("nothing to read")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return json.loads(data.decode("utf-16" if wide else "utf-8-sig"), object_pairs_hook=_once, strict=False)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _once(pairs: list[tuple[str, Any]]) -> Json:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise TwiceError("a key is stated twice")
    return value


def parsed(data: bytes | None) -> Any:
    """The strict JSON value in some bytes, None where there is none."""
    try:
        return strict(data)
    except ValueError:
        return None


def differences(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """Where two JSON values differ, as dotted paths; a key that only the second has begins with `+`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            if key not in before:
                yield f"+{at}.{key}"
            elif key not in after:
                yield f"-{at}.{key}"
            else:
                yield from differences(before[key], after[key], f"{at}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from differences(*pair, f"{at}.{number}")
    elif type(before) is not type(after) or before != after:
        yield f"{at}"


def _absent(value: Any, at: str) -> set[str]:
    """What `differences` calls the keys that are gone where they said nothing: null is as good as absent."""
    if isinstance(value, dict):
        here = {f"-{at}.{key}" for key, inner in value.items() if inner is None}
        return here.union(*(_absent(inner, f"{at}.{key}") for key, inner in value.items()))
    if isinstance(value, list):
        return set().union(*(_absent(inner, f"{at}.{number}") for number, inner in enumerate(value)))
    return set()


def places(report: Json) -> set[str]:
    """Every path that a finding of a report names."""
    told = [place.get("path") for group in report.get("findings", []) for place in group.get("places", [])]
    return {str(path) for path in told if path}


def newly_told(before: Json, after: Json) -> list[str]:
    """The findings that the second document states and the first does not: another level, more places or others."""
    groups = {(group["id"], group["level"]): group for group in before.get("findings", [])}
    found = []
    for group in after.get("findings", []):
        old = groups.get((group["id"], group["level"]), {"count": 0})
        known = [json.dumps(place, sort_keys=True) for place in old.get("places", [])]
        more = [place for place in group.get("places", []) if json.dumps(place, sort_keys=True) not in known]
        if more or group["count"] > old["count"]:
            found.append(group["id"])
    return found


def verified(trial: Trial, ran: Ran, summary: str) -> Judgement:
    """What `verify` owes: every recorded byte that is another is found, by the name of its file."""
    document = parsed(content(trial.sound, summary))
    if content(trial.here, summary) != content(trial.sound, summary):
        return _verified_by_another(trial, ran, summary, document)
    changed = differing(document, trial.sound, trial.here)
    signatures = summary.replace("run_summary", "output_signatures")
    if document["options"]["signatures"] and trial.changed(signatures) and not _tells(ran, signatures):
        return fault(f"the signatures that the summary used are others, and nothing says so: exit {ran.code}")
    if not changed:
        if ran.code != 0 and not _entries_differ(trial):
            return fault(f"exit {ran.code} and nothing is another: {ran.err.strip() or places(json.loads(ran.out))}")
        return HARMLESS
    owed = {1, 3} if set(changed.values()) == {"closed"} else {1}
    if ran.code not in owed:
        return fault(f"exit {ran.code} and {changed} is another: {ran.err.strip()[:200]}")
    named = places(json.loads(ran.out))
    # of a log folder it is enough that what lies beside it is named
    wide = {path: path.rpartition("/")[0] or path for path, why in changed.items() if why == "names"}
    if unnamed := [path for path in changed if not any(_covers(name, wide.get(path, path)) for name in named)]:
        return fault(f"{unnamed} is another and not named in {sorted(named)[:8]}")
    return FOUND


def _tells(ran: Ran, signatures: str) -> bool:
    """Whether a report speaks of the signatures: by a warning, or as a check that was not made when they are gone."""
    if ran.code not in (0, 1, 3) or not ran.out:
        return False
    report = json.loads(ran.out)
    unmade = [check["name"] for check in report["checks"] if not check["made"]]
    return signatures in places(report) or any("signatures" in name for name in unmade)


def _covers(name: str, path: str) -> bool:
    return name == path or path.startswith(name + "/") or name.startswith(path + "/")


def _entries_differ(trial: Trial) -> bool:
    """Whether a name, a kind of file, a link or a permission is another anywhere: findings may speak of those."""
    return _entries(trial.sound) != _entries(trial.here)


def _entries(folder: Path) -> set[tuple[str, int, bool]]:
    return {(str(path.relative_to(folder)), path.lstat().st_mode, path.is_symlink()) for path in folder.rglob("*")}


def _verified_by_another(trial: Trial, ran: Ran, summary: str, document: Json) -> Judgement:
    """The summary itself was damaged: no way to be clean but by saying the same, or by being gone."""
    if ran.code != 0:
        return FOUND
    now = trial.value(summary)
    if now is None:
        if not os.path.isfile(trial.here / summary):
            return unseen("the summary is gone: the folder is held against itself")
        return fault("a summary that is no JSON, and exit 0")
    if not isinstance(now, dict) or now.get("kind") != document["kind"]:
        return unseen("the summary is no summary any more: the folder is held against itself")
    others = list(differences(document, now))
    if not others:
        return HARMLESS
    if all(_UNSHOWN.match(other) for other in others):
        return unseen(f"the summary, where no evidence shows it: {_generic(others)}")
    if all(other.startswith("+") or other in _absent(document, "") for other in others):
        return unseen("a field of the summary that is more than there was, or null and less")
    return fault(f"the summary differs in {others[:5]}, and exit 0")


def summarized(trial: Trial, ran: Ran, before: Json, count: Callable[[Path], Json | None]) -> Judgement:
    """What `summarize` owes: where the answer is another, a finding that was not there before.

    `before` is the summary of the sound folder; `count` an independent reader, None where it has no opinion.
    """
    if ran.code != 0:
        return FOUND
    try:
        after = strict(ran.out)
    except ValueError as error:
        return fault(f"the summary is no strict JSON: {error}")
    first, second = count(trial.sound), count(trial.here)
    if answers(before) == answers(after) and (second is None or first == second):
        return HARMLESS
    if newly_told(before, after):
        return FOUND
    if valid(trial):
        return unseen(f"{trial.harm.kind}, {role(trial.harm.path)}: it is valid and {CONTRADICTED}")
    others = [*differences(answers(before), answers(after)), *differences(first, second, "counted")]
    return fault(f"another answer without a finding, and the file is not valid: {others[:4]}")


def answers(summary: Json) -> Json:
    """Outcomes, rewards and counts of a summary."""
    tasks = [
        (task.get("stage"), task.get("task_index"), task.get("repeat"), task.get("task_id"), task.get("trial_name"),
         task["outcome"], task["reward"])
        for task in summary["tasks"]
    ]  # fmt: skip
    return {"counts": summary["counts"], "tasks": sorted(tasks, key=repr)}


def role(path: str) -> str:
    """What a file is in its folder, without the numbers and names of tasks."""
    name = path.rsplit("/", 1)[-1]
    return "".join(letter for letter in name if not letter.isdigit()) if "." in name else "a folder"


def valid(trial: Trial) -> bool:
    """Whether the damaged file is what its kind of file may be: whole rows, one JSON value, a number, or not there."""
    from tests.oracle.count_rows import TWICE, lines_of  # noqa: PLC0415  # beside its one use

    data = content(trial.here, trial.harm.path)
    if data is None:
        return not os.path.lexists(trial.here / trial.harm.path)
    if trial.harm.path.endswith(".jsonl"):
        lines = lines_of(data)
        return not lines.damaged and not lines.torn and not any(TWICE in row for row in lines.rows)
    if trial.harm.path.endswith(".json"):
        return trial.value(trial.harm.path) is not None
    if trial.harm.path.endswith("reward.txt"):
        return is_number(data)
    return True


def is_number(data: bytes) -> bool:
    """Whether bytes are one finite number."""
    try:
        return math.isfinite(float(data))
    except ValueError:
        return False


def manifest_checked(trial: Trial, ran: Ran, *, anchored: bool) -> Judgement:
    """What `manifest verify` owes: exit 0 only where every listed file has its listed bytes, and all are listed."""
    sound = {entry["path"]: entry["sha256"] for entry in parsed(content(trial.sound, MANIFEST))["files"]}
    same = not trial.changed(MANIFEST)
    if same:
        broken = [path for path, digest in sound.items() if _sha256(content(trial.here, path)) != digest]
        if not broken:
            return HARMLESS if ran.code == 0 else fault(f"every listed file is whole, and exit {ran.code}")
        if ran.code != 1:
            return fault(f"{broken} changed, and exit {ran.code}")
        named = places(json.loads(ran.out))
        unnamed = set(broken) - named
        return fault(f"{unnamed} changed and not named in {named}") if unnamed else FOUND
    if ran.code != 0:
        return FOUND
    if anchored:
        return fault("another manifest than the expected one, and exit 0")
    now = trial.value(MANIFEST)
    if not isinstance(now, dict):
        return fault("a manifest that is no JSON, and exit 0")
    others = list(differences(parsed(content(trial.sound, MANIFEST)), now))
    if not others:
        return HARMLESS
    listed = {entry.get("path"): str(entry.get("sha256")).lower() for entry in now.get("files", [])}
    if listed == sound:
        return unseen(f"the manifest differs where no file is named: {_generic(others)}")
    return fault(f"the manifest differs in {others[:4]}, and exit 0")


def _generic(others: list[str]) -> str:
    return ", ".join(sorted({"".join(c for c in other if not c.isdigit()) for other in others}))


def _sha256(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


def claims_checked(trial: Trial, ran: Ran) -> Judgement:
    """What `claims check` owes: a file whose digest a claim asks for is whole, or the answer is not clean."""
    if trial.changed("claims.toml"):
        return FOUND if ran.code != 0 else unseen("the claims themselves: they are the question")
    if trial.changed("manifest.json"):
        if ran.code != 0:
            return FOUND
        if trial.value("manifest.json") is None and _asked_of(trial.now("manifest.json")) == _asked_of(
            content(trial.sound, "manifest.json")
        ):
            return unseen("the games' manifest: a key that no claim asks for is stated twice")
        return _of_a_document(trial, "manifest.json", "the games' manifest")
    listed = [game["file"] for game in parsed(content(trial.sound, "manifest.json"))["games"]]
    live = {str(path.relative_to(trial.sound)) for path in (trial.sound / "spare_games").glob("game_*.py")}
    broken = [path for path in {*listed, *live} if trial.changed(path)]
    if broken and ran.code != 1 and not (ran.code == 3 and _all_absent_or_closed(trial, broken)):
        return fault(f"exit {ran.code} and changed are {broken}")
    if broken or ran.code != 0:
        return FOUND
    return _of_the_rest(trial, "no claim asks for the bytes of")


def _of_the_rest(trial: Trial, why: str) -> Judgement:
    """What a clean answer means: nothing changed, or only files that nothing asks for."""
    every = {str(path.relative_to(trial.sound)) for path in trial.sound.rglob("*") if path.is_file()}
    others = {role(path) for path in every if trial.changed(path)}
    return unseen(f"{why} {', '.join(sorted(others))[:60]}") if others else HARMLESS


def _asked_of(data: bytes | None) -> list[Any]:
    """Everything that the claims ask of the games' manifest, by each reading of a key that is stated twice."""
    found = []
    for reading in (dict, _first):
        value = json.loads(data or b"{}", object_pairs_hook=reading)
        games = [{key: game.get(key) for key in ("file", "sha256", "skill", "rewards")} for game in value["games"]]
        found.append([value["summary"], games])
    return found


def _first(pairs: list[tuple[str, Any]]) -> Json:
    return dict(reversed(pairs))


def _all_absent_or_closed(trial: Trial, broken: list[str]) -> bool:
    """Whether nothing can be told of any of some files: what is not there, or not to be read, cannot be compared."""
    return all(trial.now(path) is None for path in broken)


def _all_closed(trial: Trial, broken: list[str]) -> bool:
    return all(closed(trial.here, path) for path in broken)


def _of_a_document(trial: Trial, path: str, name: str) -> Judgement:
    now = trial.value(path)
    if now is None:
        return fault(f"{path} is no strict JSON, and exit 0")
    others = list(differences(parsed(content(trial.sound, path)), now))
    return unseen(f"{name}: {_generic(others)[:60]}") if others else HARMLESS


def games_verified(trial: Trial, ran: Ran, *, with_logs: bool) -> Judgement:
    """What `games verify` owes: each file whose SHA-256 the manifest states, and with logs each reward."""
    if trial.changed("manifest.json"):
        if ran.code != 0:
            return FOUND
        return _of_a_document(trial, "manifest.json", "the games' manifest" + (" with logs" if with_logs else ""))
    document = parsed(content(trial.sound, "manifest.json"))
    hints = {game["file"].removesuffix(".py") + "_hint.txt" for game in document["games"] if game["hint"]}
    listed = {game["file"] for game in document["games"]} | hints | {"env_memory.json"}
    broken = [path for path in listed if trial.changed(path)]
    nothing = ran.code == 3 and ("no generations" in ran.err or "log" in ran.err)
    if broken and ran.code != 1 and not nothing and not (ran.code == 3 and _all_closed(trial, broken)):
        return fault(f"exit {ran.code} and changed are {broken}")
    if broken or ran.code != 0:
        return FOUND
    return _of_the_rest(trial, "no digest is recorded of")


def compared(trial: Trial, ran: Ran) -> Judgement:
    """What `diff` owes over two equal runs: no clean answer over a document that two readers read differently."""
    policy = "--policy" in ran.words
    if trial.changed("gate.toml"):
        if not policy or ran.code != 0:
            return FOUND if policy else HARMLESS
        now = trial.now("gate.toml") or b""
        same = tomllib.loads(now.decode()) == tomllib.loads((trial.sound / "gate.toml").read_text("utf-8"))
        return HARMLESS if same else unseen("the policy: it is the question")
    names = [name for name in ("baseline.json", "candidate.json") if trial.changed(name)]
    if not names:
        return HARMLESS if ran.code == 0 else fault(f"two equal runs, and exit {ran.code}: {ran.err}")
    if ran.code != 0:
        return FOUND
    before, after = (trial.value(name) for name in ("baseline.json", "candidate.json"))
    if before is None or after is None:
        return fault(f"{names} is no strict JSON, and exit 0")
    lost = [
        (one["task_id"], one["outcome"], two["outcome"])
        for one, two in zip(before["tasks"], after["tasks"], strict=False)
        if one["outcome"] == "scored" != two["outcome"]
    ]
    if lost or len(after["tasks"]) < len(before["tasks"]):
        return fault(f"a task is lost and exit 0: {lost}")
    others = list(differences(parsed(content(trial.sound, names[0])), trial.value(names[0])))
    return unseen(f"a summary: {_generic(others)[:60]}") if others else HARMLESS


def shown(trial: Trial, ran: Ran) -> Judgement:
    """What `show` owes: the document as it stands, or a refusal."""
    if not trial.changed("candidate.json") or ran.code != 0:
        return HARMLESS if ran.code == 0 else FOUND
    if trial.value("candidate.json") is None:
        return fault("a document that is no strict JSON is shown")
    return unseen("show judges nothing")


SUMMARIES = {"NeMo Gym run": SUMMARY, "merged run": SUMMARY, "Harbor job": "run_summary.json"}
