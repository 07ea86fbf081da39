#!/usr/bin/env bash
# The man pages: groff gives no warning, and every command of pickerctl is in its page.
#
# usage: contrib/tests/manual.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
binaries=$(readlink -f "${1:?the folder that holds pickerctl}")
command -v groff >/dev/null || skip_all "groff is missing (Debian: apt-get install groff-base)"

for page in "$here"/../man/*.[0-9]; do
    check "${page##*/} is without warnings" silent \
        "$(LC_ALL=C.UTF-8 groff -ww -z -K utf8 -T utf8 -mandoc "$page" 2>&1)"
done
mapfile -t commands < <(
    "$binaries/pickerctl" --help | sed -n '/SUBCOMMANDS:$/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p'
)
check "pickerctl --help lists its commands" test "${#commands[@]}" -ge 10
for command in "${commands[@]}"; do
    [[ $command == help ]] && continue
    check "pickerctl.1 describes $command" grep -qE "^\.(It|Ic|Cm|It Ic|It Cm).* $command( |\$)" \
        "$here/../man/pickerctl.1"
done
finish
