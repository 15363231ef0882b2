# SPDX-License-Identifier: Apache-2.0
# The two commands: `make demo` and `make test`. Everything else they need, they do.
#   KBX_PYTHON=/path/to/python  use this environment (torch >= 2.7, triton, numpy) instead of making .venv
#   BUILD=build                 where to build
#   PREFIX=/usr/local           where `make install` puts it
#   JOBS=N                      parallel compilers and tests (default: one a core)
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export KBX_PYTHON

.PHONY: all setup build demo test install approve bench clean

all: build

setup:
	@scripts/setup.sh

build: setup
	@scripts/build.sh "$(BUILD)" "$(JOBS)"

demo: build
	@scripts/demo.sh "$(BUILD)"

test: build
	@ctest --test-dir "$(BUILD)" --output-on-failure -j "$(JOBS)"

install: build
	@cmake --install "$(BUILD)" --prefix "$(PREFIX)"

# Writes the golden files anew; look at the difference before committing it.
approve: build
	@KBX_APPROVE=1 ctest --test-dir "$(BUILD)" -L golden --output-on-failure

bench: build
	@scripts/bench.sh "$(BUILD)"

clean:
	@rm -rf "$(BUILD)"
