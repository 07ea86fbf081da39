#!/usr/bin/env bash
# Plugins in Python: contrib/clients/pickerd_plugin.py, which they are made with, and those in contrib/plugins.
# A host on a socketpair takes the place of the daemon.
#
# usage: contrib/tests/plugins.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
export PYTHONDONTWRITEBYTECODE=1
unset PICKERD_SOCKET PICKERD_PLUGIN_TRACE

# Their lines have our format, and are counted like ours.
"$here/../clients/test_pickerd_plugin.py" || failures=$((failures + 1))
"$here/../plugins/test_plugins.py" || failures=$((failures + 1))
finish
