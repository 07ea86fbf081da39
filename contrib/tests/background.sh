#!/usr/bin/env bash
# Attributes that a plugin reads although nobody asks, over a daemon: the setting, the cache, kills, restarts.
#
# usage: contrib/tests/background.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
[[ -x /usr/bin/python3 ]] || skip_all "background: no python3, in which the plugin of this test is"
! grep -qsx Discharging /sys/class/power_supply/*/status ||
    skip_all "background: on a battery, on which nothing is read"
export PYTHONDONTWRITEBYTECODE=1
unset PICKERD_SOCKET PICKERD_PLUGIN_TRACE DBUS_SESSION_BUS_ADDRESS

# Its lines have our format, and are counted like ours.
/usr/bin/python3 "$here/background.py" "${1:?the folder that holds pickerd and pickerctl}" || failures=$((failures + 1))
finish
