#!/usr/bin/env bash
# The dialogs of programs: pickerd-desktop as a backend of the desktop's portal, over a bus of the test's own, with a
# terminal of the test's own.
#
# usage: contrib/tests/portal.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
[[ $(command -v dbus-daemon) ]] || skip_all "dialogs: no dbus-daemon (Debian: dbus-user-session)"
/usr/bin/python3 -c 'from gi.repository import Gio' 2>/dev/null ||
    skip_all "dialogs: no GLib for python3 (Debian: python3-gi)"
unset PICKERD_SOCKET DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY TERMINAL INVOCATION_ID NO_COLOR COLORTERM

# Its lines have our format, and are counted like ours.
"$here/portal.py" "${1:?the folder that holds pickerd, pickerctl and pickerd-desktop}" || failures=$((failures + 1))
finish
