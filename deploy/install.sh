#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs or upgrades the VibeRemote gateway for the user who runs this script. You can run it repeatedly.
#
#   deploy/install.sh [OPTION…]
#
#     --binary FILE        program to install (.build/dist/viberemote-gateway, which `make release` builds)
#     --home DIR           directory whose subdirectories are the projects (your home directory)
#     --listen HOST:PORT   address and port that accept clients (0.0.0.0:4000)
#     --opencode COMMAND   command that serves a project (opencode)
#     --no-socket          let the gateway open its own socket; connections are then refused during a restart
#     --system             install for the system's service manager (requires root); the gateway runs as the user vibe
#     --dry-run            print the changes without making them
#     --uninstall          stop and remove the gateway, the instances and the units; keep the settings, the key and the
#                          projects
#     --help               print this text
#
# The script writes ~/.local/bin/viberemote-gateway, units in ~/.config/systemd/user, and two files in
# ~/.config/viberemote-gateway: `config` (the settings, which you can edit) and `key` (the clients' key, which only you can
# read). The options --home, --listen and --opencode change an existing `config`.
#
# If the original gateway is installed, the script replaces it. The script keeps the port, the key, the home directory and the
# environment file, and stores a copy of the original's unit files.
#
# With --system, root writes only to directories that belong to root, such as /etc/viberemote-gateway. The service's user reads
# `config` through its group, and systemd passes the key to the service (LoadCredential=). Earlier versions created a directory
# that belongs to the service's user. To replace such a directory, the script reads both files with that user's rights, moves
# the old directory away, and creates a new directory.
set -eu
umask 022

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
units=$(dirname "$here")/units
binary=$(dirname "$here")/.build/dist/viberemote-gateway
home="" listen="" opencode="" socket=yes scope=user dry="" uninstall=""
gateway=viberemote-gateway.service
changed=""

say() { printf 'install: %s\n' "$*"; }
warn() { printf 'install: %s\n' "$*" >&2; }
fail() { warn "$*"; exit 1; }
say_action() { if [ -n "$dry" ]; then say "would $1"; else say "$2"; fi; }
usage() { sed -n '4,/^set/s/^# \{0,1\}//p' "$0"; }

# Runs a command that changes something. With --dry-run, only prints the command.
act() {
    if [ -z "$dry" ]; then
        "$@"
    elif [ "$1" = manager ]; then
        shift
        say "would run: systemctl --$scope $*"
    else
        say "would run: $*"
    fi
}

while [ $# -gt 0 ]; do
    case $1 in
        --binary | --home | --listen | --opencode)
            [ $# -ge 2 ] || fail "the option $1 requires a value. See --help"
            case $1 in
                --binary) binary=$2 ;;
                --home) home=$2 ;;
                --listen) listen=$2 ;;
                --opencode) opencode=$2 ;;
            esac
            shift ;;
        --no-socket) socket="" ;;
        --system) scope=system ;;
        --dry-run) dry=yes ;;
        --uninstall) uninstall=yes ;;
        --help) usage; exit ;;
        *) fail "unknown option \"$1\". See --help" ;;
    esac
    shift
done

# --- Paths ---

if [ "$scope" = user ]; then
    [ "$(id -u)" -ne 0 ] || fail "this script must not run as root without --system. Run it as the user whose projects the gateway serves"
    owner=$(id -un)
    program=$HOME/.local/bin/viberemote-gateway
    unit_folder=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
    settings=${XDG_CONFIG_HOME:-$HOME/.config}/viberemote-gateway
    put_aside=${XDG_STATE_HOME:-$HOME/.local/state}/viberemote-gateway/original
    projects=$HOME
    # An SSH login sets this variable, but su and sudo do not.
    XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}
    export XDG_RUNTIME_DIR
else
    [ "$(id -u)" -eq 0 ] || fail "--system requires root. Run: sudo $0 --system"
    owner=vibe
    program=/usr/local/bin/viberemote-gateway
    unit_folder=/etc/systemd/system
    settings=/etc/viberemote-gateway
    # Do not use /var/lib/viberemote-gateway, because it belongs to the service's user.
    put_aside=/etc/viberemote-gateway/original
    projects=/home/$owner
fi
rules=/etc/polkit-1/rules.d/50-viberemote-gateway.rules
environment_file=${XDG_CONFIG_HOME:-$HOME/.config}/opencode/env

manager() { systemctl "--$scope" "$@"; }

check_manager() {
    command -v systemctl >/dev/null || fail "this machine has no systemd. Run viberemote-gateway serve in another way (docs/operations.md)"
    manager show-environment >/dev/null 2>&1 && return
    [ "$scope" = user ] || fail "the system's service manager does not respond. Check that systemd runs on this machine"
    fail "your systemd user manager does not respond. As root, run: loginctl enable-linger $owner. Then run this script again"
}

# --- Files ---

# With --system, fails if the directory is a link, or if users other than root can write to it. These users could replace a file
# that root writes by a link.
check_folder() {
    [ "$scope" = system ] || return 0
    [ ! -L "$1" ] || fail "$1 is a symbolic link, and root must not write through links. Move it away and run this script again"
    [ -d "$1" ] || fail "$1 is not a directory. Move it away and run this script again"
    # In Debian 12, the directory of polkit's rules belongs to the user polkitd.
    case $(stat -c %U "$1") in
        root | polkitd) ;;
        *) fail "$1 does not belong to root, so root must not write to it. Move it away and run this script again" ;;
    esac
    case $(stat -c %A "$1") in
        ????????w*) fail "every user can change $1. Run chmod o-w $1 and then this script again" ;;
    esac
}

# Fails if the file exists and is a link or not a regular file.
check_file() {
    [ ! -L "$1" ] || fail "$1 is a symbolic link, and this script does not replace links. Remove it and run this script again"
    [ ! -e "$1" ] || [ -f "$1" ] || fail "$1 is not a regular file. Move it away and run this script again"
}

# Replaces a file atomically with standard input. A program that is running keeps the old file, and no program reads an incomplete
# file. The temporary file is in the same directory and has an unpredictable name. No existing file changes its owner.
replace() {
    mode=$1 to=$2 file_group=${3:-root}
    mkdir -p "$(dirname "$to")"
    check_folder "$(dirname "$to")"
    temporary=$(mktemp "$(dirname "$to")/.install.XXXXXXXXXX")
    # shellcheck disable=SC2064  # the value at the time of this call
    trap "rm -f '$temporary'" EXIT
    cat >"$temporary"
    # Set the group, because a new file may get the group of its directory, for example in /usr/local/bin.
    [ "$scope" = user ] || chgrp "$file_group" "$temporary"
    chmod "$mode" "$temporary"
    mv -fT "$temporary" "$to"
    trap - EXIT
}

# Returns whether a file has this mode. With --system, the file must also belong to root and to the given group.
has_rights() {
    [ "$(stat -c %a "$2")" = "${1#0}" ] || return 1
    [ "$scope" = user ] || [ "$(stat -c '%u %G' "$2")" = "0 ${3:-root}" ]
}

# Installs a file and sets `changed`, unless the same file is already installed.
put() {
    check_file "$3"
    if [ -f "$3" ] && cmp -s "$2" "$3" && has_rights "$1" "$3"; then return; fi
    say_action "write $3" "writing $3"
    changed=yes
    [ -n "$dry" ] || replace "$1" "$3" <"$2"
}

# Installs a file with this content. The content may contain a key, because the arguments of a shell function do not appear in the
# process list.
put_text() {
    check_file "$2"
    if [ -f "$2" ] && [ "$(cat "$2")" = "$3" ] && has_rights "$1" "$2" "${4:-}"; then return; fi
    say_action "write $2" "writing $2"
    changed=yes
    [ -n "$dry" ] || printf '%s\n' "$3" | replace "$1" "$2" "${4:-}"
}

# Prints a value in the syntax of systemd's environment files.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"`$]/\\&/g')"; }

# Prints the value of a setting in an environment file, or nothing if the file does not set it.
value_in() {
    [ -r "$2" ] || return 0
    sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*//p" "$2" | tail -n 1 | unquoted
}

# Removes one pair of quotes from each line, and the backslashes inside double quotes.
unquoted() {
    sed -e 's/[[:space:]]*$//' -e "/^'.*'\$/{s/^'\(.*\)'\$/\1/;b" -e '}' -e '/^".*"$/!b' -e 's/^"\(.*\)"$/\1/' \
        -e 's/\\\(["\\`$]\)/\1/g'
}

# --- The original gateway ---

# Sets original=yes if the installed unit does not start this program.
find_original() {
    original=""
    installed=$unit_folder/$gateway
    [ -f "$installed" ] && ! grep -q '^ExecStart=.*viberemote-gateway serve' "$installed" || return 0
    original=yes
    say "found the original gateway: $installed"
    # Join lines that end with a backslash.
    all=$(cat "$installed" "$installed.d"/*.conf 2>/dev/null | sed -e ':a' -e '/\\$/N; s/\\\n/ /; ta' || true)
    old_key=$(original_value VIBE_AUTH_SECRET)
    old_home=$(original_value HOME_DIR)
    command=$(printf '%s\n' "$all" | sed -n 's/^ExecStart=//p' | tail -n 1)
    old_host=$(printf '%s\n' "$command" | sed -n 's/.*--host[= ]\([^ ]*\).*/\1/p')
    old_port=$(printf '%s\n' "$command" | sed -n 's/.*--port[= ]\([0-9]*\).*/\1/p')
    old_listen=${old_host:-0.0.0.0}:${old_port:-4000}
}

# Prints a variable of the original gateway from the unit's Environment= lines and from the files that EnvironmentFile= names. The
# files override the lines.
original_value() {
    found=$(printf '%s\n' "$all" | sed -n 's/^Environment=//p' | original_words | sed -n "s/^$1=//p" | tail -n 1)
    names=$(printf '%s\n' "$all" | sed -n 's/^EnvironmentFile=-\{0,1\}//p' | sed "s|%h|$HOME|g")
    old_ifs=$IFS
    IFS='
'
    for file in $names; do
        from_file=$(value_in "$1" "$file")
        [ -z "$from_file" ] || found=$from_file
    done
    IFS=$old_ifs
    printf '%s' "$found" | sed "s|%h|$HOME|g"
}

# Prints each assignment on its own line. An input line may contain several assignments, with or without quotes (systemd.exec(5)).
original_words() {
    awk '{
        word = ""; quote = ""; n = length($0)
        for (i = 1; i <= n; i++) {
            c = substr($0, i, 1)
            if (c == "\\" && i < n && quote != "\047") { i++; word = word substr($0, i, 1) }
            else if (quote != "") { if (c == quote) quote = ""; else word = word c }
            else if (c == "\"" || c == "\047") quote = c
            else if (c == " " || c == "\t") { if (word != "") print word; word = "" }
            else word = word c
        }
        if (word != "") print word
    }'
}

# Stores the original's unit files, so that the user can restore the original.
set_original_aside() {
    [ -n "$original" ] || return 0
    say "copying the original's unit files to $put_aside"
    [ "$scope" = user ] || [ -n "$dry" ] || check_folder "$(dirname "$put_aside")"
    act mkdir -p "$put_aside"
    act chmod 700 "$put_aside"
    for name in "$gateway" opencode@.service; do
        [ ! -f "$unit_folder/$name" ] || act cp -p "$unit_folder/$name" "$put_aside/"
    done
    # Remove the original's drop-ins. Every local user can read them, and their Environment= lines may contain the key.
    if [ -d "$unit_folder/$gateway.d" ]; then
        act cp -pR "$unit_folder/$gateway.d" "$put_aside/"
        act rm -rf "$unit_folder/$gateway.d"
    fi
}

# --- Settings and key ---

# Creates the directory of the settings. The directory belongs to the user, or to root with --system.
make_settings_folder() {
    if [ "$scope" = user ]; then
        act mkdir -p "$settings"
        act chmod 700 "$settings"
        return
    fi
    group=$(id -gn "$owner" 2>/dev/null || echo "$owner")
    check_folder "$(dirname "$settings")"
    [ ! -L "$settings" ] || fail "$settings is a symbolic link, and root must not write through links. Move it away and run this script again"
    [ ! -d "$settings" ] || [ "$(stat -c %u "$settings")" = 0 ] || replace_settings_folder
    if [ ! -d "$settings" ]; then
        say_action "create $settings" "creating $settings"
        act mkdir -m 0700 "$settings"
    fi
    [ -n "$dry" ] || check_folder "$settings"
    [ "$(stat -c '%a %G' "$settings" 2>/dev/null)" = "750 $group" ] || { act chgrp "$group" "$settings"; act chmod 0750 "$settings"; }
}

# Replaces a directory that belongs to the service's user. Earlier versions created such a directory. The user's programs could
# create links in the directory, and root would write through these links.
replace_settings_folder() {
    user=$(stat -c %U "$settings")
    say "$settings belongs to $user. Replacing it with a directory of root"
    [ -z "$dry" ] || return 0
    for name in config key; do
        [ -e "$settings/$name" ] || [ -L "$settings/$name" ] || continue
        [ -f "$settings/$name" ] && [ ! -L "$settings/$name" ] ||
            fail "$settings/$name is not a regular file, and this script does not copy it. Remove it and run this script again"
    done
    # Read with that user's rights. With root's rights, a link could copy text that only root can read into a file that the user can
    # read.
    old_config=$(as_user "$user" cat "$settings/config" 2>/dev/null || true)
    old_key_text=$(as_user "$user" cat "$settings/key" 2>/dev/null || true)
    replaced=$(mktemp -d /etc/viberemote-gateway.replaced.XXXXXXXXXX)
    mv -T "$settings" "$replaced/viberemote-gateway"
    say "the old directory is now $replaced/viberemote-gateway, and only root can access it. Remove it when the gateway works"
    mkdir -m 0700 "$settings"
    [ -z "$old_config" ] || put_text 0640 "$settings/config" "$old_config" "$group"
    [ -z "$old_key_text" ] || put_text 0600 "$settings/key" "$old_key_text"
    changed=yes
}

as_user() { setpriv --reuid "$1" --regid "$(id -g "$1")" --init-groups --inh-caps=-all -- env -i PATH="$PATH" "$2" "$3"; }

write_key() {
    key_file=$settings/key
    check_file "$key_file"
    if [ -f "$key_file" ]; then
        [ "$(stat -c %a "$key_file")" = 600 ] || { say "restricting access to $key_file to its owner"; act chmod 600 "$key_file"; }
        return
    fi
    key=""
    if [ -n "$original" ] && [ -n "$old_key" ]; then
        if [ "$old_key" = change-me-in-production ] || [ "$(printf '%s' "$old_key" | wc -c)" -lt 16 ]; then
            warn "the original's key is publicly known or shorter than 16 bytes. Creating a new key. Give it to all clients"
        else
            key=$old_key
            say "keeping the original's key"
        fi
    fi
    # 256 random bits.
    [ -n "$key" ] || key=$(od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n')
    put_text 0600 "$key_file" "$key"
}

write_settings() {
    config=$settings/config
    if [ -n "$original" ]; then
        home=${home:-$old_home}
        listen=${listen:-$old_listen}
    fi
    check_file "$config"
    if [ "$scope" = user ]; then rights=0600; else rights=0640; fi
    if [ "$scope" = system ] && [ -n "$(value_in VIBE_AUTH_SECRET "$config")" ]; then
        fail "$config sets VIBE_AUTH_SECRET, and the service's user and its agents can read that key. Move it to $settings/key and run this script again"
    fi
    if [ ! -f "$config" ]; then
        put_text $rights "$config" "$(new_settings)" "${group:-}"
    elif [ "$scope" = system ] || [ -n "$home$listen$opencode" ]; then
        put_text $rights "$config" "$(changed_settings)" "${group:-}"
    fi
    address=$(value_in VIBE_LISTEN "$config")
    address=${address:-${listen:-0.0.0.0:4000}}
    # The address becomes part of a unit that root owns. For a path, systemd would create a socket file.
    case $address in
        */* | *[[:space:]]*) fail "VIBE_LISTEN in $config is not HOST:PORT: $address. Correct it and run this script again" ;;
    esac
}

new_settings() {
    echo "# Settings of the VibeRemote gateway. docs/configuration.md lists their names. After a change, run:"
    echo "# systemctl --$scope reload viberemote-gateway. If the log requests a restart, run restart instead of reload."
    echo "VIBE_LISTEN=$(quoted "${listen:-0.0.0.0:4000}")"
    echo "HOME_DIR=$(quoted "${home:-$projects}")"
    [ -z "$opencode" ] || echo "VIBE_OPENCODE=$(quoted "$opencode")"
    echo "VIBE_KEY_FILE=$(quoted "$settings/key")"
    # Set the directory of the unit's StateDirectory=, because `viberemote-gateway check` in a shell must use the same directory.
    [ "$scope" = user ] || echo "VIBE_STATE_DIR=$(quoted /var/lib/viberemote-gateway)"
}

# Prints the existing settings with the values of the options.
changed_settings() {
    text=$(cat "$config")
    change VIBE_LISTEN "$listen"
    change HOME_DIR "$home"
    change VIBE_OPENCODE "$opencode"
    printf '%s\n' "$text"
}

change() {
    [ -n "$2" ] && [ "$(value_in "$1" "$config")" != "$2" ] || return 0
    text=$(printf '%s\n' "$text" | grep -v "^[[:space:]]*$1[[:space:]]*=" || true)
    text=$(printf '%s\n%s=%s' "$text" "$1" "$(quoted "$2")")
}

# Restricts the mode of OpenCode's environment file, which contains providers' keys. The gateway rejects the file if other users can
# read it.
check_environment_file() {
    [ "$scope" = user ] && [ -f "$environment_file" ] || return 0
    case $(stat -c %a "$environment_file") in
        600 | 400) ;;
        *) say "restricting access to $environment_file to its owner"; act chmod 600 "$environment_file" ;;
    esac
}

# --- Installation ---

check_program() {
    [ -f "$binary" ] || fail "$binary does not exist. Build it with make release, or set --binary"
    missing=$(ldd "$binary" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | tr '\n' ' ')
    # The program loads libcurl on first use, so ldd does not list it.
    if known=$(/sbin/ldconfig -p 2>/dev/null); then
        case $known in *libcurl.so.4*) ;; *) missing="${missing}libcurl.so.4 " ;; esac
    fi
    [ -z "$missing" ] ||
        fail "$binary needs missing libraries: $missing. On Debian, run as root: apt-get install $(packages_of "$missing")"
    version=$("$binary" --version) || fail "$binary does not run on this machine. Build it on a system with the same or an older glibc, or set --binary"
}

# Prints the Debian packages of the given libraries. Debian 13 has renamed packages whose interfaces changed with 64-bit time.
packages_of() {
    release=$(sed -n 's/^VERSION_ID="\{0,1\}\([0-9]*\).*/\1/p' /etc/os-release 2>/dev/null)
    suffix=""
    [ "${release:-13}" -lt 13 ] || suffix=t64
    for library in $1; do
        case $library in
            libmicrohttpd.so.12) printf 'libmicrohttpd12%s ' "$suffix" ;;
            libcurl.so.4) printf 'libcurl4%s ' "$suffix" ;;
            libsystemd.so.0) printf 'libsystemd0 ' ;;
            libsodium.so.23) printf 'libsodium23 ' ;;
            libqrencode.so.4) printf 'libqrencode4 ' ;;
            libsqlite3.so.0) printf 'libsqlite3-0 ' ;;
            libwslay.so.1) printf 'libwslay1 ' ;;
            *) printf '%s ' "$library" ;;
        esac
    done
}

put_units() {
    for unit in "$units/$scope"/*.service "$units/$scope"/*.socket; do
        [ -f "$unit" ] || fail "the directory $units/$scope contains no units. Run this script in a complete checkout"
        put 0644 "$unit" "$unit_folder/$(basename "$unit")"
    done
    [ "$scope" = user ] || put 0644 "$units/system/$(basename "$rules")" "$rules"
    put_text 0644 "$unit_folder/viberemote-gateway.socket.d/listen.conf" "[Socket]
ListenStream=
ListenStream=$address"
}

# Enables lingering. Without it, the user's service manager ends with the user's last session.
enable_linger() {
    [ "$scope" = user ] && [ ! -e "/var/lib/systemd/linger/$owner" ] || return 0
    say_action "enable lingering: loginctl enable-linger" "enabling lingering: loginctl enable-linger"
    [ -z "$dry" ] || return 0
    loginctl enable-linger 2>/dev/null ||
        warn "cannot enable lingering, so the gateway will end with your last session. As root, run: loginctl enable-linger $owner"
}

start() {
    [ -z "$changed" ] || act manager daemon-reload
    if [ -n "$socket" ]; then
        wanted="viberemote-gateway.socket $gateway"
    else
        wanted=$gateway
        manager is-enabled --quiet viberemote-gateway.socket 2>/dev/null && act manager disable --now viberemote-gateway.socket
    fi
    # shellcheck disable=SC2086  # a list of unit names
    manager is-enabled --quiet $wanted 2>/dev/null || act manager enable --quiet $wanted
    if [ -n "$changed" ] || ! manager is-active --quiet $gateway 2>/dev/null; then
        # Stop the original first: systemd cannot change the socket while the service uses it, and cannot listen on a port that the
        # original uses.
        [ -z "$original" ] || act manager stop $gateway || true
        if [ -n "$socket" ] && ! holds_port; then
            act manager stop $gateway viberemote-gateway.socket 2>/dev/null || true
            act manager start viberemote-gateway.socket
        fi
        say_action "start the gateway" "starting the gateway"
        act manager restart $gateway || {
            [ "$scope" = user ] && hint="journalctl --user -u viberemote-gateway" || hint="journalctl -u viberemote-gateway"
            fail "the gateway did not start. See its log: $hint"
        }
    fi
}

# Returns whether the socket unit already listens on the address, so that no restart of the socket is necessary.
holds_port() {
    manager is-active --quiet viberemote-gateway.socket 2>/dev/null &&
        manager show -p Listen --value viberemote-gateway.socket | grep -q -F "$address "
}

wait_until_healthy() {
    [ -z "$dry" ] || { say "would wait until http://$address/health responds"; return; }
    port=${address##*:}
    host=${address%:*}
    case $host in 0.0.0.0 | "" | \*) host=127.0.0.1 ;; "[::]") host="[::1]" ;; esac
    tries=0
    until healthy; do
        tries=$((tries + 1))
        [ "$tries" -lt 150 ] || fail "http://$host:$port/health did not respond within 30 s. Run: systemctl --$scope status viberemote-gateway"
        sleep 0.2
    done
    say "http://$host:$port/health responds"
}

healthy() {
    if command -v curl >/dev/null; then
        curl -gfsS -m 5 -o /dev/null "http://$host:$port/health" 2>/dev/null
    else
        # Debian always has bash, which can open connections.
        # shellcheck disable=SC2016  # expanded by bash
        bash -c 'exec 3<>"/dev/tcp/$1/$2" && printf "GET /health HTTP/1.0\r\nHost: $1\r\n\r\n" >&3 && read -r -t 5 _ status _ <&3 && [ "$status" = 200 ]' \
            bash "$(printf '%s' "$host" | tr -d '[]')" "$port" 2>/dev/null
    fi
}

next_step() {
    [ -z "$dry" ] || return 0
    if [ "$scope" = user ]; then log="journalctl --user -u viberemote-gateway -f"; else log="journalctl -u viberemote-gateway -f"; fi
    cat <<TEXT

$version is running. The clients' key is in $settings/key. To send a first request, run:

  curl -H "Authorization: Bearer \$(cat $settings/key)" http://$host:$port/projects

Settings: $settings/config     Log: $log
For clients on other machines, put a TLS reverse proxy in front of the gateway. See deploy/nginx.conf and deploy/Caddyfile.
TEXT
}

# --- Removal ---

remove() {
    [ -e "$1" ] || return 0
    say "removing $1"
    act rm -rf "$1"
}

uninstall() {
    act manager disable --now --quiet viberemote-gateway.socket $gateway 2>/dev/null || true
    # Stop the instances, because they would continue to run without a unit.
    instances=$(manager list-units --all --plain --no-legend 'opencode@*.service' 2>/dev/null | sed 's/^[^a-z]*//; s/ .*//')
    for instance in $instances; do
        say "stopping $instance"
        act manager stop "$instance" || true
    done
    enabled=$(manager list-unit-files --no-legend 'opencode@*.service' 2>/dev/null | sed -n 's/^\(opencode@[^ ]\{1,\}\.service\) .*/\1/p' | grep -v '@\.service' || true)
    for instance in $enabled; do
        act manager disable --quiet "$instance" || true
    done
    for name in "$gateway" viberemote-gateway.socket opencode@.service viberemote-gateway.socket.d; do
        remove "$unit_folder/$name"
    done
    [ "$scope" = user ] || remove "$rules"
    remove "$program"
    act manager daemon-reload
    act manager reset-failed "viberemote-gateway.*" 'opencode@*.service' 2>/dev/null || true
    say "kept: $settings, $environment_file, the projects${put_aside:+; the original\'s unit files, if any: $put_aside}"
}

check_manager
if [ -n "$uninstall" ]; then
    uninstall
    exit
fi
check_program
[ "$scope" = user ] || id "$owner" >/dev/null 2>&1 || act useradd --create-home --shell /bin/bash "$owner"
find_original
make_settings_folder
set_original_aside
put 0755 "$binary" "$program"
write_key
write_settings
check_environment_file
put_units
enable_linger
start
wait_until_healthy
next_step
