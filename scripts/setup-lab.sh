#!/bin/sh
# Installs what boots the lab's machines, and makes the roots that they boot from. Safe to repeat; fast when all is there.
set -eu
cd "$(dirname "$0")/.."

# Booting a container takes root; the lab's tests skip themselves without it, and say so.
if [ "$(id -u)" -ne 0 ]; then
    echo "lab: only root can boot its machines, so its tests will be skipped: as root, run make lab"
    exit
fi
scripts/setup.sh lab
Lab/lab roots
