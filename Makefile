# The commands a person types. Each sets up what it needs; `make help` lists them.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.DEFAULT_GOAL := help
.PHONY: help setup build demo python page playground test asan tsan coverage stress faults fuzz bench format lint install clean

help:  ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */\1\t/' | expand -t 12

setup:  ## install the Debian packages that are missing
	@tools/setup

build: setup  ## build the library and the programs (build/bin)
	@tools/build release $(JOBS)

demo:  ## show what mercer does
	@tools/setup programs
	@tools/build demo $(JOBS)
	@tools/demo

python: setup  ## the Python package, importable with PYTHONPATH=build/python
	@cmake --preset release -Wno-dev --log-level=NOTICE
	@cmake --build --preset release --target mercer_python -j $(JOBS)

page:  ## the playground as a folder of static files (build-page)
	@tools/setup page
	@JOBS=$(JOBS) tools/page build

playground: page  ## the playground on localhost, or PORT=8080
	@PORT=$(or $(PORT),8000) tools/page serve

test: build  ## run all tests
	@tools/test release $(JOBS)

asan: setup  ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/build asan-ubsan $(JOBS)
	@tools/test asan-ubsan $(JOBS)

tsan: setup  ## the tests under ThreadSanitizer
	@tools/build tsan $(JOBS)
	@tools/test tsan $(JOBS)

coverage: setup  ## lines of src/mercer and apps that the tests run: build-coverage/report/index.html
	@tools/coverage $(JOBS)

stress: setup  ## random support vector machines for five minutes, or SECONDS=3600
	@tools/stress --seconds $(or $(SECONDS),300)

faults: setup  ## make every allocation and file operation of the commands fail, or those of PRESET=asan-ubsan
	@tools/faults --preset $(or $(PRESET),release)

fuzz: setup  ## fuzz every target for a minute
	@tools/fuzz --seconds 60 || [ $$? -eq 77 ]

bench: build  ## run the benchmarks, or one: make bench BENCH=name
	@cmake --build --preset release --target benchmarks -j $(JOBS)
	@tools/bench $(BENCH)

format: setup  ## format the C++ sources in place
	@tools/lint --fix-format

lint: build  ## check format, include layers, clang-tidy, and the page (types, eslint) where make page was called
	@cmake --build --preset release --target benchmarks -j $(JOBS)
	@tools/lint

install: build  ## install to PREFIX (/usr/local)
	cmake --install build --prefix $(PREFIX)

clean:  ## remove all build folders
	rm -rf build build-debug build-asan-ubsan build-tsan build-coverage build-fuzz build-lint build-pip build-wasm build-page
