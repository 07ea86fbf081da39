#!/usr/bin/env bash
# pickerctl pick --directory and --save on a terminal, without a daemon: what they print, what they refuse, and that the
# terminal is left as it was.
#
# usage: contrib/tests/pick-folders.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
binaries=$(readlink -f "${1:?the folder that holds pickerctl}")
PATH=$binaries:$PATH

place=$(mktemp -d --suffix=-pickerd-folders-test)
trap 'rm -rf -- "$place"' EXIT
# There is no daemon at that socket.
export HOME=$place/home PICKERD_SOCKET=$place/none TERM=xterm PYTHONDONTWRITEBYTECODE=1
unset XDG_STATE_HOME XDG_CONFIG_HOME NO_COLOR COLORTERM
mkdir "$place/home"
cd "$place"

"$here/pick_folders.py" "$place/disk" || failures=$((failures + 1))
finish
