#!/usr/bin/env bash
# contrib/demo: it shows the samples and their changes, ends on request, and leaves nothing behind.
#
# usage: contrib/tests/demo.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PICKERD_BINARIES=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}")
export PICKERD_BINARIES

# All files of the demo are created below this folder, and its processes have this path in their command line.
private=$(mktemp -d --suffix=-pickerd-demo-test)
output=$(mktemp --suffix=-pickerd-demo-output)
demo=''
tidy() {
    if [[ -n $demo ]]; then kill -TERM "$demo" 2>/dev/null && wait "$demo" || true; fi
    rm -rf -- "$private" "$output"
}
trap tidy EXIT

# A shell without job control starts background jobs with SIGINT ignored; the demo must receive it.
start_demo() {
    TMPDIR=$private env --default-signal=INT "$here/../demo" "$@" >"$output" 2>&1 </dev/null &
    demo=$!
}
shows() { grep -aF "$1" "$output"; }
processes() { pgrep -f "$private" || true; }
daemon() { pgrep -f "pickerd --root .*$private|pickerd --root .*--socket $private"; }
end_demo() { # end_demo SIGNAL STATUS
    kill "-$1" "$demo" || true
    check "SIG$1 ends it" eventually fails kill -0 "$demo"
    local status=0
    wait "$demo" || status=$?
    demo=''
    check "with status $2" equal "$status" "$2"
    check "no process is left" silent "$(processes)"
    check "no file is left" silent "$(ls -A "$private")"
}

start_demo --list
check "the samples are shown" eventually shows "Budget 2026.ods"
check "so are added files" eventually shows "Note 1.md"
check "the socket is printed, with its usage" shows "pickerctl --socket $private/"
check "the latest change is on top" pgrep -f "$private.* watch --sort date"
end_demo INT 0

folder=$(mktemp -d --tmpdir="$private" --suffix=-mine)
echo text >"$folder/only one.txt"
start_demo "$folder"
check "a given folder is shown" eventually shows "only one.txt"
check "the daemon that serves it runs" daemon
kill -KILL "$(daemon | head -n 1)"
check "the demo ends when the daemon dies" eventually fails kill -0 "$demo"
status=0
wait "$demo" || status=$?
demo=''
check "with status 1" equal "$status" 1
check "and says so" shows "pickerd ended by itself"
check "the folder is unchanged" equal "$(ls -A "$folder")" "only one.txt"
rm -r "$folder"
check "no process is left" silent "$(processes)"
check "no file is left" silent "$(ls -A "$private")"

"$here/demo_on_terminal.py" "$here/../demo" "$private" || failures=$((failures + 1))
check "no process is left" silent "$(processes)"
check "no file is left" silent "$(ls -A "$private")"

check "a missing folder is refused" equal \
    "$("$here/../demo" "$private/none" 2>&1 >/dev/null || echo "status $?")" \
    "There is no folder '$private/none'."$'\n'"status 2"
if ((failures)); then tail -n 30 "$output" | sed 's/^/    /'; fi
finish
