#!/usr/bin/env bash
# The clients in contrib/clients: pickerd.py with its own tests and the exchanges of the conformance
# script, and the example in bash.
#
# usage: contrib/tests/clients.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PICKERD_BINARIES=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}")
export PICKERD_BINARIES PYTHONDONTWRITEBYTECODE=1
clients=$(readlink -f "$here/../clients")
unset PICKERD_SOCKET XDG_RUNTIME_DIR

# Their lines have our format, and are counted like ours.
"$clients/test_pickerd.py" || failures=$((failures + 1))
"$clients/test_conformance.py" || failures=$((failures + 1))

place=$(mktemp -d --suffix=-pickerd-clients-test)
daemon=''
tidy() {
    if [[ -n $daemon ]]; then kill -TERM "$daemon" && wait "$daemon" || true; fi
    rm -rf -- "$place"
}
trap tidy EXIT
# Characters that socat would interpret unless escaped.
export HOME=$place/home PICKERD_SOCKET="$place/s,o:c\\k"
mkdir "$place/root" "$place/home"
cd "$place"

odd='it'\''s "odd" $(x) \.txt'
for number in {10..21}; do touch -d "2001-01-01 00:00:$number" "root/n$number.md"; done
echo text >"root/$odd"
"$PICKERD_BINARIES/pickerd" --socket "$PICKERD_SOCKET" --state state root >daemon.log 2>&1 </dev/null &
daemon=$!
check "a daemon serves" eventually "$PICKERD_BINARIES/pickerctl" status

names() { xargs -d '\n' -n 1 basename -- | paste -sd ' '; }
check "the ten latest documents are printed" equal "$("$clients/picker.sh" | names)" \
    "$odd n21.md n20.md n19.md n18.md n17.md n16.md n15.md n14.md n13.md"
check "of those that a search finds" equal "$("$clients/picker.sh" 'n2 .md$' | names)" "n21.md n20.md n12.md"
check "with their paths" equal "$("$clients/picker.sh" 'odd" $(x) \.txt$')" "$place/root/$odd"
status=0
"$clients/picker.sh" "$(printf '%5000s' x)" >out 2>said || status=$?
check "a refusal gives jq's status, without output" equal "$status$(<out)" 5
check "and says why" grep -q '4096' said

kill -TERM "$daemon"
wait "$daemon" || true
daemon=''
status=0
"$clients/picker.sh" >out 2>said || status=$?
check "without a daemon it gives socat's" equal "$status$(<out)" 1
check "which says so" grep -qF "No such file" said
finish
