#!/usr/bin/env bash
# Sources of plugins, over a daemon: lists of their items that follow them, kills, likes, and what was used recently.
#
# usage: contrib/tests/sources.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
[[ -x /usr/bin/python3 ]] || skip_all "sources: no python3, in which the plugins of this test are"
export PYTHONDONTWRITEBYTECODE=1
unset PICKERD_SOCKET PICKERD_PLUGIN_TRACE DBUS_SESSION_BUS_ADDRESS

# Its lines have our format, and are counted like ours.
/usr/bin/python3 "$here/sources.py" "${1:?the folder that holds pickerd and pickerctl}" || failures=$((failures + 1))
finish
