# Shortcuts for people; the build itself is CMake's (see CMakePresets.json).
JOBS ?= $(shell nproc)
RELEASE := build/release
BANKSHOT := $(RELEASE)/bin/bankshot
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
.PHONY: help setup build site install package wheel dev demo test test-long bench fuzz format tidy coverage clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing (tools/packages.txt)
	@tools/setup

build: setup ## build Release: build/release/bin/bankshot, build/release/lib/
	@JOBS=$(JOBS) tools/build

site: setup ## the bank explorer, a web page: build/site/index.html
	@JOBS=$(JOBS) tools/build site
	@mkdir -p build/site && cp $(RELEASE)/web/site/index.html build/site/

install: setup ## install below PREFIX (/usr/local), in DESTDIR if that is set
	@JOBS=$(JOBS) tools/build product kernels manuals
	@cmake --install $(RELEASE) --prefix '$(PREFIX)' --strip >$(RELEASE)/install.log && tail -n 1 $(RELEASE)/install.log

package: setup ## a Debian package and a .tar.gz, in build/release/packages
	@JOBS=$(JOBS) tools/build product kernels manuals
	@cpack --config $(RELEASE)/CPackConfig.cmake

wheel: setup ## a Python wheel with the program in it, in dist; needs pip
	@JOBS=$(JOBS) tools/build product kernels manuals
	@packaging/wheel $(RELEASE) && ls dist/bankshot-*.whl

dev: setup ## build for debugging, with warnings as errors, in build/dev
	@cmake --preset dev && cmake --build --preset dev -- -j $(JOBS)

demo: ## explain the bank conflicts of a matrix transpose; without an installed Bankshot, build it first
	@JOBS=$(JOBS) tools/demo

test: ## build everything and run every test, the sanitizers and 10 s of fuzzing a target
	@tools/setup --optional
	@JOBS=$(JOBS) tools/check

test-long: ## the same with warnings as errors, the thread sanitizer, longer fuzzing and 100,000 random kernels
	@tools/setup --optional
	@JOBS=$(JOBS) tools/check --long

bench: build ## measure warp instructions per second, beside the published figures of others
	@bench/run

fuzz: setup ## fuzz each target for FUZZ_SECONDS (60)
	@JOBS=$(JOBS) tools/fuzz $(or $(FUZZ_SECONDS),60)

format: setup ## format every source of ours (clang-format 19)
	@tools/format

tidy: setup ## clang-tidy over the rooms
	@cmake --preset dev >/dev/null
	@git ls-files -co --exclude-standard -- 'bankshot/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build/dev

coverage: setup ## run the tests with coverage and print it by file
	@cmake --preset coverage && cmake --build --preset coverage -- -j $(JOBS) && ctest --preset coverage -j $(JOBS)
	@tools/coverage

clean: ## remove the build folder
	@rm -rf build dist
