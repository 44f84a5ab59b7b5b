"""The export of self-play games: generations, partial steps, hints, an environment memory, a manifest with rewards."""

from pathlib import Path
from typing import Any

from tests.claims.writing import sha256, write, write_json

SKILLS = (
    "mathematical_reasoning",
    "logical_deduction",
    "spatial_reasoning",
    "pattern_recognition",
    "optimization",
    "causal_inference",
)
# folder -> step, games; full generations have hints
FOLDERS = {
    "gen_00_step_00000": (0, 6),
    "gen_01_step_00004": (4, 6),
    "gen_02_step_00008": (8, 5),
    "partial/step_00001": (1, 1),
    "partial/step_00005": (5, 2),
}
LIVE = "gen_01_step_00004"
JOBS = {"spare_games_final": 4, "spare_games_live": 1}
MEMORY = 20


def write_games(folder: Path) -> None:
    """Everything but the card and the claims."""
    games = [_game(folder, name, step, index) for name, (step, count) in FOLDERS.items() for index in range(count)]
    for path in sorted((folder / "generations" / LIVE).glob("game_*.py")):
        write(folder / "spare_games" / path.name, path.read_bytes())
    per_skill = {skill: sum(game["skill"] == skill for game in games) for skill in SKILLS}
    summary = {
        "total_games": len(games),
        "per_generation_counts": {name.rsplit("/", 1)[-1]: count for name, (_, count) in FOLDERS.items()},
        "per_skill_counts": per_skill,
        "games_with_reward_data": len(games),
        "games_without_reward_data": 0,
        "reward_stats_source": JOBS,
    }
    write_json(folder / "manifest.json", {"summary": summary, "games": games})
    memory = [{"skill": SKILLS[number % 6], "code": f"# snippet {number}"} for number in range(MEMORY)]
    write_json(folder / "env_memory.json", memory)
    config = {"games_per_rollout": 6, "plays_per_game": 4, "max_turns": 15, "game_regeneration_interval": 4}
    write_json(folder / "config.json", config)


def _game(folder: Path, name: str, step: int, index: int) -> dict[str, Any]:
    skill = SKILLS[(step + index) % 6]
    stem = f"game_{step:05}_{index:03}_{skill}"
    path = f"generations/{name}/{stem}.py"
    write(folder / path, f"class Game:\n    skill = {skill!r}\n    number = {step * 100 + index}\n")
    if not name.startswith("partial"):
        write(folder / f"generations/{name}/{stem}_hint.txt", f"Think about {skill.replace('_', ' ')}.\n")
    rewards = [round(0.25 * ((index + play) % 5), 2) for play in range(4)]
    entry = {"file": path, "generation": name.rsplit("/", 1)[-1], "step": step, "index": index, "skill": skill}
    return {**entry, "sha256": sha256(folder / path), "rewards": rewards, "mean": sum(rewards) / 4}
