# Two commands do everything on a fresh machine with Python 3.11+: `make run` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
unexport PYTHONDONTWRITEBYTECODE # each of the many processes that tests start would compile everything again

.PHONY: setup run demo quick test gate nightly coverage check terraform format bench eval live dist release clean

setup: $(VENV)/dev ## the whole development environment

$(VENV)/run: pyproject.toml requirements.txt constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e .
	@touch $@

$(VENV)/dev: $(VENV)/run
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

run: $(VENV)/run ## start the product on this machine with the sample notes
	$(BIN)/aurora dev --home .aurora --sample

demo: $(VENV)/run ## the same without a server: three questions, three cited answers
	$(BIN)/aurora demo

# PART=HASH runs a third of them (tests/selection.py).
PART ?=
quick: $(VENV)/dev ## the tests that start no process: no Java, browser or Node
	PYTHONHASHSEED=0 $(BIN)/pytest --quick -m "not nightly" -n auto -q -rfE --part="$(PART)"

# Three workers, as tests wait a third of the time; a file is one worker's. CHANGED=all runs every test that is not nightly.
CHANGED ?= $(shell .ci/changed)
test: $(VENV)/dev ## the tests, those on the emulator included; browsers, command lines and deployments where their code has changed
	PYTHONHASHSEED=0 $(BIN)/pytest -m "not nightly" -n 3 --dist loadfile --no-loadscope-reorder --changed="$(CHANGED)"

# In one run, as every worker collects all tests and starts an emulator.
gate: $(VENV)/dev ## `make test`, and of `make nightly` the part that TURN=HASH chooses (tests/selection.py)
	PYTHONHASHSEED=0 $(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder --changed="$(CHANGED)" --turn="$(TURN)"

TURN ?=
NIGHTLY_CHANGED ?= all
nightly: $(VENV)/dev ## whole tools and long storms; `make test CHANGED=all` runs a small one of each
	PYTHONHASHSEED=0 $(BIN)/pytest -m nightly -n 2 --dist loadfile --no-loadscope-reorder --changed="$(NIGHTLY_CHANGED)" --turn="$(TURN)"

coverage: $(VENV)/dev ## the same with coverage; slower, and on Python 3.11 its tracer now and then loses a thread
	$(BIN)/pytest --cov --cov-report=term:skip-covered

check: $(VENV)/dev ## lint, format, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The tests hold the module to the schema of the same provider, which they have without its registry.
terraform: ## the Terraform module before the provider itself, where its registry can be reached
	@rm -rf bench/out/terraform && mkdir -p bench/out/terraform && cp -R deploy bench/out/terraform
	terraform -chdir=bench/out/terraform/deploy/terraform init -backend=false -input=false
	terraform -chdir=bench/out/terraform/deploy/terraform validate

format: $(VENV)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev ## every speed figure, as ratios; JSON in bench/out
	$(BIN)/python -m bench

eval: $(VENV)/dev ## the golden questions over the sample notes, strangers' and made-up people's; pages with plots in bench/out
	@mkdir -p bench/out
	$(BIN)/aurora eval examples/golden.jsonl --notes examples/notes --strategy weighted --strategy rrf --foreign examples/strangers/golden.jsonl --cache bench/out/vectors.sqlite3 --html bench/out/eval.html
	$(BIN)/aurora eval examples/strangers/golden.jsonl --notes examples/strangers/notes --strategy weighted --strategy rrf --foreign examples/golden.jsonl --cache bench/out/vectors.sqlite3 --html bench/out/eval-strangers.html
	$(BIN)/aurora eval examples/people/golden.jsonl --notes examples/people/notes --cache bench/out/vectors.sqlite3 --html bench/out/eval-people.html

dist: $(VENV)/dev ## the wheel and the source archive, in dist/
	$(BIN)/python -m build --no-isolation --outdir dist

release: check ## `make release VERSION=0.2.0`: all tests, the nightly ones too, dates the changelog, builds into dist/, commits and tags
	$(MAKE) test CHANGED=all
	$(MAKE) nightly
	$(BIN)/python -m release.cut $(VERSION)

live: $(VENV)/run ## ten questions to the real models that the environment names; without a key nothing is called
	$(BIN)/aurora live

clean:
	rm -rf .venv .aurora bench/out dist
