"""Tasks of our own for a real `harbor run`: passed, failed, timed out with a reward, without a reward, two steps."""

from pathlib import Path

TOML = """schema_version = "1.4"
[agent]
timeout_sec = {agent_timeout}
[verifier]
timeout_sec = 20
[environment]
build_timeout_sec = 60
"""
STEPS = """[[steps]]
name = "first"
min_reward = 1.0
[[steps]]
name = "second"
"""
GREET = "grep -qx moin /workspace/greeting.txt && echo 1.0 > {0} || echo 0.0 > {0}"
# name -> (instruction and solution, verifier, agent timeout)
SINGLE = {
    "greet": ("echo moin > /workspace/greeting.txt", GREET.format("/logs/verifier/reward.txt"), 20),
    "sum": (
        "echo 12 > /workspace/sum.txt",
        'grep -qx 13 /workspace/sum.txt && r=1 || r=0; echo "{\\"reward\\": $r}" > /logs/verifier/reward.json',
        20,
    ),
    "stall": (
        "touch /workspace/begun; sleep 60",
        "if [ -f /workspace/begun ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt",
        2,
    ),
    "mute": ("true", "echo 'no number today'; exit 4", 20),
}
BOTH = 'echo 0 > /logs/verifier/reward.txt; echo \'{"style": 0.5, "speed": 1}\' > /logs/verifier/reward.json'


def write_tasks(folder: Path, *names: str) -> Path:
    """Writes the named tasks below `folder`; `pair` has two steps, `both` writes two reward files."""
    for name in names:
        if name == "pair":
            _write_pair(folder / name)
        elif name == "both":
            _write_single(folder / name, "true", BOTH, 20)
        else:
            _write_single(folder / name, *SINGLE[name])
    return folder


def _write_single(task: Path, solution: str, test: str, timeout: int) -> None:
    _write(task / "task.toml", TOML.format(agent_timeout=timeout))
    _write(task / "instruction.md", f"Do this:\n\n{solution}\n")
    _write(task / "environment" / "Dockerfile", "FROM scratch\n")
    _script(task / "solution" / "solve.sh", solution)
    _script(task / "tests" / "test.sh", test)


def _write_pair(task: Path) -> None:
    _write(task / "task.toml", TOML.format(agent_timeout=20) + '[task]\nname = "own/pair"\nversion = "1.0.0"\n' + STEPS)
    _write(task / "environment" / "Dockerfile", "FROM scratch\n")
    for step, solution in (("first", "touch /workspace/one"), ("second", "true")):
        mark = {"first": "one", "second": "two"}[step]
        _write(task / "steps" / step / "instruction.md", f"Do this:\n\n{solution}\n")
        _script(task / "steps" / step / "solution" / "solve.sh", solution)
        test = f"[ -f /workspace/{mark} ] && r=1 || r=0; echo $r > /logs/verifier/reward.txt"
        _script(task / "steps" / step / "tests" / "test.sh", test)


def _script(path: Path, line: str) -> None:
    _write(path, f"#!/bin/bash\n{line}\n")
    path.chmod(0o755)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
