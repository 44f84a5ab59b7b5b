"""Makes exports of self-play games on disk, at the scale of the first source document."""

import json
from pathlib import Path

FULL = ((0, 24), (4, 24), (8, 21), (12, 23), (16, 22), (20, 24), (24, 23), (28, 24))
PARTIAL = ((1, 1), (5, 2), (6, 1), (9, 1), (13, 1), (17, 3), (25, 1))
SKILLS = (
    "mathematical_reasoning",
    "logical_deduction",
    "spatial_reasoning",
    "pattern_recognition",
    "optimization",
    "causal_inference",
)
STOPPED, RUNNING = "spare_nemotron_games_final_1784483925", "spare_nemotron_games_mtpg768_1784556397"
STOPPED_ENTRIES, RUNNING_ENTRIES = 30, 5

GAME = '''"""Guess a number. Variant {variant}."""
import random


class GuessEnv:
    def reset(self, seed=None):
        self.random = random.Random(seed)
        self.target = self.random.randint(0, 9)
        self.left = 5
        return f"Guess a number from 0 to 9. {{self.left}} guesses left.", {{}}

    def step(self, action):
        self.left -= 1
        digits = [c for c in action if c.isdigit()]
        won = bool(digits) and int(digits[-1]) == self.target
        over = won or self.left == 0
        return f"{{self.left}} guesses left.", 1.0 if won else 0.0, over, False, {{"left": self.left}}
'''


def folders() -> list[tuple[str, int, int, bool]]:
    """Folder below `generations`, step, number of games, whether it is full."""
    full = [(f"gen_{at:02d}_step_{step:05d}", step, count, True) for at, (step, count) in enumerate(FULL)]
    return full + [(f"partial/step_{step:05d}", step, count, False) for step, count in PARTIAL]


def game_names() -> list[str]:
    return [
        f"game_{step:05d}_{index:03d}_{SKILLS[(step + index) % 6]}.py"
        for _, step, count, _ in folders()
        for index in range(count)
    ]


def card() -> str:
    lines = ["# An export", "", "generations/"]
    lines += [
        f"  {name}/   # full generation snapshot at training step {step}  ({count} games + hints)"
        for name, step, count, full in folders()
        if full
    ]
    lines += ["  partial/", "    " + "  ".join(f"step_{step:05d}/" for step, _ in PARTIAL)]
    lines += [
        "env_memory.json   # the environment-memory bank: game code snippets + skill + metadata",
        "                  # accumulated by the proposer across the run (200 entries)",
        "- `total_games`: total game files indexed (195)",
        "6 cognitive skills; hints are only present for the 8 full-generation snapshots",
        "35 such log entries were parsed in total (30 from the stopped job, 5 from the running one);",
        "all 195 games in this export had at least one matching reward-stats entry (100% join rate).",
        "",
    ]
    return "\n".join(lines)


def make_export(root: Path) -> Path:
    """195 games, 185 hints, 200 memory entries, the card. No manifest."""
    variant = 0
    for name, step, count, full in folders():
        folder = root / "generations" / name
        folder.mkdir(parents=True)
        for index in range(count):
            game = folder / f"game_{step:05d}_{index:03d}_{SKILLS[(step + index) % 6]}.py"
            game.write_text(GAME.format(variant=variant))
            variant += 1
            if full:
                game.with_name(game.stem + "_hint.txt").write_text(f"Halve the range, {variant}.\n")
    memory = [{"code": f"class G{at}: ...", "skill": SKILLS[at % 6], "metadata": {"step": at}} for at in range(200)]
    (root / "env_memory.json").write_text(json.dumps(memory))
    (root / "README.md").write_text(card())
    return root


def entry(at: int, games: list[str]) -> str:
    """One log entry: 16 plays for each of some games."""
    rewards = {f"/scratch/run/{name}": [((at * 7 + play) % 5) / 4 for play in range(16)] for name in games}
    return f"[COLLECT] stats: {{'game': {rewards!r}, 'skill': {{'optimization': [0.5]}}}}"


def log_lines() -> tuple[list[str], list[str]]:
    """The lines of the stopped and the running job: 30 and 5 entries that reach every game."""
    names = game_names()
    entries = [entry(at, names[at * 6 % 195 : at * 6 % 195 + 18]) for at in range(35)]
    noise = "(Worker pid=12) step done"
    lines = [line for text in entries for line in (noise, f"\x1b[36m(Trainer pid=7, ip=10.0.0.2)\x1b[0m {text}")]
    return lines[: 2 * STOPPED_ENTRIES], lines[2 * STOPPED_ENTRIES :]


def make_logs(folder: Path) -> tuple[Path, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    stopped, running = folder / f"{STOPPED}.log", folder / f"{RUNNING}.log"
    for path, lines in zip((stopped, running), log_lines(), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return stopped, running
