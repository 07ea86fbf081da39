#!/usr/bin/env bash
# Actions and visits, over a daemon: those of plugins, the trash of the desktop and the way back, and kills.
#
# usage: contrib/tests/actions.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
command -v gio >/dev/null || skip_all "gio is missing (Debian: apt-get install libglib2.0-bin)"
export PYTHONDONTWRITEBYTECODE=1
unset PICKERD_SOCKET PICKERD_PLUGIN_TRACE DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY

# Its lines have our format, and are counted like ours.
"$here/actions.py" "${1:?the folder that holds pickerd and pickerctl}" || failures=$((failures + 1))
finish
