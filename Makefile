# Every target is one line around a script that needs nothing but Python; without make: python3 src/bootstrap.py COMMAND
PYTHON ?= python3
PROFILE ?= quick
ARGS ?=
PAGE ?=
BOOTSTRAP = $(PYTHON) src/bootstrap.py
.DEFAULT_GOAL := help
.PHONY: help book test test-full test-all lint bench lab slides pdf clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile

book: ## make the environment, execute the runs, render the book (PROFILE=full: all runs)
	@$(BOOTSTRAP) book --profile $(PROFILE)

test: ## run the default tests (ARGS=instrument or book for one package; ARGS='tests/losses -k name' runs whole what is named)
	@$(BOOTSTRAP) test $(ARGS)

test-full: ## run the dear tests too
	@$(BOOTSTRAP) test-full $(ARGS)

test-all: ## run the slow tests too: simulations ten times as long, methods with all their time
	@$(BOOTSTRAP) test-all $(ARGS)

lint: ## check style and types
	@$(BOOTSTRAP) lint

bench: ## run the benchmarks
	@$(BOOTSTRAP) bench $(ARGS)

lab: ## open the book in JupyterLab (PAGE=book/delve/expected-loss.md for one chapter)
	@$(BOOTSTRAP) lab $(PAGE) $(ARGS)

slides: ## make slides of the lesson plans' chapters (ARGS=--serve shows them; ARGS=delve/planning for one)
	@$(BOOTSTRAP) slides $(ARGS)

pdf: ## print core track and studies to _build/benchbook.pdf, by the Chromium of this machine
	@$(BOOTSTRAP) pdf $(ARGS)

clean: ## remove the environment and all that was built (your own runs are kept)
	@$(BOOTSTRAP) clean
