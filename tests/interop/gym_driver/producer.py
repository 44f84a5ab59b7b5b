"""The real collector, aggregation and health check of whichever `nemo-gym` release is installed here.

Every file that these functions leave behind is written by the producer. Differences between releases are asked of
the release (does it have this option, this module?), never assumed from its number.
"""

import asyncio
import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, patch

from tests.interop.gym_driver.peers import Answer, Peers

# imported by the producer for downloads and tracing that no story uses
STAND_INS = ("mlflow", "mlflow.artifacts", "mlflow.environment_variables", "mlflow.exceptions", "datasets")
for name in STAND_INS:
    sys.modules.setdefault(name, MagicMock())

omegaconf: Any = importlib.import_module("omegaconf")
collection: Any = importlib.import_module("nemo_gym.rollout_collection")


def has_environment_servers() -> bool:
    """Whether this release sends rows to environment servers (0.7) instead of straight to agents."""
    return hasattr(collection, "NG_ENVIRONMENT_SERVER_KEY")


def has_health_check() -> bool:
    """Whether this release checks the health of what it collected (since 0.6)."""
    return importlib.util.find_spec("nemo_gym.rollout_health") is not None


def configuration(agents: Iterable[str]) -> Any:
    """The merged configuration of a run with these agents, each behind an environment server where there are any."""
    blocks: dict[str, Any] = {}
    for agent in agents:
        resources = f"{agent}_resources_server"
        blocks[resources] = {"resources_servers": {"arithmetic": {"entrypoint": "app.py", "domain": "math"}}}
        pairing = {"type": "resources_servers", "name": resources}
        blocks[agent] = {"responses_api_agents": {"one_turn": {"entrypoint": "app.py", "resources_server": pairing}}}
        if has_environment_servers():
            fronted = {"type": "responses_api_agents", "name": agent}
            block = {"legacy_agent": {"entrypoint": "app.py", "agent_server": fronted}}
            blocks[f"{agent}_environment"] = {"environment_servers": block}
    return omegaconf.OmegaConf.create(blocks)


def collect(agents: Iterable[str], answer: Answer, inputs: Path, output: Path, **options: object) -> None:
    """One run of the collector: `gym eval run` after its servers are up."""
    options = {"num_samples_in_parallel": 2, "health_check_workers": 1, **options}
    config = collection.RolloutCollectionConfig(
        input_jsonl_fpath=str(inputs),
        output_jsonl_fpath=str(output),
        **_known(collection.RolloutCollectionConfig, options),
    )
    _drive(agents, answer, lambda: collection.RolloutCollectionHelper().run_from_config(config))


def aggregate(agents: Iterable[str], shards: str, output: Path, **options: object) -> None:
    """Merge the shards that a pattern matches, and compute their metrics: `gym eval aggregate`."""
    options = {"health_check_workers": 1, **options}
    config = collection.RolloutAggregationConfig(
        input_glob=shards, output_jsonl_fpath=str(output), **_known(collection.RolloutAggregationConfig, options)
    )

    def silent(server: str, _: dict[str, Any]) -> Any:
        raise AssertionError(f"{server} was asked for a rollout while aggregating")

    _drive(agents, silent, lambda: collection.RolloutAggregationHelper().run_from_config(config))


def check_health(rollouts: Path) -> None:
    """Write the two health reports of one rollouts file."""
    health: Any = importlib.import_module("nemo_gym.rollout_health")
    health.run_health_checks(rollouts, output_dir=rollouts.parent, workers=1)


def _known(config: Any, options: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in options.items() if key in config.model_fields}


def _drive(agents: Iterable[str], answer: Answer, start: Any) -> None:
    async def run() -> None:
        async with Peers(configuration(agents), answer) as peers:
            with _connected(peers):
                await start()

    asyncio.run(run())


@contextmanager
def _connected(peers: Peers) -> Iterator[None]:
    with (
        patch.object(
            collection.RolloutCollectionHelper, "setup_server_client", lambda _self, _head=None, **_options: peers
        ),
        patch.object(collection, "get_global_config_dict", lambda *_a, **_k: peers.global_config_dict),
    ):
        yield
