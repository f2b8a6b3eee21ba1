#!/bin/sh
# Throws random bytes at the parsers of what comes from outside (libFuzzer): scripts/fuzz.sh [NAME…], all by default.
#
# Fuzz/NAME.swift has a function `LLVMFuzzerTestOneInput` and names on a line `// modules: A B` which modules it needs,
# each behind those that it imports. They are built with the fuzzer's instrumentation, without the package.
#
#   FUZZ_RUNS     inputs for each parser (10000000)
#   FUZZ_SECONDS  the longest time for each parser (0: no limit)
#   FUZZ_LENGTH   bytes of the longest input (512)
set -eu
cd "$(dirname "$0")/.."

runs=${FUZZ_RUNS:-10000000}
seconds=${FUZZ_SECONDS:-0}
longest=${FUZZ_LENGTH:-512}
work=$PWD/.build/fuzz
# Swift's own crash report hangs under the fuzzer.
export SWIFT_BACKTRACE=enable=no

[ $# -gt 0 ] || set -- $(cd Fuzz && ls ./*.swift | sed 's|^\./||; s|\.swift$||')
mkdir -p "$work"

compile() {
    swiftc -O -parse-as-library -swift-version 6 -package-name fuzz -sanitize=fuzzer \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature InternalImportsByDefault -I "$work" -I Sources/CSodium -I Sources/CLinux/include "$@"
}

for name in "$@"; do
    source=Fuzz/$name.swift
    [ -f "$source" ] || { echo "fuzz: there is no $source" >&2; exit 2; }
    objects=""
    for module in $(sed -n 's|^// modules: ||p' "$source"); do
        compile -wmo -c -emit-module -module-name "$module" -emit-module-path "$work/$module.swiftmodule" \
            -o "$work/$module.o" $(find "Sources/$module" -name '*.swift')
        objects="$objects $work/$module.o"
    done
    # shellcheck disable=SC2086  # a list of files
    compile -module-name "Fuzz$name" -o "$work/$name" "$source" $objects
    corpus=$work/corpus-$name
    mkdir -p "$corpus"
    echo "fuzz: $name, $runs inputs"
    "$work/$name" -runs="$runs" -max_total_time="$seconds" -max_len="$longest" -print_final_stats=1 \
        -artifact_prefix="$work/crash-$name-" "$corpus" >"$work/$name.log" 2>&1 || {
        tail -n 40 "$work/$name.log" >&2
        echo "fuzz: $name failed; its input is in $work/crash-$name-*" >&2
        exit 1
    }
    grep -E '^Done |number_of_executed_units' "$work/$name.log"
done
echo "fuzz: no crash"
