#!/usr/bin/env bash
# The kit for those who write plugins: see kit.py. By the python that Debian packages are for: one has a validator of
# schemas that is not ours.
#
# usage: contrib/tests/kit.sh BINARIES
export PYTHONDONTWRITEBYTECODE=1
unset PICKERD_SOCKET PICKERD_PLUGIN_TRACE PICKERD_PLUGIN_PATH
exec /usr/bin/python3 "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/kit.py" \
    "${1:?the folder that holds pickerd and pickerctl}"
