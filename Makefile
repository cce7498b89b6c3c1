# Everything from a fresh Debian machine: `make run`, `make test`. Set-up, building and running are
# one step; see CONTRIBUTING.md for more.
BUILD ?= build
JOBS  ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all run test soak fuzz check install clean deps
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
	@cmake --build $(BUILD) --parallel $(JOBS) --target saltus_program -- --no-print-directory >$(BUILD)/build.log 2>&1 \
	  || { cat $(BUILD)/build.log; exit 1; }

run: $(BUILD)/saltus
	@echo "running the five-bar mechanism, models/five_bar.lua"
	@echo
	@$(BUILD)/saltus gradient models/five_bar.lua --method direct,adjoint,discrete --wrt 'L0*' \
	  --cost int_yd2,int_ydd2,int_ydd2sq_plus_yd2sq
	@$(BUILD)/saltus check models/five_bar.lua --wrt 'L0*' --cost int_yd2,int_ydd2,int_ydd2sq_plus_yd2sq
	@$(BUILD)/saltus run models/five_bar.lua --quiet -o $(BUILD)/five_bar.csv
	@echo "The motion is in $(BUILD)/five_bar.csv; models/ has more to try: $(BUILD)/saltus check models/string_taut.lua"

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

install: $(BUILD)/saltus
	cmake --build $(BUILD) --parallel $(JOBS) && cmake --install $(BUILD)

clean:
	rm -rf build build-*
