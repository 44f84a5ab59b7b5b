"""The plugin with a fault of its own at one stage: in its constructor, and in what each hook does."""

from collections.abc import Mapping
from typing import Any

from runaudit.integrations.harbor_plugin import RunauditPlugin


class Unprintable:
    """An option that ends the process when it is looked at."""

    def __str__(self) -> str:
        raise SystemExit(9)


class BrokenConstructor(RunauditPlugin):
    """The option is looked at in the constructor."""

    def __init__(self, **_: Any) -> None:
        super().__init__(summary=Unprintable())


class BrokenEverywhere(RunauditPlugin):
    """Every hook tries to end the process."""

    def record(self, event: str, result: Mapping[str, Any] | None) -> None:  # noqa: ARG002  # the signature
        raise SystemExit(9)


class BrokenStart(RunauditPlugin):
    """Only the start cannot be recorded."""

    def record(self, event: str, result: Mapping[str, Any] | None) -> None:
        if event == "start":
            raise RuntimeError("a fault at the start")
        super().record(event, result)


class BrokenTrial(RunauditPlugin):
    """No attempt can be recorded."""

    def record(self, event: str, result: Mapping[str, Any] | None) -> None:
        if event == "attempt":
            raise RuntimeError("a fault in a trial's hook")
        super().record(event, result)


class BrokenEnd(RunauditPlugin):
    """The summary tries to end the process."""

    def summarize(self) -> None:
        raise SystemExit(9)
