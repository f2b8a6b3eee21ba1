#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the build dependencies that are missing on this machine. The script can be repeated safely, and is fast if nothing is
# missing.
#
#   scripts/setup.sh                   checks the Swift toolchain and installs Debian's C libraries
#   scripts/setup.sh bench             also installs the programs for `make bench`
#   scripts/setup.sh schemathesis      also installs the dependencies of Schemathesis
#   scripts/setup.sh sdks              also installs the dependencies of the SDKs for Python
#   scripts/setup.sh stream-clients    also installs the dependencies of the clients for event streams
#   scripts/setup.sh chromium          also installs these dependencies and Chromium
#   scripts/setup.sh chat-clients      also installs the dependencies of the chat clients
#   scripts/setup.sh nginx             also installs nginx, for tests with HTTP/2
#   scripts/setup.sh shells            also installs zsh, for tests of its completions. bash is already installed, and fish is omitted
#   scripts/setup.sh lab               also installs the software that boots the lab's containers (Lab/lab)
#   scripts/setup.sh swift             only checks the Swift toolchain
set -eu

wanted_swift=6.2
build_packages="libmicrohttpd-dev libcurl4-openssl-dev libsystemd-dev libsodium-dev libqrencode-dev libsqlite3-dev libwslay-dev pkg-config curl"
# The programs for the tests' TLS server.
test_packages="openssl python3"
schemathesis_packages="python3 python3-venv"
python_packages="python3 python3-venv git"
bench_packages="nginx-light haproxy wrk python3"
chromium_packages="$python_packages chromium"
nginx_packages="nginx-light"
shell_packages="zsh"
lab_packages="systemd-container debootstrap debian-archive-keyring util-linux"

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

check_swift() {
    compiler=$(command -v swiftc) ||
        fail "there is no Swift compiler on the PATH. Install Swift $wanted_swift or later: https://www.swift.org/install/"
    # The check takes a second, so cache its result until the compiler's file changes.
    seen=.build/setup-swift
    if [ -f "$seen" ] && [ "$seen" -nt "$compiler" ] && [ "$(cat "$seen")" = "$compiler $wanted_swift" ]; then
        return
    fi
    found=$("$compiler" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [ -n "$found" ] || fail "$compiler does not print its version. Install Swift $wanted_swift or later: https://www.swift.org/install/"
    oldest=$(printf '%s\n%s\n' "$found" "$wanted_swift" | sort -t . -k 1,1n -k 2,2n | head -n 1)
    [ "$oldest" = "$wanted_swift" ] ||
        fail "Swift $found is too old. Install Swift $wanted_swift or later: https://www.swift.org/install/"
    mkdir -p .build
    printf '%s\n' "$compiler $wanted_swift" >"$seen"
}

# Prints those of the given packages that are not installed.
missing_of() {
    installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
    for package in "$@"; do
        case $installed in *" installed:$package "*) ;; *) printf '%s ' "$package" ;; esac
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

update_lists() {
    say "apt-get update ($1)"
    as_root apt-get update -q
}

update_old_lists() {
    if ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
        update_lists "there are no package lists yet"
    elif [ -n "$(find /var/lib/apt/lists/partial -maxdepth 0 -mmin +1440 2>/dev/null)" ]; then
        update_lists "the package lists are older than a day"
    fi
}

install() {
    # shellcheck disable=SC2086  # a list of package names
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $1
}

# Debian starts and enables a service when its package is installed. The benchmark and the tests run their own processes, so
# mask new services during the installation. If this script is killed, the mask disappears with the next boot. Without systemd,
# Debian's invoke-rc.d does not start services.
services=""
hold_services() {
    [ -d /run/systemd/system ] || return 0
    for package in $1; do
        case $package in
            nginx-light) services="$services nginx.service" ;;
            haproxy) services="$services haproxy.service" ;;
        esac
    done
    [ -n "$services" ] || return 0
    say "the services$services are not started or enabled, because the benchmark and the tests run their own processes"
    trap release_services EXIT
    # shellcheck disable=SC2086  # a list of unit names
    as_root systemctl mask --runtime --quiet $services
}

release_services() {
    # shellcheck disable=SC2086  # a list of unit names
    as_root systemctl disable --quiet $services || true
    # shellcheck disable=SC2086
    as_root systemctl unmask --runtime --quiet $services
}

cd "$(dirname "$0")/.."
case ${1-} in
    swift) check_swift; exit ;;
    bench) packages="$build_packages $bench_packages" ;;
    schemathesis) packages="$build_packages $schemathesis_packages" ;;
    stream-clients | chat-clients) packages="$build_packages $python_packages" ;;
    chromium) packages="$build_packages $chromium_packages" ;;
    sdks) packages="$build_packages $python_packages" ;;
    nginx) packages="$build_packages $nginx_packages" ;;
    shells) packages="$build_packages $shell_packages" ;;
    lab) packages="$build_packages $lab_packages" ;;
    "") packages="$build_packages $test_packages" ;;
    *) fail "unknown argument \"$1\": use scripts/setup.sh, scripts/setup.sh bench, scripts/setup.sh schemathesis, scripts/setup.sh sdks, scripts/setup.sh stream-clients, scripts/setup.sh chat-clients, scripts/setup.sh chromium, scripts/setup.sh nginx, scripts/setup.sh shells, scripts/setup.sh lab or scripts/setup.sh swift" ;;
esac

check_swift
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    fail "this machine has no apt-get. Install the equivalents of these packages, then run swift build: $packages"
fi
# shellcheck disable=SC2086  # a list of package names
missing=$(missing_of $packages)
if [ -z "$missing" ]; then
    say "all packages are installed"
    exit
fi
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    fail "packages are missing, and sudo is not installed. As root, run: apt-get install $missing"
fi
say "installing $missing"
update_old_lists
hold_services "$missing"
if ! install "$missing"; then
    update_lists "the package lists may be outdated"
    install "$missing"
fi
say "installed $missing"
