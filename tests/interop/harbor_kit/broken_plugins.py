"""The plugin with a fault of its own at one stage: in its constructor, and in what each hook does."""

from runaudit.integrations.harbor_plugin import RunauditPlugin


class Unprintable:
    """An option that ends the process when it is looked at."""

    def __str__(self):
        raise SystemExit(9)


class BrokenConstructor(RunauditPlugin):
    def __init__(self, **options):
        super().__init__(summary=Unprintable())


class BrokenEverywhere(RunauditPlugin):
    def record(self, event, result):
        raise SystemExit(9)


class BrokenStart(RunauditPlugin):
    def record(self, event, result):
        if event == "start":
            raise RuntimeError("a fault at the start")
        super().record(event, result)


class BrokenTrial(RunauditPlugin):
    def record(self, event, result):
        if event == "attempt":
            raise RuntimeError("a fault in a trial's hook")
        super().record(event, result)


class BrokenEnd(RunauditPlugin):
    def summarize(self):
        raise SystemExit(9)
