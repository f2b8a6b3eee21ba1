# `make` without a target lists the targets.
.DEFAULT_GOAL := help
.PHONY: help setup run test test-repeat test-lab test-tsan test-asan schemathesis clients test-sdks test-stream-clients test-chat-clients bench fuzz lab docs lint release clean

# The number of runs of each group in `make test-repeat`. Busy loops compete with every second run.
MODULES ?= 100
EVENTS ?= $(MODULES)
BLACKBOX ?= 20
OUTSIDE ?= 10

# The options of Benchmarks/run, for example BENCH="--quick --only small".
BENCH ?=

# The OpenCode version that the simulator simulates in the demo, for example PROFILE=1.18.33. By default, the demo uses the
# opencode on the PATH.
PROFILE ?=

# The tests in the lab. If this system cannot boot a container, each test is skipped with the reason.
lab_tests = swift test --skip-build --disable-xctest --filter '^LabTests\.'

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: ## install missing Debian packages
	@scripts/setup.sh

run: setup ## run the gateway with a demo project on 127.0.0.1:4000 (PROFILE=1.18.33)
	@swift build
	@scripts/run-demo.sh $(if $(PROFILE),--profile '$(PROFILE)')

test: setup lab ## run all tests; as root, also the tests in the lab
	swift build --build-tests
	scripts/check-fuzz.sh
	scripts/run-tests.sh
	$(lab_tests)

test-repeat: setup ## run the tests repeatedly to find flaky tests (MODULES=100 EVENTS=100 BLACKBOX=20 OUTSIDE=10)
	swift build --build-tests
	@MODULES=$(MODULES) EVENTS=$(EVENTS) BLACKBOX=$(BLACKBOX) OUTSIDE=$(OUTSIDE) scripts/test-repeat.sh

test-lab: setup lab ## run only the tests in the lab, against a real systemd (needs root)
	swift build --build-tests
	$(lab_tests)

test-tsan: setup ## run all tests except the lab's with Thread Sanitizer
	scripts/test-sanitized.sh thread

test-asan: setup ## run all tests except the lab's with Address Sanitizer
	scripts/test-sanitized.sh address

schemathesis: setup ## test the API descriptions against a running gateway (Schemathesis from PyPI)
	@swift build
	@scripts/schemathesis.sh

clients: test-sdks test-stream-clients test-chat-clients ## test a running gateway with all independent clients

test-sdks: setup ## test a running gateway with OpenCode's own clients and SDKs (SDKs from PyPI)
	@swift build
	@scripts/test-sdks.sh

test-stream-clients: setup ## test interrupted event streams with independent clients (PyPI and Chromium)
	@swift build
	@scripts/test-stream-clients.sh

test-chat-clients: setup ## test chat and conversations with independent clients (from PyPI)
	@swift build
	@scripts/test-chat-clients.sh

bench: ## compare the performance with nginx and HAProxy (BENCH="--quick" for a short run)
	@scripts/setup.sh bench
	swift build -c release --product viberemote-gateway
	swift build -c release --product event-log-writer
	Benchmarks/run $(BENCH)

fuzz: setup ## fuzz every parser (FUZZ_RUNS=10000000)
	scripts/fuzz.sh

lab: ## create the lab: containers with a real systemd, and the programs to test in them (Debian 12 and 13; needs root)
	@scripts/setup-lab.sh

docs: setup ## generate parts of docs/configuration.md and docs/architecture.md
	scripts/modules.py write
	UPDATE_DOCS=1 swift test --disable-xctest --filter '^SettingsTests\.DocumentationTests/'

lint: ## check the format of Swift files and scripts
	@scripts/setup.sh swift
	scripts/lint.sh

release: setup ## build the program for deploy/install.sh
	scripts/release.sh

clean: ## remove build products and the demo
	rm -rf .build .demo
