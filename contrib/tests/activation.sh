#!/usr/bin/env bash
# Socket activation without a service manager: systemd-socket-activate listens, starts the daemon
# at the first connect, and passes the socket.
#
# usage: contrib/tests/activation.sh BINARIES
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/checks.bash"
binaries=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}")
command -v systemd-socket-activate >/dev/null ||
    skip_all "systemd-socket-activate is missing (Debian: apt-get install systemd)"

private=$(mktemp -d --suffix=-pickerd-activation)
daemon=''
tidy() {
    if [[ -n $daemon ]]; then kill -KILL "$daemon" 2>/dev/null || true; fi
    rm -rf -- "$private"
}
trap tidy EXIT

for round in 1 2; do
    rm -rf "$private/"*
    mkdir "$private/Documents"
    echo hello >"$private/Documents/hello.txt"
    : >"$private/config.toml"
    socket=$private/pickerd.sock
    # It execs the daemon, so this is the daemon's process id, too.
    systemd-socket-activate --listen="$socket" "$binaries/pickerd" --root "$private/Documents" \
        --state "$private/state" --config "$private/config.toml" >"$private/log" 2>&1 </dev/null &
    daemon=$!
    serves() { ctl get "$1" | grep -F "$1"; }
    ctl() { timeout "$patience" "$binaries/pickerctl" --socket "$socket" "$@"; }

    check "round $round: something listens" eventually test -S "$socket"
    check "round $round: the first connect starts the daemon and is answered" ctl status
    check "round $round: it is the same process" equal \
        "$(readlink -f "/proc/$daemon/exe" | sed 's|.*/||; s/^python.*/pickerd/')" pickerd
    check "round $round: the folder is served" eventually serves hello.txt
    signal=$([[ $round == 1 ]] && echo TERM || echo INT)
    kill "-$signal" "$daemon"
    check "round $round: SIG$signal ends it" eventually fails kill -0 "$daemon"
    kill -KILL "$daemon" 2>/dev/null || true
    status=0
    wait "$daemon" || status=$?
    daemon=''
    check "round $round: with status 0" equal "$status" 0
done
if ((failures)); then sed 's/^/    log: /' "$private/log"; fi
finish
