# The one door. Everything works twice, and the second time without a network.
#
#   make demo      an agent in Neovim, ready to type (without a terminal: its story as text)
#   make test      every test on the newer Neovim, the first case of it, and a part on the older one
#   make test-all  every case on both Neovims; so is what is named: make test ARGS="-k name"
#   make t         some tests at once, by pytest               ARGS="tests/functional/test_answer_keys.py -k bar"
#   make check     format, lint, types, documentation, unit tests, in seconds
#   make test-agents   whole stories with real agents, installed into .cache; what cannot be is skipped with its reason
#   make chaos     a million bent inputs, long random stories, kills in each flow, both Neovims       ARGS="…" for pytest
#   make soak      an hour's work in some minutes: nothing grows, nothing is left behind
#   make bench     the loads of tests/bench, measured           ARGS="--write" for doc/PERFORMANCE.md, "--where" for a chunk's way
#   make check-types-lua   the types of the Lua half, where there is a lua-language-server     LUALS=/path/to/it
#   make doc-check     the help says what the code does; links and snippets of help and README are whole
#   make cast          the film at the top of the README, from the keys in tests/tools/cast.py
#   make pictures      the other pictures of the README, dark and light   ARGS="proposal review"
#   make gallery   every kind of screen in several schemes and widths, into .cache/gallery    ARGS="--widths 80 welcome"
#   make release   whether this checkout can be released, and what to tag
#   make fonts     those that pictures are drawn with, into .cache/fonts
#   make plugins   other plugins into .cache/plugins: the tests beside them are skipped without
#   make install   .venv with the package, for plugin managers
#   make clean     all that was made is gone
#   make help      this list
#
#   NVIM=/path/to/nvim             the Neovim of demo, test and bench
#   NVIMS="/path/one /path/two"    those of test (default: 0.10 and 0.12, fetched)
#   AGENTS="agentao kimicode"      those of test-agents (default: all of tests/real/recipes)
#   PYTHON=/path/to/python3        the interpreter of .venv (default: the first python3 >= 3.11)

SHELL := bash
PYTHON_OF_VENV := .venv/bin/python
empty :=
# In a terminal of Neovim the environment's $NVIM is a socket: only the one of the command line is a wish.
NAMED_NVIM := $(if $(filter command line,$(origin NVIM)),$(or $(shell command -v "$(NVIM)"),$(NVIM)))
BENCH_NVIM := $(or $(NAMED_NVIM),.nvim/0.12/bin/nvim)
BENCH_NVIMS := $(or $(NAMED_NVIM),$(BENCH_NVIM) .nvim/0.10/bin/nvim)
# pytest gets them as one list like PATH; nothing: those under .nvim
ACP_NVIMS ?= $(or $(NAMED_NVIM),$(subst $(empty) $(empty),:,$(strip $(NVIMS))))
export ACP_NVIMS

.PHONY: help t install demo test test-all test-agents chaos soak check check-types-lua doc-check cast pictures gallery fonts plugins release bench clean tools nvims

install:
	@tests/tools/venv.sh

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

tools:
	@tests/tools/venv.sh test
	@tests/tools/get-stylua.sh

nvims:
ifeq ($(ACP_NVIMS),)
	@tests/tools/get-nvim.sh trixie .nvim/0.10
	@tests/tools/get-nvim.sh sid .nvim/0.12
endif

demo: install
	@tests/tools/demo.sh

check: tools nvims
	@tests/tools/check.sh --with-tests

check-types-lua: nvims
	@NVIM="$(BENCH_NVIM)" tests/tools/lua-types.sh

doc-check: tools nvims
	@$(PYTHON_OF_VENV) tests/tools/docs.py --check
	@$(PYTHON_OF_VENV) tests/tools/help_pages.py --check

fonts:
	@tests/tools/get-fonts.sh

cast: tools nvims fonts
	@$(PYTHON_OF_VENV) -m tests.tools.cast --nvim "$(BENCH_NVIM)" $(ARGS)

pictures: tools nvims fonts
	@$(PYTHON_OF_VENV) -m tests.tools.pictures --nvim "$(BENCH_NVIM)" $(ARGS)

gallery: tools nvims fonts
	@$(PYTHON_OF_VENV) -m tests.tools.gallery --nvim "$(BENCH_NVIM)" $(ARGS)

plugins:
	@tests/tools/get-plugins.sh

release:
	@python3 tests/tools/release.py

t:
	@$(PYTHON_OF_VENV) -m pytest -q -p no:cacheprovider $(ARGS)

# Whoever names tests wants them whole.
test: tools nvims
	@tests/tools/check.sh
	@ACP_FEWER_CASES=$(if $(ARGS),,1) tests/tools/tests.sh $(ARGS)

test-all: tools nvims
	@tests/tools/check.sh
	@tests/tools/tests.sh $(ARGS)

test-agents: tools nvims
	@ACP_REAL_AGENTS="$(AGENTS)" tests/tools/real.sh -n 2 $(ARGS)

chaos: tools nvims
	@ACP_FUZZ=1000000 ACP_CHAOS=1 ACP_HYPOTHESIS=thorough $(PYTHON_OF_VENV) -m pytest -n 2 -o faulthandler_timeout=0 tests/fuzz tests/chaos $(ARGS)

soak: tools nvims
	@ACP_SOAK=1 $(PYTHON_OF_VENV) -m pytest -n 2 -o faulthandler_timeout=0 tests/chaos/test_soak.py $(ARGS)

bench: tools nvims
	@$(PYTHON_OF_VENV) -m tests.bench $(foreach nvim,$(BENCH_NVIMS),"$(nvim)") $(ARGS)

clean:
	rm -rf .venv .nvim .cache build .pytest_cache .mypy_cache .ruff_cache .hypothesis doc/tags
	find . -name __pycache__ -prune -exec rm -rf {} +
