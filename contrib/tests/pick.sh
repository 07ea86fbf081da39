#!/usr/bin/env bash
# pickerctl pick on a terminal: what it picks while files change, and the state in which it leaves the terminal,
# however it ends.
#
# usage: contrib/tests/pick.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-pick-test)
trap 'rm -rf -- "$place"' EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock TERM=xterm PYTHONDONTWRITEBYTECODE=1
# Some runtimes write about a crash, at length.
export SWIFT_BACKTRACE=enable=no
unset XDG_STATE_HOME XDG_CONFIG_HOME NO_COLOR COLORTERM
mkdir "$place/root" "$place/home"
cd "$place"
for number in {10..49}; do echo "n $number" >"root/note-$number.md"; done

"$here/pick_on_terminal.py" "$place/root" || failures=$((failures + 1))
finish
