#!/usr/bin/env bash
# pickerctl events in scripts: --since last over several runs, --exec, and the exit status.
#
# usage: contrib/tests/events.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-events-test)
daemon='' follower=''
tidy() {
    local pid
    for pid in $follower $daemon; do kill -TERM "$pid" 2>/dev/null && wait "$pid" || true; done
    rm -rf -- "$place"
}
trap tidy EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock
unset XDG_STATE_HOME XDG_CONFIG_HOME
mkdir "$place/root" "$place/home"
cd "$place"

start_daemon() {
    pickerd --socket "$PICKERD_SOCKET" root >daemon.log 2>&1 </dev/null &
    daemon=$!
    check "a daemon serves" eventually pickerctl status
}
publish() { # publish TOPIC FIRST LAST: events whose data are these numbers
    local number
    for ((number = $2; number <= $3; number++)); do pickerctl publish "$1" "$number" >/dev/null; done
}
data() { sed -n 's/.*"data":\([0-9]*\).*/\1/p' "$@" | xargs; }
since() { pickerctl events --since last --state place "$@"; }
lines() { equal "$(wc -l <"$1")" "$2"; }

start_daemon
publish app.saved 1 5
publish other.topic 100 110

check "the first run has all kept events, up to a count" \
    equal "$(since --json -n 2 'app.*' 2>said | data)" "1 2"
check "and reports its start" grep -q "no place is remembered in 'place' yet" said
check "the next run continues" equal "$(since --json -n 2 'app.*' 2>&1 | data)" "3 4"
pickerctl events --since last --state place --json 'app.*' >more &
follower=$!
check "a continuing run has the remaining events" eventually lines more 1
kill -TERM "$follower"
status=0
wait "$follower" || status=$?
follower=''
check "and no more, when a signal ends it" equal "$(data more) $status" "5 143"
publish app.saved 6 7
check "and the next run has the new events" equal "$(since --json -n 2 'app.*' | data)" "6 7"

pickerctl events --since last --state place --json 'app.*' >followed 2>followed.said &
follower=$!
before=$(<place)
publish app.saved 8 8
check "a following run has published events" eventually lines followed 1
check "and remembers it" eventually fails grep -qxF "${before##*$'\n'}" place
status=0
since -n 1 >out 2>said || status=$?
check "a second one with the same file ends with status 1" equal "$status" 1
check "and says why" grep -q "another run uses the state file 'place'" said
kill -KILL "$follower"
wait "$follower" 2>/dev/null || true
publish app.saved 9 9
check "after a kill the stored position follows the last printed event" \
    equal "$(data followed) $(since --json -n 1 'app.*' | data)" "8 9"

pickerctl events --since last --state place --exec 'echo {} >>each; test "$PICKERD_DATA" != 11' 'app.*' 2>failed &
follower=$!
publish app.saved 10 12
check "a command is run for each event" eventually lines each 3
kill -TERM "$follower"
status=0
wait "$follower" || status=$?
follower=''
check "in order" equal "$(data each)" "10 11 12"
check "a failed command is reported" grep -q 'the command ended with exit status 1' failed
check "it ends by the signal" equal "$status" 143

pickerctl publish app.saved "{\"path\":\"'; touch bad; \$(touch bad) \`touch bad\` \\n\"}" >/dev/null
check "hostile data is not interpreted by the shell" \
    since -n 1 --exec 'cat >input; printf "%s\n" {} | cmp - input && test -n "$PICKERD_PATH"' 'app.*'
check "and has no effect" test ! -e bad

echo damaged >place
status=0
since 2>said || status=$?
check "a damaged file ends with status 1" equal "$status" 1
check "and says what to do" grep -q "'place' is damaged or no state file: remove it" said
check "and is not modified" equal "$(cat place)" damaged

printf 'pickerctl events 1\nno-such-epoch:7\n' >place
status=0
since --json >out 2>said || status=$?
check "a place in another epoch ends with status 4" equal "$status" 4
check "without output" silent "$(cat out)"
check "and reports the new epoch" grep -q 'begun anew: those after no-such-epoch:7' said
check "the next run has all kept events" \
    equal "$(since --json -n 12 'app.*' | data)" "1 2 3 4 5 6 7 8 9 10 11 12"
finish
