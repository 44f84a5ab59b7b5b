"""Agents without a model: one that does what the instruction's last line says, and one that fails at first."""

import json
import os
from pathlib import Path
from typing import Any

from harbor.agents.base import BaseAgent  # type: ignore[import-not-found]  # only in Harbor's environment


class Scripted(BaseAgent):  # type: ignore[misc]  # see above
    """Runs the last line of the instruction, and leaves a trajectory with its tokens and cost."""

    @staticmethod
    def name() -> str:
        return "scripted"

    def version(self) -> str:
        return "1.0"

    async def setup(self, environment: Any) -> None:
        """Nothing to install."""

    async def run(self, instruction: str, environment: Any, context: Any) -> None:
        command = instruction.strip().splitlines()[-1]
        answer = await environment.exec(command)
        (self.logs_dir / "trajectory.json").write_text(json.dumps(self._trajectory(instruction, command, answer)))
        context.n_input_tokens, context.n_output_tokens, context.n_cache_tokens = 50, 7, 5
        context.cost_usd = 0.25

    def _trajectory(self, instruction: str, command: str, answer: Any) -> dict[str, Any]:
        call = {"tool_call_id": "call-1", "function_name": "bash", "arguments": {"command": command}}
        result = {"source_call_id": "call-1", "content": (answer.stdout or "") + (answer.stderr or "")}
        metrics = {"prompt_tokens": 50, "completion_tokens": 7, "cached_tokens": 5, "cost_usd": 0.25}
        return {
            "schema_version": "ATIF-v1.7",
            "session_id": getattr(self, "session_id", "none"),
            "agent": {"name": "scripted", "version": "1.0"},
            "steps": [
                {"step_id": 1, "timestamp": "2026-02-03T04:05:06Z", "source": "user", "message": instruction},
                {
                    "step_id": 2,
                    "timestamp": "2026-02-03T04:05:07Z",
                    "source": "agent",
                    "message": "done",
                    "tool_calls": [call],
                    "observation": {"results": [result]},
                    "metrics": metrics,
                },
            ],
            "final_metrics": {
                "total_prompt_tokens": 50,
                "total_completion_tokens": 7,
                "total_cached_tokens": 5,
                "total_cost_usd": 0.25,
                "total_steps": 2,
            },
        }


class ConnectionDroppedError(RuntimeError):
    """What a flaky provider would raise."""


class Flaky(Scripted):
    """Spends something and fails on the first attempt of each trial; the second one works."""

    @staticmethod
    def name() -> str:
        return "flaky"

    async def run(self, instruction: str, environment: Any, context: Any) -> None:
        mark = Path(os.environ["RUNAUDIT_FLAKY"]) / self.logs_dir.parent.name
        if not mark.exists():
            mark.write_text("tried")
            context.n_input_tokens, context.cost_usd = 321, 4.5
            raise ConnectionDroppedError("dropped")
        await super().run(instruction, environment, context)
