# Every target makes what it needs: a virtual environment, what is installed in it, the demo's model.
# The first run of a target may use the network; later runs do not, until pyproject.toml asks for something else.
#
#   make PYTHON=python3.13 VENV=.venvs/3.13 test-core      another Python, in an environment of its own

# The first Python that is new enough.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV ?= .venv
TESTS ?= tests
PYTEST_OPTIONS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

IN_VENV := $(VENV)/bin/python
PIP := $(IN_VENV) -m pip
PYTEST := $(IN_VENV) -m pytest $(PYTEST_OPTIONS)
STAMPS := $(VENV)/.stamps

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help install format lint types test check test-core test-slow test-model test-onedrive test-pyrit test-adapters test-postgres docs accuracy check-wheel demo bench build clean

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-14s %s\n", $$1, $$2 }'

# --- What people run ---

demo: $(STAMPS)/local ## Test a small agent on a small language model, on this machine
	$(VENV)/bin/rampart demo

test: lint types check-wheel $(STAMPS)/local ## Everything: lint, types, the wheel, and all tests, the slow ones and those on the model too
	$(PYTEST) $(TESTS)

check: lint types test-core ## The quick half of `make test`, for while you work

test-core: $(STAMPS)/dev ## The tests that are neither slow nor on the model; every code block of the docs is among them
	$(PYTEST) -m 'not slow and not model' $(TESTS)

test-slow: $(STAMPS)/dev $(STAMPS)/wheels ## The tests that take long
	$(PYTEST) -m slow $(TESTS)

test-model: $(STAMPS)/dev $(STAMPS)/local ## The tests on the local language model
	$(PYTEST) -m model $(TESTS)

test-onedrive: $(STAMPS)/dev ## The tests on the Microsoft Graph SDK (some 400 MB), in an environment of their own
	$(IN_VENV) -m scripts.environment_tests onedrive $(PYTEST_OPTIONS)

test-pyrit: $(STAMPS)/dev ## The tests on PyRIT (some 1.1 GB), in an environment of their own
	$(IN_VENV) -m scripts.environment_tests pyrit $(PYTEST_OPTIONS)

test-adapters: $(STAMPS)/dev ## The adapters on the real frameworks, in environments of their own; scripts/test-adapters --help
	scripts/test-adapters $(if $(PYTEST_OPTIONS),--pytest="$(PYTEST_OPTIONS)")

test-postgres: $(STAMPS)/dev ## The tests on PostgreSQL, which is installed if it is missing and you are root on Debian
	$(IN_VENV) scripts/postgres.py --install
	RAMPART_NEEDS_POSTGRES=1 $(PYTEST) -m postgres $(TESTS)

docs: $(STAMPS)/dev ## Run every code block of README.md and docs/
	$(PYTEST) tests/docs

accuracy: $(STAMPS)/dev ## Write what the labelled sets say of the evaluators into docs/evaluators-accuracy.md
	$(IN_VENV) -m scripts.accuracy_page

bench: $(STAMPS)/dev ## Measure what rampart costs
	$(IN_VENV) -m benchmarks

format: $(STAMPS)/dev ## Format the code, and mend what can be mended
	$(IN_VENV) -m ruff check --fix .
	$(IN_VENV) -m ruff format .

lint: $(STAMPS)/dev ## Check style and format
	$(IN_VENV) -m ruff check .
	$(IN_VENV) -m ruff format --check .

types: $(STAMPS)/dev ## Check the types, strictly
	$(IN_VENV) -m mypy

build: $(STAMPS)/dev ## Build the wheel into dist/
	rm -rf dist
	$(IN_VENV) -m hatchling build -t wheel

check-wheel: build $(STAMPS)/wheels ## Install the built wheel in a new environment and use it there
	$(IN_VENV) scripts/check_wheel.py dist --wheels $(STAMPS)/wheels

install: $(STAMPS)/dev ## Make the virtual environment and install rampart in it, editable, with the tools

clean: ## Remove what was made: environments, caches, builds (the demo's model stays in your cache folder)
	rm -rf .venv .venvs dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis .rampart
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- What they need ---

# Where Python comes without ensurepip (Debian's python3-venv is not there), pip puts a pip into the environment.
$(STAMPS)/venv:
	@test -n '$(PYTHON)' && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'rampart needs Python 3.11 or later; name one: make PYTHON=python3.13 ...' >&2; exit 1; }
	@echo '$(PYTHON) -m venv $(VENV)'
	@$(PYTHON) -m venv $(VENV) || { $(PYTHON) -m venv --clear --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(IN_VENV) install pip; }
	@mkdir -p $(STAMPS)
	@touch $@

# Written anew whenever pyproject.toml is newer, but changed only when an installation would differ.
$(STAMPS)/requirements.txt: pyproject.toml scripts/requirements.py $(STAMPS)/venv
	@$(IN_VENV) scripts/requirements.py > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(STAMPS)/base: $(STAMPS)/requirements.txt
	$(PIP) install --quiet --editable .
	@touch $@

$(STAMPS)/dev: $(STAMPS)/requirements.txt
	$(PIP) install --quiet --editable . --requirement $(STAMPS)/requirements.txt
	@touch $(STAMPS)/base $@

# No wheel for this platform is no failure: the demo then shows scripted replies, and the tests on the model skip.
$(STAMPS)/local: $(STAMPS)/base
	@echo '$(PIP) install --editable .[local]'
	@if $(PIP) install --quiet --only-binary xllamacpp --editable '.[local]'; then touch $@; \
	else echo 'No runtime for local models could be installed; going on without one.'; fi

# What rampart needs, as wheels, so that the built wheel can be tried without network.
$(STAMPS)/wheels: $(STAMPS)/requirements.txt
	rm -rf $@ $@.new
	@mkdir $@.new
	@$(IN_VENV) scripts/requirements.py --runtime > $@.new/requirements.txt
	$(PIP) download --quiet --only-binary :all: --dest $@.new --requirement $@.new/requirements.txt
	mv $@.new $@
