"""Exports of generated self-play games: names, manifest, job logs, rules, replay. Only `replay_*` runs anything."""
