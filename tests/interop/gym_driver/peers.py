"""The peers of a NeMo Gym run: HTTP servers on the loopback address that answer for agents and environments.

They are the only thing that is not the producer's own. `/run` is answered by the story that is being told, and
`/aggregate_metrics` by the arithmetic that the producer ships for its servers, so that no number in an aggregate
is ours. Runs inside the producer's environment.
"""

import importlib
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple, Self

web: Any = importlib.import_module("aiohttp.web")
aiohttp: Any = importlib.import_module("aiohttp")


class Reply(NamedTuple):
    """What a peer answers: a JSON value, and the HTTP status it comes with."""

    body: object
    status: int = 200


Answer = Callable[[str, dict[str, Any]], Reply]


class Peers:
    """A running set of peers, and the client by which the collector reaches them under their configured names."""

    def __init__(self, configuration: Any, answer: Answer) -> None:
        self.global_config_dict = configuration
        self._answer = answer
        self._base = ""
        self._session: Any = None
        self._runner: Any = None

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=1 << 26)
        application.router.add_post("/{server}/run", self._run)
        application.router.add_post("/{server}/aggregate_metrics", self._aggregate)
        self._runner = web.AppRunner(application)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._base = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self._session = aiohttp.ClientSession()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()
        await self._runner.cleanup()

    async def post(self, server_name: str, url_path: str, json: Any = None, **_: object) -> Any:
        """Send one request the way the collector's own client does, by server name and path."""
        body = json.model_dump(mode="json") if hasattr(json, "model_dump") else json
        return await self._session.post(f"{self._base}/{server_name}{url_path}", json=body)

    async def _run(self, request: Any) -> Any:
        reply = self._answer(request.match_info["server"], await request.json())
        return web.json_response(reply.body, status=reply.status)

    async def _aggregate(self, request: Any) -> Any:
        profile: Any = importlib.import_module("nemo_gym.reward_profile")
        rows = (await request.json())["verify_responses"]
        return web.json_response(profile.compute_aggregate_metrics(rows).model_dump(mode="json"))
