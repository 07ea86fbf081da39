#!/usr/bin/env bash
# pickerctl pick under random keys while files change, on terminals that are slow, and with hostile names: what the
# screen shows at last is what pickerctl list prints.
#
# usage: contrib/tests/pick_keys.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH
/usr/bin/python3 -c 'import pyte' 2>/dev/null || skip_all "pyte is missing (Debian: apt-get install python3-pyte)"

place=$(mktemp -d --suffix=-pickerd-pick-test)
trap 'rm -rf -- "$place"' EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock TERM=xterm PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
export SWIFT_BACKTRACE=enable=no
unset XDG_STATE_HOME XDG_CONFIG_HOME NO_COLOR COLORTERM
mkdir "$place/root" "$place/home"
cd "$place"

"$here/pick_keys.py" "$place/root" || failures=$((failures + 1))
finish
