# What one does with this project; `make` alone lists it.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PARTS = ./comicsdb[demo] ./comicsdb_api ./comicsdb_web
METADATA = comicsdb/pyproject.toml comicsdb_api/pyproject.toml comicsdb_web/pyproject.toml constraints.txt
MESSAGES = $(wildcard comicsdb/locale/*/LC_MESSAGES/*.po comicsdb_web/locale/*/LC_MESSAGES/*.po)
WORKERS ?= 3
SOAK ?= 500

PORT ?= 8000
unexport PYTHONDONTWRITEBYTECODE  # servers and workers start in a third of the time
export COMICSDB_DATABASE_URL := $(or $(DB),$(COMICSDB_DATABASE_URL))

.DEFAULT_GOAL := help
.NOTPARALLEL:  # one environment takes one pip at a time
.PHONY: help develop db serve test lint soak faults bench bench-pages bench-import dist demo messages clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  serve takes DATA=FOLDER (a data set instead of the demo), DB=URL, PORT=8000"

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "This Python cannot make environments: install its venv module (apt install python3-venv)." >&2; exit 1; }
	@touch $@

$(VENV)/.serve: $(VENV)/.python $(METADATA)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt $(PARTS:%=-e %)
	@touch $@

# It brings what .serve does: at one go, as each turn takes long. What is used compiles itself, in less time.
$(VENV)/.develop: $(VENV)/.python $(METADATA) requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -r requirements-dev.txt
	@touch $(VENV)/.serve $@

$(VENV)/.messages: $(VENV)/.serve $(MESSAGES)
	$(BIN)/python -P comicsdb/building.py comicsdb/locale comicsdb_web/locale
	@touch $@

develop: $(VENV)/.develop $(VENV)/.messages ## make the environment, with everything development needs

db: $(VENV)/.messages ## make or migrate the development database
	$(BIN)/comicsdb -c development.ini db upgrade

serve: $(VENV)/.messages ## serve site and API with the demo catalogue on http://127.0.0.1:8000
	$(BIN)/comicsdb -c development.ini serve --port $(PORT) $(if $(DATA),--data "$(DATA)")

lint: $(VENV)/.develop ## what ruff has to say
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

test: lint $(VENV)/.messages ## every test, on real servers that it starts itself
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=15

soak: $(VENV)/.develop ## the property tests with new random sequences (SOAK=500 of them)
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/core/propagation/test_propagation_random.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/api/test_cache_property.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/site/test_two_processes.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/site/test_crash.py
	COMICSDB_SOAK=$(SOAK)0 $(BIN)/python -m pytest tests/site/test_hostile.py
	COMICSDB_SOAK=$(SOAK) $(BIN)/python -m pytest tests/web/test_axe.py

faults: $(VENV)/.develop ## what happens when something fails, on purpose (minutes; some of it as root)
	$(BIN)/python -m pytest -s tests/faults/fault_*.py

bench: $(VENV)/.develop ## how fast the API reads, beside views of constant bytes (DATA=FOLDER: of a data set)
	$(BIN)/python -m bench.reads $(if $(DATA),--data "$(DATA)")

bench-pages: $(VENV)/.develop ## how fast pages come, beside a view of constant bytes (DATA=FOLDER)
	$(BIN)/python -m bench.pages $(if $(DATA),--data "$(DATA)")

bench-import: $(VENV)/.develop ## how fast the data set DATA=FOLDER is imported
	$(BIN)/python bench/import_speed.py "$(DATA)"

dist: $(VENV)/.develop ## build the wheels of the three parts into dist/
	for part in comicsdb comicsdb_api comicsdb_web; do $(BIN)/python -m build --outdir dist $$part || exit 1; done

demo: $(VENV)/.serve ## write the demo catalogue, pictures included, to var/demo
	$(BIN)/comicsdb -c development.ini demo var/demo

messages: $(VENV)/.develop ## bring the message catalogues up to date (ADD=fr begins a translation)
	$(BIN)/python -m messages $(if $(ADD),add $(ADD),update)
	$(BIN)/python -P comicsdb/building.py comicsdb/locale comicsdb_web/locale

clean: ## remove the environment, the databases and everything that was built
	rm -rf $(VENV) var dist comicsdb*/build comicsdb*/*.egg-info
