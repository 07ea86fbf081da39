#!/usr/bin/env bash
# Runs every example of the README, the man pages and pickerd.py: see examples.py.
#
# usage: contrib/tests/examples.sh BINARIES
exec python3 "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/examples.py" \
    "${1:?the folder that holds pickerd and pickerctl}"
