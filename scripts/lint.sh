#!/bin/sh
# Checks the form of what is written: swift-format without a single finding, scripts that their shell can read.
set -eu
cd "$(dirname "$0")/.."

folders=""
for folder in Sources Tests Benchmarks Fuzz; do
    [ -d "$folder" ] && folders="$folders $folder"
done
# shellcheck disable=SC2086  # a list of folders
swift format lint --strict --parallel --recursive $folders Package.swift

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
