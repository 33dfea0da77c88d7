# Two commands: `make run` starts everything, `make test` passes the tests. Needs Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

export DEMO ?= 1

.PHONY: run test bench lint types messages lock serve

run: $(STAMP)
	@exec $(BIN)/python manage.py serve --prepare

serve: run

$(STAMP): requirements.lock
	@echo "Installing packages into $(VENV) (once) ..."
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

test: $(STAMP)
	DEMO=0 $(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

bench: $(STAMP)
	DEMO=0 $(BIN)/python -m tests.bench $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)
	$(BIN)/mypy

# Needs GNU gettext; the compiled catalogues are committed.
messages: $(STAMP)
	$(BIN)/python manage.py makemessages -l zh_Hans --no-obsolete --no-location --ignore=.venv --ignore=var --ignore=tests
	$(BIN)/python manage.py compilemessages --ignore=.venv

lock:
	uv pip compile --python-version 3.11 --extra dev --generate-hashes --no-emit-index-url --no-annotate -o requirements.lock pyproject.toml
