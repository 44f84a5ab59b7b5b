"""What every command that writes promises where it cannot write: one place for all the reasons why it cannot."""

import json
import os
from collections.abc import Callable

from tests.hostile.children import ended
from tests.hostile.writers import Target, Writer, content, names_below

# a cache that cannot be saved is a note of the report: the audit itself does not need it
CODES = {"run": 7, "hash-cache": 0}


def refused(one: Writer, reason: str, before: Callable[[], object] = lambda: None) -> list[Target]:
    """Runs the command where it cannot write, and holds it to what is promised; the documents that were written."""
    held = names_below(one.folder)
    code, out, err = ended(one.arguments, one.folder, before)
    written = [target for target in one.targets if content(target.path) not in (target.old, *target.others)]
    stopped = [target for target in one.targets if target not in written]
    assert all(target.whole() for target in one.targets)
    assert one.leftovers() == []
    assert names_below(one.folder) - held <= {os.path.relpath(path, one.folder) for path in one.made} | {
        os.path.relpath(target.path, one.folder) for target in written
    }
    if not stopped:
        assert code == one.code
        return written
    assert code == CODES.get(one.name, 3)
    lines = [json.dumps(json.loads(out)["findings"])] if one.name == "hash-cache" else err.splitlines()
    told = [line for line in lines if reason in line]
    assert len(told) == (len(stopped) if one.name == "run" else 1)
    assert any(str(target.path) in line for target in stopped for line in told)
    assert "Traceback" not in err
    assert "internal error" not in err
    if one.name == "run":
        assert out == "ran\n"
        ours = [line for line in err.splitlines() if line.startswith("runaudit: ")]
        assert len(ours) == len(stopped) + (one.targets[-1] in written)
    return written
