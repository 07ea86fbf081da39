#!/usr/bin/env bash
# Plugins: contrib/clients/pickerd_plugin.py, which those in Python are made with, and those in contrib/plugins.
# A host on a socketpair takes the place of the daemon.
#
# usage: contrib/tests/plugins.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
export PYTHONDONTWRITEBYTECODE=1
unset PICKERD_SOCKET PICKERD_PLUGIN_TRACE

binaries=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}")
place=$(mktemp -d --suffix=-pickerd-plugins-test)
trap 'rm -rf -- "$place"' EXIT
check "the plugins in Swift are put together" \
    env PICKERD_BINARIES="$binaries" "$here/../plugins/build" "$place/built"
export PICKERD_TEST_PLUGINS=$place/built

# Their lines have our format, and are counted like ours.
"$here/../clients/test_pickerd_plugin.py" || failures=$((failures + 1))
"$here/../plugins/test_plugins.py" || failures=$((failures + 1))
finish
