"""NeMo Gym results folders: names, rows, sidecars, and the rules that only hold there."""
