"""Tells by its prompt which task a row answers, where rows carry no task id.

The flattened text of a row's input begins with the flattened text of the materialized input that it was made from;
the objects themselves differ on clean runs and are never compared. Texts are kept as lengths and fingerprints only.
"""

from typing import Any

import msgspec

from runaudit.read import hashing


class Prompt(msgspec.Struct, frozen=True):
    """A task's materialized text: its length in bytes, its fingerprint, and a name for the task."""

    length: int
    fingerprint: int
    name: str


class Prompts:
    """The materialized texts of a run, by task index."""

    def __init__(self) -> None:
        self._of_task: dict[int, list[Prompt]] = {}
        self._lengths: dict[int, dict[int, str]] = {}

    def add(self, task_index: int, text: bytes, name: str) -> None:
        """Notes the materialized text of a task; equal ones of its repeats are kept once."""
        if not text:
            return
        prompt = Prompt(len(text), hashing.short(text), name)
        known = self._of_task.setdefault(task_index, [])
        if prompt not in known:
            known.append(prompt)
            self._lengths.setdefault(prompt.length, {}).setdefault(prompt.fingerprint, name)

    def __bool__(self) -> bool:
        return bool(self._of_task)

    def which(self, task_index: int, text: bytes) -> int | None:
        """The fingerprint of the one text of this index that `text` begins with, where the index stands for several.

        Shards that number on their own give one index to several tasks. None where nothing tells them apart.
        """
        known = self._of_task.get(task_index, [])
        fitting = [p.fingerprint for p in known if hashing.short(text[: p.length]) == p.fingerprint]
        return fitting[0] if len(known) > 1 and len(fitting) == 1 else None

    def other_task(self, task_index: int, text: bytes) -> str | None:
        """The name of another task whose text the row's text begins with, while not beginning with its own.

        None when the row fits its own task, when nothing is known of it, and when no other task fits either. A text
        that merely continues its own task's is that task's; one that equals another's exactly is the other's.
        """
        own = self._of_task.get(task_index)
        if not own or not text:
            return None
        whole = hashing.short(text)
        if any(len(text) == p.length and whole == p.fingerprint for p in own):
            return None
        exact = self._lengths.get(len(text), {}).get(whole)
        if exact is not None:
            return exact
        if any(len(text) > p.length and hashing.short(text[: p.length]) == p.fingerprint for p in own):
            return None
        for length in sorted(self._lengths, reverse=True):
            if length <= len(text) and (name := self._lengths[length].get(hashing.short(text[:length]))):
                return name
        return None


def flattened(value: Any) -> bytes:
    """The text of a request's input: a string, or messages whose content is a string or a list of parts."""
    return "\n".join(_texts(value)).encode("utf-8", "surrogatepass")


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    if isinstance(value, dict):
        for key in ("content", "text"):
            if key in value:
                return _texts(value[key])
    return []
