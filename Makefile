# One entry for everything: `make` lists the targets.  Needs Python 3.11+ with venv, and make.
PYTHON ?= python3
# A .venv that make did not make is somebody's own, and may be in use: it is never touched.
OURS   := $(or $(wildcard .venv/.made .venv/.ready),$(if $(wildcard .venv/.),,not there yet))
VENV   := $(if $(OURS),.venv,.venv-dev)
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
LOCKS  := requirements/all.txt requirements/dev.txt

# Kept bytecode saves each of a hundred processes seconds of compiling what it imports.
unexport PYTHONDONTWRITEBYTECODE

# Lock files are written by this tool only, in its own environment.
LOCKER := uv==0.13.7
UV      = .venv-lock/bin/uv
COMPILE = $(UV) pip compile --quiet --no-config --universal --python-version 3.11 \
          --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-build-options \
          --custom-compile-command "make lock" $(LOCKARGS)

# What the tests of the service run on Debian, besides Python; without them they are skipped.
DEBIAN   := postgresql chromium npm

PYTEST   := $(BIN)/python -m pytest
PIP      := $(BIN)/python -m pip --disable-pip-version-check
OUT      ?= report

# Most kernels share functions, and a process compiles each of those once: so one process starts.
COMPILING := $(addprefix tests/,digests engine logs policies/test_regulated.py rewards/test_counts.py)
# Two processes share the others: each imports and collects its half alone, unlike workers of xdist.
HALF     := $(addprefix tests/,adapters core docs engine/gpu report service)
QUICK    := -m "not slow and not soak and not wheel"
JOBS     ?= 2
SOAKS    ?= 5
MUTANTS  ?= 20

ifeq ($(VENV)$(MAKELEVEL),.venv-dev0)
$(info .venv is your own and stays as it is: the tools of this repository are in .venv-dev)
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
ifndef HALVES
.NOTPARALLEL:
endif
.PHONY: help venv system demo examples test quick test-suite one-half other-half test-nojit test-wheel test-lowest coverage lint format docs \
        docs-serve bench record soak lock wheel release-check clean

help: ## list the targets
	@awk 'BEGIN { FS = ":.*## " } \
	      /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	      /^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Use it

venv: $(READY) ## put the locked environment and the command into .venv (.venv-dev if you have your own)

demo: $(READY) ## run the paper's simulated study and write the report to report/
	$(BIN)/python -m studies simulated --out $(OUT)/

docs: $(READY) ## build the documentation site into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir site
	@echo "the documentation is in site/index.html"

examples: $(READY) ## run the notebooks of examples/ and store what they show
	OPENBLAS_NUM_THREADS=1 $(BIN)/python docs/_hooks/notebooks.py examples/*.ipynb

##@ Work on it

system: # install the Debian packages that are missing, where we may
	@missing=; for package in $(DEBIAN); do \
	  dpkg -s $$package >/dev/null 2>&1 || command -v $$package >/dev/null \
	    || missing="$$missing $$package"; done; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } \
	  || echo "could not install$$missing: tests that need them are skipped"; fi

quick: $(READY) ## the inner loop: tests without the slow ones
	$(PYTEST) -n 2 --dist loadfile $(QUICK)

lint: $(READY) ## check style, types and the import layers
	$(BIN)/ruff check
	$(BIN)/ruff check --quiet --preview --select PLW1514  # encodings are named: systems have their own
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(READY) ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs-serve: $(READY) ## serve the documentation while writing it
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

bench: .venv-bench/.ready ## measure speed as ratios against peers and limits, in one run
	@failed=0; for benchmark in benchmarks/bench_*.py; do echo "== $$benchmark"; \
	  .venv-bench/bin/python $$benchmark || failed=1; done; exit $$failed

##@ Prove it

test: lint docs test-suite test-nojit test-wheel ## everything CI runs

test-suite: $(READY) system ## all tests and doctests, compiled, except the wheel's and the soak tests
	$(PYTEST) -m "not soak" $(COMPILING) --ignore=tests/engine/gpu $(COV)
	$(MAKE) -j $(JOBS) HALVES=both one-half other-half

one-half:
	$(PYTEST) -q -m "not soak and not wheel" $(HALF) $(COV)

other-half:
	$(PYTEST) -q -m "not soak and not wheel" $(addprefix --ignore=,$(COMPILING) $(HALF)) $(COV)

test-nojit: $(READY) ## the tests marked jit once more with the JIT off: kernels as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "jit and not slow and not soak" $(COV) \
	  $$(grep -rl "mark\.jit" tests --include="test_*.py")

coverage: $(READY) ## line and branch coverage of both runs, the JIT off included (twice the time)
	$(BIN)/coverage erase
	$(MAKE) test-suite test-nojit JOBS=1 COV="--cov --cov-append --cov-report="  # one file of results
	$(BIN)/coverage report

test-wheel: $(READY) ## build the wheel, install it bare and with all extras, use it outside the tree
	$(PYTEST) -m wheel tests/packaging

test-lowest: .venv-lowest/.ready ## the quick tests with the lowest versions that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -n 2 --dist loadfile $(QUICK) -W default --disable-warnings \
	  --ignore tests/packaging $(TESTS)  # of files and tools, which no version of ours changes

record: $(READY) ## write again what tests compare results with; then look at the difference
	for file in tests/*/test_recorded.py tests/checks/test_asked.py; do \
	    COLUMNS=80 $(BIN)/python -W ignore -m $$(echo $${file%.py} | tr / .) || exit 1; done

soak: $(READY) ## the suite and long statistics, repeatedly, with fresh examples; then mutants of src
	@for round in $$(seq $(SOAKS)); do \
	  seed=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' '); \
	  echo "== round $$round of $(SOAKS), --hypothesis-seed=$$seed"; \
	  $(PYTEST) -n 2 --dist loadfile -q -m "not wheel" --hypothesis-seed=$$seed || exit 1; done
	$(BIN)/python tests/mutants.py --sample $(MUTANTS) --jobs $(JOBS) --minutes 60 \
	  --seed $$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')

##@ Keep it

lock: .venv-lock/.ready ## pin all dependencies with hashes (upgrade: make lock LOCKARGS=--upgrade)
	$(COMPILE) pyproject.toml -o requirements/core.txt
	$(COMPILE) pyproject.toml --extra all -c requirements/core.txt -o requirements/all.txt
	$(COMPILE) --group test --group docs -c requirements/all.txt -o requirements/dev.txt
	$(COMPILE) pyproject.toml --group bench -c requirements/all.txt -o requirements/bench.txt
	echo pip | $(COMPILE) - -o requirements/pip.txt

wheel: $(READY) ## build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation --outdir dist

release-check: $(READY) ## is this commit ready for a release? (release/README.md)
	$(BIN)/python release/check.py

clean: ## remove everything that make created
	rm -rf $(VENV) .venv-dev .venv-lock .venv-bench .venv-lowest site dist report htmlcov .coverage .coverage.* \
	       .mutants_cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src studies tests docs -name __pycache__ -type d -exec rm -rf {} +

$(READY): $(LOCKS) requirements/pip.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "highseason needs Python 3.11 or later, but \
	$(PYTHON) is " + sys.version.split()[0] + ": run make PYTHON=python3.11 (or another)")'
	$(PYTHON) -m venv $(VENV) && touch $(VENV)/.made
	-$(PIP) install --quiet --require-hashes -r requirements/pip.txt  # Python's own takes twice as long
	$(PIP) install --quiet --no-compile --require-hashes --only-binary :all: $(addprefix -r ,$(LOCKS))
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Peers bring their own dependencies, so they get their own environment.
.venv-bench/.ready: requirements/all.txt requirements/bench.txt pyproject.toml
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --require-hashes -r requirements/all.txt \
	  -r requirements/bench.txt
	.venv-bench/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Old releases warn beside new neighbours, so warnings are no errors there.  River, a peer in the
# tests, asks for a NumPy above our lowest but runs with it: it comes without what it asks for.
.venv-lowest/.ready: pyproject.toml .venv-lock/.ready
	$(UV) venv --quiet --clear --python $(PYTHON) .venv-lowest
	$(UV) pip compile --quiet pyproject.toml --extra all --resolution lowest-direct -o .venv-lowest/lowest.txt
	echo "river; python_version < '3'" > .venv-lowest/without.txt
	$(UV) pip compile --quiet pyproject.toml --extra all --group test --group docs \
	  --constraints .venv-lowest/lowest.txt --overrides .venv-lowest/without.txt -o .venv-lowest/all.txt
	$(UV) pip install --quiet --python .venv-lowest -r .venv-lowest/all.txt
	$(UV) pip install --quiet --python .venv-lowest --no-deps "river>=0.26.1" --editable .
	@touch $@

.venv-lock/.ready: Makefile
	$(PYTHON) -m venv --clear .venv-lock
	.venv-lock/bin/python -m pip --disable-pip-version-check install --quiet "$(LOCKER)"
	@touch $@
