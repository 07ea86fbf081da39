#!/usr/bin/env bash
# Plugins that mean harm, as children of a daemon: fork bombs, endless lines, liars and slow ones, kills at any moment.
# The longest ping of another client meanwhile is printed. hosting.sh does it for services.
#
# usage: contrib/tests/hostile.sh BINARIES
# PICKERD_TEST_KILL_SECONDS is how long a plugin is killed every 200 ms: 5 unless set.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
[[ -e /proc/$$/task/$$/children ]] ||
    skip_all "the kernel does not tell whose children there are (CONFIG_PROC_CHILDREN)"
export PYTHONDONTWRITEBYTECODE=1
unset PICKERD_SOCKET PICKERD_PLUGIN_TRACE PICKERD_PLUGIN_PATH

binaries=${1:?the folder that holds pickerd and pickerctl}
# Their lines have our format, and are counted like ours.
"$here/guarding.py" "$binaries" || failures=$((failures + 1))
"$here/hostile.py" "$binaries" || failures=$((failures + 1))
finish
