#!/usr/bin/env bash
# pickerd's documents in the search of GNOME and of KRunner, over a bus of the test's own.
#
# usage: contrib/tests/search-provider.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
for tool in dbus-daemon busctl; do
    [[ $(command -v "$tool") ]] || skip_all "pickerd-desktop: no $tool (Debian: dbus-user-session)"
done
/usr/bin/python3 -c 'from gi.repository import Gio' 2>/dev/null ||
    skip_all "pickerd-desktop: no GLib for python3 (Debian: python3-gi)"
unset PICKERD_SOCKET DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY TERMINAL INVOCATION_ID

# Its lines have our format, and are counted like ours.
"$here/search_provider.py" "${1:?the folder that holds pickerd and pickerd-desktop}" || failures=$((failures + 1))
finish
