#!/usr/bin/env bash
# Saves of documents by editors and other programs, as a subscriber sees them: one change each, and never a
# document that goes and comes.
#
# usage: contrib/tests/saves.sh BINARIES [OPTION…]   (the options are those of saves.py)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-saves-test)
daemon=''
tidy() {
    local pid
    for pid in $daemon; do kill -TERM "$pid" 2>/dev/null && wait "$pid" || true; done
    rm -rf -- "$place"
}
trap tidy EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock TERM=xterm LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
unset XDG_STATE_HOME XDG_CONFIG_HOME
mkdir "$place/root" "$place/home"
cd "$place"

pickerd --socket "$PICKERD_SOCKET" root >daemon.log 2>&1 </dev/null &
daemon=$!
check "a daemon serves" eventually pickerctl sync
"$here/saves.py" "$place/root" "${@:2}" || failures=$((failures + 1))
finish
