#!/bin/sh
# Checks the form of what is written: swift-format without a single finding, no import that makes the program large, scripts
# that their shell can read.
set -eu
cd "$(dirname "$0")/.."

folders=""
for folder in Sources Tests Benchmarks Fuzz; do
    [ -d "$folder" ] && folders="$folders $folder"
done
# shellcheck disable=SC2086  # a list of folders
swift format lint --strict --parallel --recursive $folders Package.swift

# What a program imports of Foundation is linked into the released file, megabytes of it.
if found=$(grep -rnE '^([a-z@()]+ +)*import +([a-z]+ +)?_?Foundation' Sources); then
    echo "lint: nothing in Sources imports Foundation:" >&2
    echo "$found" >&2
    exit 1
fi

# Every file that git knows or would take and that begins like a script.
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
    [ -x "$file" ] || { echo "lint: $file is a script that can't be executed: chmod +x $file" >&2; failed=1; }
done
IFS=$old_ifs
exit $failed
