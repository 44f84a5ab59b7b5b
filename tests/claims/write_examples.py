"""Writes the data of the worked examples below fixtures/claims anew; their cards and claims are written by hand.

.venv/bin/python -m tests.claims.write_examples
"""

from collections.abc import Callable
from pathlib import Path

from tests.claims.adapter_example import write_adapter
from tests.claims.games_example import write_games
from tests.claims.recipe_example import write_recipe

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claims"
EXAMPLES: dict[str, Callable[[Path], None]] = {
    "training-recipe": write_recipe,
    "adapter-card": write_adapter,
    "games-export": write_games,
}

if __name__ == "__main__":
    for name, write in EXAMPLES.items():
        write(FIXTURES / name)
