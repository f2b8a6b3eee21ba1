#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the software that boots the lab's containers, creates their root file systems, and builds the programs to test in
# them. The script can be repeated safely, and is fast if everything exists.
set -eu
cd "$(dirname "$0")/.."

skip() {
    echo "lab: the lab's tests will be skipped: $*"
    exit
}

# Booting a container requires root.
[ "$(id -u)" -eq 0 ] || skip "only root can boot the lab's machines. As root, run: make lab"
scripts/setup.sh lab
# If root itself is restricted, the lab cannot run, so skip it. Any other failure, such as an unreachable mirror, is an error.
reason=$(Lab/lab denied) || skip "$reason"
Lab/lab roots
scripts/release.sh lab
