"""What a user would otherwise run over a file of rows: one loop each, eight fields, sums printed. No checks.

Started as a program of its own: `peers.py json|orjson|duckdb|duckdb-any FILE`.
"""

import sys
from collections.abc import Callable
from typing import Any

# small fields that a reader of rollouts wants: two indices, id, reward, log folder, response id, model, tokens
_SQL = """
SELECT count(*), sum(_ng_task_index), sum(_ng_rollout_index), count(_ng_task_id.task_id), sum(reward),
       count(verifier_logs_dir), count(response.id), count(response.model), sum(response.usage.total_tokens)
FROM read_json(?, format='newline_delimited', {more}columns={{
  _ng_task_index: 'BIGINT', _ng_rollout_index: 'BIGINT', _ng_task_id: 'STRUCT(task_id VARCHAR)', reward: 'DOUBLE',
  verifier_logs_dir: 'VARCHAR',
  response: 'STRUCT(id VARCHAR, model VARCHAR, usage STRUCT(total_tokens BIGINT))'}})
"""

# as it comes it refuses rows of more than 16 MiB; the other takes any row that `summarize` takes
_MORE = {"duckdb": "", "duckdb-any": "maximum_object_size=268435456, "}


def loop(loads: Callable[[bytes], Any], path: str) -> tuple[object, ...]:
    """Counts and sums over the eight fields, parsed line by line."""
    totals = [0, 0, 0, 0, 0.0, 0, 0, 0, 0]
    with open(path, "rb") as file:
        for line in file:
            row = loads(line)
            response = row["response"]
            values = (
                1,
                row["_ng_task_index"],
                row["_ng_rollout_index"],
                row["_ng_task_id"]["task_id"] is not None,
                row["reward"],
                row["verifier_logs_dir"] is not None,
                response["id"] is not None,
                response["model"] is not None,
                response["usage"]["total_tokens"],
            )
            for place, value in enumerate(values):
                totals[place] += value
    return tuple(totals)


def main(tool: str, path: str) -> None:
    """Runs one tool over one file."""
    if tool == "json":
        import json

        print(*loop(json.loads, path))
    elif tool == "orjson":
        import orjson

        print(*loop(orjson.loads, path))
    elif tool in _MORE:
        import duckdb

        print(*duckdb.execute(_SQL.format(more=_MORE[tool]), [path]).fetchone())
    else:
        sys.exit(f"unknown tool {tool}")


if __name__ == "__main__":
    main(*sys.argv[1:])
