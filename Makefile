# Everything from a fresh Debian machine: `make run`, `make test`. Set-up, building and running are
# one step; see CONTRIBUTING.md for more.
BUILD ?= build
JOBS  ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all run live figures site test soak fuzz mutate bench bench-quick check install package clean deps
all: $(BUILD)/saltus

deps:
	@scripts/install-deps

$(BUILD)/CMakeCache.txt: CMakeLists.txt | deps
	@echo "configuring in $(BUILD)/"
	@cmake -S . -B $(BUILD) >$(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@rm -f $(BUILD)-configure.log

.PHONY: $(BUILD)/saltus
$(BUILD)/saltus: deps $(BUILD)/CMakeCache.txt
	@echo "building in $(BUILD)/"
	@cmake --build $(BUILD) --parallel $(JOBS) --target saltus_program five_bar_study -- --no-print-directory >$(BUILD)/build.log 2>&1 \
	  || { cat $(BUILD)/build.log; exit 1; }

run: $(BUILD)/saltus
	@echo
	@$(BUILD)/five_bar_study -o $(BUILD)/study
	@echo
	@$(BUILD)/saltus report models/five_bar.lua --force -o $(BUILD)/five_bar.html

# The library for WebAssembly, so that reports can simulate, and the playground. Once made, it is kept up to date by what builds the
# program.
live:
	@scripts/install-deps --live
	@echo "configuring in $(BUILD)/"
	@cmake -S . -B $(BUILD) -DSALTUS_LIVE=ON >$(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@rm -f $(BUILD)-configure.log
	@echo "building in $(BUILD)/ (the first time: a minute or two)"
	@cmake --build $(BUILD) --parallel $(JOBS) --target saltus_program live -- --no-print-directory >$(BUILD)/build.log 2>&1 \
	  || { cat $(BUILD)/build.log; exit 1; }
	@echo "$(BUILD)/saltus report writes pages that simulate; models can be tried in $(BUILD)/live/playground.html"

# The figures of docs/guide/8-five-bar-study.md, from the numbers of today.
figures: $(BUILD)/saltus
	@scripts/install-deps --figures
	@$(BUILD)/five_bar_study -o $(BUILD)/study files >$(BUILD)/build.log || { cat $(BUILD)/build.log; exit 1; }
	@/usr/bin/python3 -B examples/five_bar/figures.py $(BUILD)/study docs/guide/five-bar

# The documentation as a site with pictures and live reports of all models, and the playground, in build/site. It needs MkDocs,
# Python's cffi, and what `make live` needs.
site:
	@scripts/install-deps --site
	@$(MAKE) --no-print-directory live
	@cmake -S . -B $(BUILD) >$(BUILD)/build.log 2>&1 || { cat $(BUILD)/build.log; exit 1; }
	@cmake --build $(BUILD) --parallel $(JOBS) --target python_package >$(BUILD)/build.log 2>&1 || { cat $(BUILD)/build.log; exit 1; }
	@/usr/bin/python3 -B site/build.py $(BUILD)

test:
	@scripts/install-deps --tests
	@scripts/run-tests $(BUILD)

# Random hybrid models for a long time (SEEDS=100000), and the fuzz targets (SECONDS=600).
soak:
	@scripts/install-deps --tests
	@scripts/soak $(BUILD)
fuzz:
	@scripts/install-deps --tests
	@scripts/fuzz $(BUILD)

# The library broken on purpose, one way at a time: do the tests notice? (tests/mutants.txt)
mutate:
	@scripts/install-deps --tests
	@scripts/mutate --jobs $(JOBS) --work $(BUILD)-mutate

# Saltus against a specialised solver and its peers (docs/benchmarks.md): ten minutes, or one.
bench: deps
	@scripts/bench $(BUILD)
bench-quick: deps
	@scripts/bench --quick $(BUILD)

install: $(BUILD)/saltus
	cmake --build $(BUILD) --parallel $(JOBS) --target installed && cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

# Debian packages, in build/packages.
package:
	@scripts/install-deps --package
	@scripts/package $(BUILD)/packages

clean:
	rm -rf build build-*
