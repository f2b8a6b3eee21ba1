# `make` lists what there is. run, test and bench install what is missing themselves.
.DEFAULT_GOAL := help
.PHONY: help setup run test test-repeat test-lab test-tsan test-asan schemathesis test-sdks test-stream-clients test-chat-clients bench fuzz lab docs lint release clean

# How often `make test-repeat` runs each group; every second run is beside busy loops.
MODULES ?= 100
EVENTS ?= $(MODULES)
BLACKBOX ?= 20
OUTSIDE ?= 10

# Given to Benchmarks/run, for example BENCH="--quick --only small".
BENCH ?=

# The OpenCode that the demo's stand-in plays, for example PROFILE=1.18.33; without one the opencode on the PATH is taken.
PROFILE ?=

# Where no machine can be booted each of them is skipped, and says why.
lab_tests = swift test --skip-build --disable-xctest --filter '^LabTests\.'

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: ## install the Debian packages that are missing
	@scripts/setup.sh

run: setup ## run the gateway with a demo project on 127.0.0.1:4000 (PROFILE=1.18.33)
	@swift build
	@scripts/run-demo.sh $(if $(PROFILE),--profile '$(PROFILE)')

test: setup lab ## run all tests; as root also those in the lab
	swift build --build-tests
	scripts/check-fuzz.sh
	scripts/run-tests.sh
	$(lab_tests)

test-repeat: setup ## run the tests again and again to find the fickle ones (MODULES=100 EVENTS=100 BLACKBOX=20 OUTSIDE=10)
	swift build --build-tests
	@MODULES=$(MODULES) EVENTS=$(EVENTS) BLACKBOX=$(BLACKBOX) OUTSIDE=$(OUTSIDE) scripts/test-repeat.sh

test-lab: setup lab ## run the tests in the lab only: against a real systemd, as root
	swift build --build-tests
	$(lab_tests)

test-tsan: setup ## run all tests but the lab's under Thread Sanitizer
	scripts/test-sanitized.sh thread

test-asan: setup ## run all tests but the lab's under Address Sanitizer
	scripts/test-sanitized.sh address

schemathesis: setup ## try the API's descriptions against the running gateway (Schemathesis from PyPI)
	@swift build
	@scripts/schemathesis.sh

test-sdks: setup ## test OpenCode's own SDKs (from PyPI)
	@swift build
	@scripts/test-sdks.sh

test-stream-clients: setup ## test event streams with independent clients through interruptions (from PyPI, and Chromium)
	@swift build
	@scripts/test-stream-clients.sh

test-chat-clients: setup ## test chat and conversations with independent clients (from PyPI)
	@swift build
	@scripts/test-chat-clients.sh

bench: ## measure against nginx and HAProxy (BENCH="--quick" for a short run)
	@scripts/setup.sh bench
	swift build -c release --product viberemote-gateway
	swift build -c release --product event-log-writer
	Benchmarks/run $(BENCH)

fuzz: setup ## throw random bytes at every parser (FUZZ_RUNS=10000000)
	scripts/fuzz.sh

lab: ## make what boots a real systemd in a container, and the programs for it (Debian 12 and 13; needs root)
	@scripts/setup-lab.sh

docs: setup ## write the generated parts of docs/configuration.md and docs/architecture.md
	scripts/modules.py write
	UPDATE_DOCS=1 swift test --disable-xctest --filter '^SettingsTests\.DocumentationTests/'

lint: ## check the form of Swift files and scripts
	@scripts/setup.sh swift
	scripts/lint.sh

release: setup ## build the one file to install
	scripts/release.sh

clean: ## remove what was built
	rm -rf .build .demo
