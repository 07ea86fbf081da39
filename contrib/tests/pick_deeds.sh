#!/usr/bin/env bash
# pickerctl pick: what it does to documents, its options, marks and previews, the mouse, waiting, and crashes, on a
# pseudo-terminal.
#
# usage: contrib/tests/pick_deeds.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-pick-test)
trap 'rm -rf -- "$place"' EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock TERM=xterm PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
export SWIFT_BACKTRACE=enable=no
unset XDG_STATE_HOME XDG_CONFIG_HOME NO_COLOR COLORTERM
mkdir "$place/root" "$place/other" "$place/home"
cd "$place"

"$here/pick_deeds.py" "$place/root" "$place/other" || failures=$((failures + 1))
finish
