# One virtual environment beside the sources; every target makes it when it is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check lint types bench bench-large interop fuzz clean

demo: $(READY)
	@$(BIN)/runaudit demo

test: $(READY)
	@$(BIN)/python -m pytest -q -m "not interop"

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY)
	@$(BIN)/mypy

check: lint types test

bench: $(READY)
	@$(BIN)/python benchmarks/bench.py

bench-large: $(READY)
	@$(BIN)/python benchmarks/large.py

interop: $(READY)
	@$(BIN)/python -m pytest -q -m interop tests/interop

fuzz: $(READY)
	@PYTHONPATH=. $(BIN)/python tests/hostile/kill_rounds.py 500 3000
	@PYTHONPATH=. $(BIN)/python tests/hostile/fuzz.py 10000
	@if $(BIN)/python -c 'import atheris' 2>/dev/null; then PYTHONPATH=. $(BIN)/python tests/hostile/parsers.py 120; \
	else echo "atheris is not installed (pip install '.[fuzz]'): the parsers were not fuzzed"; fi

clean:
	rm -rf $(VENV) .cache dist

$(READY): pyproject.toml
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $(READY)
