#!/usr/bin/env bash
# Every example of the README, the man pages and pickerd.py is run: see examples.py.
#
# usage: contrib/tests/examples.sh BINARIES
exec python3 "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/examples.py" \
    "${1:?the folder that holds pickerd and pickerctl}"
