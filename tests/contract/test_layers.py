"""The house: imports point one way, pure packages stay pure, outside libraries stay in their rooms."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "runaudit"

# package -> the packages of ours that it may import, besides `model` and `errors`
ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "read": set(),
    "judge": set(),
    "write": set(),
    "assemble": set(),
    "compare": set(),
    "manifests": {"judge"},
    "claims": {"judge"},
    "layouts": {"read", "judge", "layouts"},
    "render": {"compare"},
    "usecases": {
        "layouts",
        "read",
        "judge",
        "assemble",
        "write",
        "compare",
        "manifests",
        "claims",
        "usecases",
        "render",
    },
    "integrations": {"usecases", "model"},
    "cli": {"usecases", "render", "cli", "judge", "integrations"},
}
PURE = {"model", "judge", "assemble", "compare", "manifests", "claims"}
IMPURE_MODULES = {"os", "io", "pathlib", "shutil", "subprocess", "tempfile", "socket", "time", "random", "glob", "sys"}
# who may end a process: the entry point its own, the others a child that they forked
ENDINGS = {("__main__.py", "sys.exit"), ("forking.py", "os._exit")}
# outside library -> the only packages that may know it
ROOMS: dict[str, set[str]] = {
    "click": {"cli"},
    "xxhash": {"read"},
    "hashlib": {"read", "compare", "manifests", "layouts", "render"},
    "orjson": {"read", "assemble", "render", "usecases", "layouts"},
    "jsonschema": {"usecases"},
    "yaml": {"read"},
}


def modules() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def room_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else ""


def imports_of(path: Path) -> list[tuple[str, int]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            found.append((node.module or "", node.lineno))
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    room = room_of(path)
    if not room:
        return
    for name, line in imports_of(path):
        top, _, rest = name.partition(".")
        if top == "runaudit":
            other = rest.partition(".")[0]
            allowed = ALLOWED[room] | {"model", "errors", "version", room}
            if other:
                assert other in allowed, f"{path}:{line}: {room} may not import {other}"
        elif top in ROOMS:
            assert room in ROOMS[top], f"{path}:{line}: {top} belongs to {sorted(ROOMS[top])}"


@pytest.mark.parametrize("path", [p for p in modules() if room_of(p) in PURE], ids=lambda p: str(p.relative_to(ROOT)))
def test_pure_packages_do_no_input_or_output(path: Path) -> None:
    for name, line in imports_of(path):
        assert name.partition(".")[0] not in IMPURE_MODULES, f"{path}:{line}: {name} in a pure package"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input"}, f"{path}:{node.lineno}"


@pytest.mark.parametrize("path", [p for p in modules() if room_of(p) != "cli"], ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_below_the_command_line_prints_or_exits(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if (path.name, called) in ENDINGS:
                continue
            assert called not in {"print", "exit", "sys.exit", "os._exit"}, f"{path}:{node.lineno}: {called}"


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(p) for p in modules() if not (ast.get_docstring(ast.parse(p.read_text(encoding="utf-8"))) or "").strip(" .")
    ]
    assert silent == []


def test_no_module_is_longer_than_350_lines() -> None:
    long = {str(p): n for p in modules() if (n := len(p.read_text(encoding="utf-8").splitlines())) > 350}
    assert long == {}
