# `make demo` and `make test` do everything on a fresh Debian machine; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
FUZZ_SECONDS ?= 3600
SOAK_SECONDS ?= 1800
BIN := $(VENV)/bin
# Editable, so that a change needs no new installation; setuptools warns of that, which helps nobody.
INSTALL := PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable
PACKAGES := verifier dice_service
CODE := $(PACKAGES) tests
# What is written by hand; verify.html and zarf-device.js are built of it.
SCRIPTS := verifier/page/src tests/unit/page tests/page tests/e2e

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## What can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# Two environments in one folder: what runs the service, and on top of it what tests it.
$(VENV)/.service: pyproject.toml .ci/setup
	.ci/setup run
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[service]'
	touch $@

$(VENV)/.dev: $(VENV)/.service
	.ci/setup test
	$(INSTALL) '.[dev]'
	touch $@

var/keys: | $(VENV)/.service
	$(BIN)/dice-service init

.PHONY: run
run: $(VENV)/.service var/keys ## Start the service on SQLite, in var/
	$(BIN)/dice-service serve

.PHONY: demo
demo: $(VENV)/.service ## Play a whole match over HTTP, and verify its log
	$(BIN)/dice-service demo --rules tavlino

.PHONY: test
test: $(VENV)/.dev lint ## All checks and all tests, as CI runs them
	$(BIN)/coverage erase
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report= -q --durations 15
	$(BIN)/coverage report --include='verifier/*' --fail-under=95

.PHONY: lint
lint: $(VENV)/.dev ## Style, types, and who may import whom
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports
	$(BIN)/oxlint --quiet $(SCRIPTS)
	$(BIN)/oxfmt --check $(SCRIPTS)

.PHONY: audit
audit: $(VENV)/.dev ## Ask for known weaknesses of all that is installed; needs the network
	$(BIN)/python -m pip freeze --exclude-editable >$(VENV)/frozen.txt
	$(BIN)/pip-audit --strict --disable-pip --no-deps --requirement $(VENV)/frozen.txt

.PHONY: fmt
fmt: $(VENV)/.dev ## Format the code, and mend what can be mended mechanically
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)
	$(BIN)/oxfmt $(SCRIPTS)

.PHONY: bench
bench: $(VENV)/.dev ## Measure, each figure against a baseline in the same run; writes bench.json
	$(BIN)/python -m tests.bench

.PHONY: corpus
corpus: $(VENV)/.dev ## Replay the real match files in ../shared/matches, and count
	$(BIN)/python -m tests.corpus

.PHONY: soak
soak: $(VENV)/.dev ## Load and faults for SOAK_SECONDS (30 minutes); writes soak.json
	SOAK_SECONDS=$(SOAK_SECONDS) $(BIN)/python -m tests.faults

.PHONY: agreement
agreement: $(VENV)/.dev ## Hold the two ways of judging a play together on millions of positions
	$(BIN)/python -m tests.agreement

.PHONY: fuzz
fuzz: $(VENV)/.dev ## Fuzz the readers of match files, FUZZ_SECONDS long (an hour)
	$(BIN)/python -m tests.fuzz.match_files -max_total_time=$(FUZZ_SECONDS)

.PHONY: vectors
vectors: $(VENV)/.dev ## Write the test vectors anew
	$(BIN)/python -m tests.vectors.generate

.PHONY: openapi
openapi: $(VENV)/.dev ## Write openapi/ anew
	$(BIN)/python -m dice_service.api.openapi

.PHONY: page
page: $(VENV)/.dev ## Build the verification page anew, and print its SHA-256
	$(BIN)/python -m verifier.page.build

.PHONY: screenshot
screenshot: $(VENV)/.dev ## Take the picture of the page that README.md shows
	$(BIN)/python -m tests.page.screenshot

.PHONY: readme
readme: $(VENV)/.dev ## Write the parts of README.md that the code prints
	$(BIN)/python -m tests.readme

.PHONY: messages
messages: $(VENV)/.dev ## Bring the Turkish catalogue up to date with the sentences in the code
	$(BIN)/pybabel -q extract -k mark -k InputError:2 --no-location --sort-output -o $(VENV)/zarf.pot verifier
	$(BIN)/pybabel -q update --no-fuzzy-matching --ignore-obsolete -D zarf -i $(VENV)/zarf.pot -d verifier/locale
	$(BIN)/pybabel -q compile -D zarf -d verifier/locale

.PHONY: clean
clean: ## Remove what was built, but not var/ with its keys
	rm -rf $(VENV) build dist *.egg-info .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
