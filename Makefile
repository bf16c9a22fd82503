# Budgeteer: `make run` starts the dashboard, `make test` runs every check. `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# The one interpreter version is in .python-version; uv must neither download another nor write a lock file.
export UV_PYTHON_DOWNLOADS := never
export UV_NO_PROGRESS := 1
# Without compiled modules every process that starts compiles 1,300 of them, which doubles the time of its start.
unexport PYTHONDONTWRITEBYTECODE
PYTHON_VERSION := $(shell cat .python-version)
BIN := .venv/bin

.PHONY: help run env deps format lint types test test-all servers-present kills fuzz hostile bench bench-browser bench-load bench-imports accuracy samples requirements audit sbom clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

run: .venv/.installed ## start the dashboard: web, worker and scheduler, with an address to open
	@$(BIN)/budgeteer serve $(ARGS)

env: .venv/.installed .venv/.installed-dev ## make the environment in .venv and install what development needs

deps: ## install the system packages that the tests need
	@scripts/install_deps.sh

format: .venv/.installed-dev ## rewrite files the way the checks want them
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	find templates -name '*.html' -print0 | xargs -0 $(BIN)/djade --target-version 6.1

lint: .venv/.installed-dev ## format, lint, types, directions, templates, migrations, settings
	@scripts/lint.sh

test: .venv/.installed-dev servers-present lint ## every check and test but the long ones
	@scripts/test.sh

test-all: test ## make test, then the long tests and, with BUDGETEER_CORPUS=folder, the real files
	@scripts/test_long.sh

kills: .venv/.installed-dev servers-present ## kill workers, web, scheduler and servers at random moments (ARGS="--kills 60 --seed 7")
	@$(BIN)/python -m tests.kills $(ARGS)

fuzz: .venv/.installed-dev ## import 20,000 damaged files of every format (BUDGETEER_CORPUS=folder damages yours too; ARGS="--cases 500 --seed 7")
	@$(BIN)/python -m tests.formats.fuzz $(ARGS)

hostile: .venv/.installed-dev servers-present ## send 1,200 hostile files and 170 strings by the pages, the API and the command line (ARGS="--every 6")
	@$(BIN)/python -m tests.hostile $(ARGS)

bench: .venv/.installed .venv-bench/.installed ## measure beside other packers and write docs/performance.md (ARGS="--quick" prints only)
	@.venv-bench/bin/python -m benchmarks $(ARGS)

bench-browser: .venv/.installed-dev ## measure the dashboard in a real browser into docs/performance.md (ARGS="--quick" prints only)
	@$(BIN)/python -m benchmarks.browser.latency $(ARGS)

bench-imports: .venv/.installed ## measure imports of large files into docs/performance.md (ARGS="--megabytes 20" prints only)
	@$(BIN)/python -m benchmarks.imports.speed $(ARGS)

bench-load: .venv/.installed-dev .venv-bench/.installed servers-present ## fifty people at once for five minutes (ARGS="--quick": five of them)
	@$(BIN)/python -m benchmarks.load $(ARGS)

accuracy: .venv/.installed .venv-bench/.installed ## hold counts against recorded requests and write docs/accuracy.md (ARGS="FILES --quick" prints only)
	@.venv-bench/bin/python -m benchmarks.accuracy.recorded_counts $(ARGS)

requirements: .venv/.installed ## write requirements.txt: what production installs, by version and hash
	@scripts/write_requirements.sh

audit: .venv/.installed-dev ## ask for known vulnerabilities of what production installs (needs the network; ARGS="-s osv")
	@scripts/audit.sh $(ARGS)

sbom: .venv/.installed-dev ## print a bill of materials of what production installs (CycloneDX)
	@$(BIN)/python scripts/write_sbom.py

samples: .venv/.installed-dev ## write the three samples anew
	$(BIN)/python scripts/make_samples.py

clean: ## remove the environment and the caches; var/ (your data) stays
	rm -rf .venv .venv-bench .deps build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

servers-present: .venv/.installed-dev
	@$(BIN)/python scripts/missing_deps.py || scripts/install_deps.sh
	@$(BIN)/python scripts/missing_deps.py

.venv/.installed: pyproject.toml constraints.txt .python-version scripts/make_env.sh
	@scripts/make_env.sh

.venv/.installed-dev: .venv/.installed
	@scripts/make_env.sh dev

.venv-bench/.installed: pyproject.toml benchmarks/constraints.txt .python-version scripts/make_env.sh
	@scripts/make_env.sh bench
