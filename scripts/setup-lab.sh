#!/bin/sh
# Installs what boots the lab's machines, makes the roots that they boot from, and builds the programs that are tried in
# them. Safe to repeat; fast when all is there.
set -eu
cd "$(dirname "$0")/.."

skip() {
    echo "lab: $*, so the lab's tests will be skipped"
    exit
}

# Booting a container takes root.
[ "$(id -u)" -eq 0 ] || skip "only root can boot its machines (as root: make lab)"
scripts/setup.sh lab
# Where root itself is fenced in, nothing can be done. All else, such as a mirror that does not answer, is an error.
reason=$(Lab/lab denied) || skip "$reason"
Lab/lab roots
scripts/release.sh lab
