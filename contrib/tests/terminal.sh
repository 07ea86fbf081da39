#!/usr/bin/env bash
# pickerctl on a terminal: the state in which watch, feed and layout --watch leave it, and messages shown only there.
#
# usage: contrib/tests/terminal.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-terminal-test)
daemon=''
tidy() {
    local pid
    for pid in $daemon; do kill -TERM "$pid" 2>/dev/null && wait "$pid" || true; done
    rm -rf -- "$place"
}
trap tidy EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock TERM=xterm PYTHONDONTWRITEBYTECODE=1
unset XDG_STATE_HOME XDG_CONFIG_HOME NO_COLOR
mkdir "$place/root" "$place/home"
cd "$place"
for number in {10..49}; do : >"root/n$number.md"; done

pickerd --socket "$PICKERD_SOCKET" root >daemon.log 2>&1 </dev/null &
daemon=$!
check "a daemon serves" eventually pickerctl sync
"$here/pickerctl_on_terminal.py" "$place/root" || failures=$((failures + 1))
finish
