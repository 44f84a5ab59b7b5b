"""What the tensors of a LoRA adapter say of it: rank, adapted modules, modules saved whole.

Names are those that PEFT writes: `….q_proj.lora_A.weight` of shape (rank, in), `….q_proj.lora_B.weight` of shape
(out, rank), `lora_embedding_A` and `lora_embedding_B` turned round. A tensor that belongs to none is saved whole.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from runaudit.claims.answer import Answer, Unknown, cannot_tell
from runaudit.claims.evidence import Evidence, Shape, TensorFile
from runaudit.claims.statement import Adapter

_LORA = re.compile(r"(?P<module>.+)\.lora_(?P<embedding>embedding_)?(?P<part>[AB])(\.[^.]+)*\Z")
_LORA_ADDITIONS = re.compile(r".+\.lora_(magnitude_vector|bias)\b")
_SAVED = re.compile(r"(.+?)(\.modules_to_save(\.[^.]+)?)?\.(weight|bias)\Z")


class _Part(msgspec.Struct, frozen=True):
    module: str
    rank: int


class _Difference(msgspec.Struct, frozen=True):
    expected: str
    found: str
    why: str
    path: str


def _parts(file: TensorFile) -> Iterator[tuple[str, _Part | None]]:
    """Every LoRA matrix with its module and rank; None where the shape is none of a LoRA matrix."""
    for name, tensor in file.tensors.items():
        found = _LORA.match(name)
        if found is not None:
            yield name, _part(found, tensor)


def _part(found: re.Match[str], tensor: Shape) -> _Part | None:
    if len(tensor.shape) < 2:  # noqa: PLR2004  # a matrix has two dimensions
        return None
    first = found["part"] == "A"
    return _Part(module=found["module"], rank=tensor.shape[0 if first else 1])


def rank_of(file: TensorFile, path: str) -> int | Unknown:
    """The rank that all LoRA matrices have; an Unknown when there are none, or several ranks."""
    ranks: dict[int, str] = {}
    for name, part in _parts(file):
        if part is None:
            return Unknown(f"{path}: {name} has no shape of a LoRA matrix")
        ranks.setdefault(part.rank, name)
    if not ranks:
        return Unknown(f"{path}: there are no LoRA tensors")
    if len(ranks) > 1:
        return Unknown(f"{path}: several ranks: {', '.join(f'{rank} ({ranks[rank]})' for rank in sorted(ranks))}")
    return next(iter(ranks))


def _modules(file: TensorFile) -> set[str]:
    return {part.module.rsplit(".", 1)[-1] for _, part in _parts(file) if part is not None}


def _saved(file: TensorFile) -> set[str]:
    whole = set()
    for name in file.tensors:
        if _LORA.match(name) or _LORA_ADDITIONS.match(name):
            continue
        found = _SAVED.match(name)
        whole.add((found[1] if found else name).rsplit(".", 1)[-1])
    return whole


def adapter(statement: Adapter, evidence: Evidence) -> Answer:
    """Holds the statement against the tensors, and against the adapter's configuration where one is named."""
    compared = (
        " and ".join(name for name in (statement.tensors, statement.config) if name) + " against the stated shape"
    )
    file = evidence.tensors(statement.tensors)
    config = evidence.document(statement.config) if statement.config else {}
    if isinstance(file, Unknown) or isinstance(config, Unknown):
        return cannot_tell(compared, *(one for one in (file, config) if isinstance(one, Unknown)))
    expected = _expected(statement)
    differences = [*_in_tensors(statement, file)]
    unknown: list[Unknown] = []
    if statement.config:
        found, unknown = _in_config(statement, statement.config, config)
        differences += found
    rank = rank_of(file, statement.tensors)
    if isinstance(rank, Unknown) and (statement.rank is not None or not _modules(file)):
        if statement.rank is not None and "several ranks" in rank.why:
            differences.append(_Difference(f"rank {statement.rank}", rank.why, rank.why, statement.tensors))
        else:
            unknown.append(rank)
    if not differences and not any(_parts(file)):
        unknown.append(Unknown(f"{statement.tensors}: there are no LoRA tensors"))
    if differences:
        return Answer(
            word="fails",
            compared=compared,
            expected="; ".join(one.expected for one in differences),
            found="; ".join(one.found for one in differences),
            why="; ".join(one.why for one in differences),
            path=differences[0].path,
        )
    if unknown:
        return cannot_tell(compared, *unknown, expected=expected)
    return Answer(word="holds", compared=compared, expected=expected, found=_told(file, rank))


def _expected(statement: Adapter) -> str:
    parts = [f"rank {statement.rank}"] if statement.rank is not None else []
    for word, names in (("targets", statement.targets), ("without", statement.without), ("saved", statement.saved)):
        parts += [f"{word} {', '.join(sorted(names))}"] if names else []
    return "; ".join(parts)


def _told(file: TensorFile, rank: int | Unknown) -> str:
    return (
        f"{len(file.tensors)} tensors, rank {'unknown' if isinstance(rank, Unknown) else rank}, "
        f"targets {', '.join(sorted(_modules(file)))}; saved {', '.join(sorted(_saved(file))) or 'none'}"
    )


def _in_tensors(statement: Adapter, file: TensorFile) -> Iterator[_Difference]:
    path = statement.tensors
    rank = rank_of(file, path)
    if statement.rank is not None and not isinstance(rank, Unknown) and rank != statement.rank:
        yield _Difference(f"rank {statement.rank}", f"rank {rank}", f"the tensors have rank {rank}", path)
    yield from _sets(statement, _modules(file), _saved(file), "the tensors", path)


def _in_config(statement: Adapter, path: str, config: Any) -> tuple[list[_Difference], list[Unknown]]:
    if not isinstance(config, Mapping):
        return [], [Unknown(f"{path} is no object")]
    differences, unknown = [], []
    if twice := [key for key in getattr(config, "values_of", {}) if key in ("r", "target_modules", "modules_to_save")]:
        return [], [Unknown(f"{path}: {twice[0]!r} is stated twice")]
    rank = config.get("r")
    if statement.rank is not None and rank is None:
        unknown.append(Unknown(f"{path} states no r"))
    elif statement.rank is not None and rank != statement.rank:
        differences.append(_Difference(f"rank {statement.rank}", f"r {rank}", f"{path} states r {rank}", path))
    targets, saved = config.get("target_modules"), config.get("modules_to_save")
    if (statement.targets or statement.without) and not isinstance(targets, list):
        unknown.append(Unknown(f"{path}: target_modules is no list of names"))
    known = set(map(str, targets)) if isinstance(targets, list) else set(statement.targets)
    whole = set(map(str, saved)) if isinstance(saved, list) else set()
    differences += _sets(statement, known, whole, path, path)
    return differences, unknown


def _sets(statement: Adapter, modules: set[str], saved: set[str], who: str, path: str) -> Iterator[_Difference]:
    if statement.targets and modules != set(statement.targets):
        yield _set_difference("targets", statement.targets, modules, who, path)
    if inside := modules & set(statement.without):
        names = ", ".join(sorted(inside))
        yield _Difference(f"without {names}", f"with {names}", f"{who} adapt {names}", path)
    if statement.saved and saved != set(statement.saved):
        yield _set_difference("saved", statement.saved, saved, who, path)


def _set_difference(word: str, stated: Sequence[str], found: set[str], who: str, path: str) -> _Difference:
    missing, more = sorted(set(stated) - found), sorted(found - set(stated))
    told = [f"lack {', '.join(missing)}"] if missing else []
    told += [f"have besides {', '.join(more)}"] if more else []
    return _Difference(
        f"{word} {', '.join(sorted(stated))}",
        f"{word} {', '.join(sorted(found)) or 'none'}",
        f"{word}: {who} {' and '.join(told)}",
        path,
    )
