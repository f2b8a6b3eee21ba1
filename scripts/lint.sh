#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Checks the sources: the format of Swift files, imports that would enlarge the program, the dependencies between modules, the
# licence lines, the wording, and the syntax of shell scripts.
set -eu
cd "$(dirname "$0")/.."

folders=""
for folder in Sources Simulator Tests Benchmarks Fuzz; do
    [ -d "$folder" ] && folders="$folders $folder"
done
# shellcheck disable=SC2086  # a list of folders
swift format lint --strict --parallel --recursive $folders Package.swift

# A released program that imports Foundation contains the parts of Foundation that it uses, and is megabytes larger. The
# simulator for the lab's containers is built in the same way, so it must not import Foundation either.
if found=$(grep -rnE '^([a-z@()]+ +)*import +([a-z]+ +)?_?Foundation' Sources Simulator Tests/TestKit); then
    echo "lint: files in Sources, Simulator and Tests/TestKit must not import Foundation. Remove these imports:" >&2
    echo "$found" >&2
    exit 1
fi

scripts/modules.py check

# Suites whose tests block while they wait run on threads of their own (Tests/TestThreads).
blocking=$(grep -rl '@Test' Tests/GatewayTests Tests/OpenCodeSimulatorTests Tests/TestKitTests | while read -r file; do
    [ "$(grep -c '@Suite' "$file")" -gt 0 ] && [ "$(grep -c '@Suite' "$file")" -eq "$(grep -c 'onTestThreads' "$file")" ] ||
        echo "$file"
done)
if [ -n "$blocking" ]; then
    echo "lint: add the trait .onTestThreads to each suite in these files:" >&2
    echo "$blocking" >&2
    exit 1
fi

# Each source file needs a licence line in the format that tools read (https://spdx.dev/learn/handling-license-info).
unlicensed=$(git ls-files --cached --others --exclude-standard '*.swift' '*.c' '*.h' '*.js' '*.py' '*.sh' '*.modulemap' \
    ':!Fuzz/seeds' | while read -r file; do
    [ ! -f "$file" ] || head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
done)
if [ -n "$unlicensed" ]; then
    echo "lint: add the line \"SPDX-License-Identifier: Apache-2.0\" at the beginning of these files:" >&2
    echo "$unlicensed" >&2
    exit 1
fi

scripts/wording.py

# Check the syntax of each script. Include files that git would add.
failed=0
list=$(git ls-files --cached --others --exclude-standard)
old_ifs=$IFS
IFS='
'
for file in $list; do
    [ -f "$file" ] || continue
    first=$(head -c 64 "$file" | head -n 1 | tr -d '\0')
    case $first in
        '#!'*bash*) bash -n "$file" || failed=1 ;;
        '#!/bin/sh'*) sh -n "$file" || failed=1 ;;
        *) continue ;;
    esac
    [ -x "$file" ] || { echo "lint: the script $file is not executable: run chmod +x $file" >&2; failed=1; }
done
IFS=$old_ifs
exit $failed
