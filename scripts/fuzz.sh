#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs the parsers of external input with random bytes (libFuzzer): scripts/fuzz.sh [NAME…]. By default, runs all parsers.
#
# Fuzz/NAME.swift contains a function `LLVMFuzzerTestOneInput` and a line `// length: N` with the maximum length of an
# input. This script builds the modules that the file imports, directly or indirectly, with the fuzzer's instrumentation. The
# file itself and Fuzz/Support have no instrumentation, which is faster and lets only the code under test guide the fuzzer.
# The initial inputs are in Fuzz/seeds/NAME. A crash, a failed precondition, an input that takes longer than
# FUZZ_TIMEOUT, or memory use above FUZZ_MEMORY ends the run. The fuzzer then keeps the input.
#
#   FUZZ_RUNS     the number of inputs for each parser (10000000)
#   FUZZ_SECONDS  the time limit for each parser (0: no limit)
#   FUZZ_LENGTH   the maximum length of an input in bytes (the length in the file, or 512)
#   FUZZ_TIMEOUT  the time limit for one input in seconds (10)
#   FUZZ_MEMORY   the memory limit for a run in MiB (512)
set -eu
cd "$(dirname "$0")/.."

runs=${FUZZ_RUNS:-10000000}
seconds=${FUZZ_SECONDS:-0}
work=$PWD/.build/fuzz
# Swift's crash reporter hangs under the fuzzer, so disable it.
export SWIFT_BACKTRACE=enable=no

[ $# -gt 0 ] || set -- $(cd Fuzz && ls ./*.swift | sed 's|^\./||; s|\.swift$||')
mkdir -p "$work"

# Compile the package's own C modules and create a module map for each of them. The modules of system libraries already have
# module maps.
include=""
shims=""
for folder in Sources/CLibraries/*; do
    module=${folder##*/}
    if [ -f "$folder/module.modulemap" ]; then
        include="$include -I $folder"
    elif [ -d "$folder/include" ]; then
        mkdir -p "$work/$module"
        printf 'module %s { umbrella "%s" export * }\n' "$module" "$PWD/$folder/include" >"$work/$module/module.modulemap"
        include="$include -I $work/$module"
        clang -O -c "$folder/$module.c" -I "$folder/include" -o "$work/$module.o"
        shims="$shims $work/$module.o"
    fi
done

# folder_of MODULE: prints the directory of one of the package's modules.
folder_of() { find Sources -mindepth 2 -maxdepth 2 -type d -name "$1"; }

# Reads Swift files, and prints the package's Swift modules that they import.
imports() {
    sed -n 's/^\(@[a-z]* \)\{0,1\}\([a-z]* \)\{0,1\}import \([A-Za-z0-9]*\)$/\3/p' | sort -u | while read -r module; do
        case $(folder_of "$module") in "" | Sources/CLibraries/*) ;; *) echo "$module" ;; esac
    done
}
# The imports between the package's modules for tsort(1): a line `IMPORTED MODULE` for each import, and a line `MODULE MODULE`
# for each module.
edges=$(for folder in Sources/*/*; do
    module=${folder##*/}
    case $folder in Sources/CLibraries/*) continue ;; esac
    echo "$module $module"
    find "$folder" -name '*.swift' -exec cat {} + | imports | sed "s/\$/ $module/"
done)
order=$(echo "$edges" | tsort)

# modules_of FILE: prints all modules that a file imports, directly or indirectly. Each module follows the modules that it imports.
modules_of() {
    needed=" $(imports <"$1" | tr '\n' ' ')"
    for module in $(echo "$order" | tac); do
        case $needed in
            *" $module "*) needed="$needed$(echo "$edges" | sed -n "s/^\(.*\) $module\$/\1/p" | tr '\n' ' ')" ;;
        esac
    done
    for module in $order; do
        case $needed in *" $module "*) echo "$module" ;; esac
    done
}

compile() {
    # shellcheck disable=SC2086  # a list of flags
    swiftc -O -wmo -c -parse-as-library -swift-version 6 -package-name fuzz \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature InternalImportsByDefault -I "$work" $include "$@"
}

built=" "
for name in "$@"; do
    source=Fuzz/$name.swift
    [ -f "$source" ] || { echo "fuzz: $source does not exist: name a target of Fuzz/" >&2; exit 2; }
    objects=""
    for module in $(modules_of "$source"); do
        objects="$objects $work/$module.o"
        case $built in *" $module "*) continue ;; esac
        compile -sanitize=fuzzer -enable-testing -emit-module -module-name "$module" -emit-module-path "$work/$module.swiftmodule" \
            -o "$work/$module.o" $(find "$(folder_of "$module")" -name '*.swift')
        built="$built$module "
    done
    compile -module-name "Fuzz$name" -o "$work/Fuzz$name.o" "$source" Fuzz/Support/*.swift
    # shellcheck disable=SC2086  # a list of files
    swiftc -sanitize=fuzzer -o "$work/$name" "$work/Fuzz$name.o" $objects $shims
    longest=${FUZZ_LENGTH:-$(sed -n 's|^// length: ||p' "$source")}
    corpus=$work/corpus-$name
    mkdir -p "$corpus"
    seeds=""
    [ ! -d "Fuzz/seeds/$name" ] || seeds=Fuzz/seeds/$name
    echo "fuzz: $name, $runs inputs"
    # shellcheck disable=SC2086  # no directory, or one
    "$work/$name" -runs="$runs" -max_total_time="$seconds" -max_len="${longest:-512}" -timeout="${FUZZ_TIMEOUT:-10}" \
        -rss_limit_mb="${FUZZ_MEMORY:-512}" -print_final_stats=1 -artifact_prefix="$work/crash-$name-" \
        "$corpus" $seeds >"$work/$name.log" 2>&1 || {
        tail -n 40 "$work/$name.log" >&2
        echo "fuzz: $name failed. See the input in $work/crash-$name-*" >&2
        exit 1
    }
    grep -E '^Done |number_of_executed_units|peak_rss' "$work/$name.log"
done
echo "fuzz: no crash"
