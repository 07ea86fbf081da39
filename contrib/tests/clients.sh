#!/usr/bin/env bash
# The clients in contrib/clients: pickerd.py with its own tests and the exchanges of the conformance
# script, and picker.sh by hand.
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
daemon='' started=()
tidy() {
    local pid
    for pid in "${started[@]}" $daemon; do kill -TERM "$pid" 2>/dev/null && wait "$pid" || true; done
    rm -rf -- "$place"
}
trap tidy EXIT
# Characters that socat would interpret unless escaped.
export HOME=$place/home PICKERD_SOCKET="$place/s,o:c\\k" TMPDIR=$place/tmp
mkdir "$place/root" "$place/home" "$place/tmp"
cd "$place"
picker() { "$clients/picker.sh" "$@"; } # in the background, signals would reach the function alone

start_daemon() {
    "$PICKERD_BINARIES/pickerd" --socket "$PICKERD_SOCKET" --state state root >daemon.log 2>&1 </dev/null &
    daemon=$!
    check "a daemon serves" eventually "$PICKERD_BINARIES/pickerctl" status
}
odd='it'\''s "odd" $(x).txt'
echo text >root/report.md
echo text >"root/$odd"
echo text >root/zeta.md
start_daemon

check "a request is answered" equal "$(picker call daemon.ping)" "{}"
status=0
picker call documents.get '{"key":"nope"}' >out 2>said || status=$?
check "a refusal gives status 1, without output" equal "$status$(<out)" 1
check "and says why" grep -qF "no document with the key 'nope'" said
status=0
picker call documents.get nonsense >out 2>said || status=$?
check "parameters that are not an object give status 2" equal "$status" 2

names() { tail -n 1 "$1" | jq -r 'map(.path // "new") | join(" ")'; }
shows() { equal "$(names list)" "$1"; }
"$clients/picker.sh" list >list 2>list.said &
lister=$! started+=($!)
check "a list starts with the existing documents" eventually shows "new $odd report.md zeta.md"
rm root/zeta.md
mv root/report.md root/areport.md
echo more >root/b.md
check "and follows removals, renames and new files" eventually shows "new areport.md b.md $odd"
"$clients/picker.sh" follow 'app.*' >events 2>events.said &
follower=$! started+=($!)
first_followed() { # until the subscription stands, events pass it by
    picker call events.publish '{"topic":"app.first","data":{"text":"\"method\":1"}}' >/dev/null
    [[ -s events ]]
}
check "a subscription is established" eventually first_followed
topics() { equal "$(jq -r .topic events | uniq | xargs)" "$1"; }
check "events are followed" eventually topics app.first

kill -KILL "$daemon"
wait "$daemon" 2>/dev/null || true
echo again >root/again.md
start_daemon
check "the list resumes after the daemon was killed" eventually shows "new again.md areport.md b.md $odd"
picker call events.publish '{"topic":"app.second"}' >/dev/null
check "so do events" eventually topics "app.first app.second"
check "each once" equal "$(jq .seq events | sort | uniq -d)" ""
for pid in "$lister" "$follower"; do
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    check "a signal ends it" equal "$status" 143
done
started=()

# Keys are sent one by one, each after the screen shows the effect of the previous ones.
mkfifo keys
exec {keys}<>keys
pick() {
    : >screen
    "$clients/picker.sh" pick <keys >picked 2>screen &
    chooser=$! started=($!)
}
# The last drawn screen, as a terminal would show it.
screen() { tr -d '\r' <screen | sed 's/.*\x1b\[J//; s/\x1b\[[?0-9]*[A-Zhlm]//g' | tac | sed '/^> /q' | tac; }
drawn() { screen | grep -qF "$1"; }
chosen() {
    status=0
    wait "$chooser" || status=$?
    started=()
}
pick
check "the picker shows the documents" eventually drawn "root/b.md"
printf 'r' >&"$keys"
check "and the typed text" eventually drawn "> r"
printf 'ep' >&"$keys"
check "which narrows them down" eventually drawn "1 of 1"
echo text >root/a-rep.md
check "and new documents appear" eventually drawn "2 of 2"
printf '\e[B\n' >&"$keys"
chosen
check "Enter ends it" equal "$status" 0
check "with the marked path" equal "$(<picked)" "$place/root/areport.md"
pick
printf 'odd\n' >&"$keys"
chosen
check "Enter waits for the rows of the typed text" equal "$status $(<picked)" "0 $place/root/$odd"
pick
check "it can be cancelled" eventually drawn "root/b.md"
printf '\e' >&"$keys"
chosen
check "with status 1 and nothing printed" equal "$status $(<picked)" "1 "

check "an unknown sort key ends list" equal \
    "$("$clients/picker.sh" list --sort foo 2>&1 >/dev/null | grep -cF "unknown sort key 'foo'")" 1
"$here/picker_on_terminal.py" "$clients/picker.sh" "$place/root" || failures=$((failures + 1))

kill -TERM "$daemon"
wait "$daemon" || true
daemon=''
status=0
picker list 2>said || status=$?
check "without a daemon it ends with status 3" equal "$status" 3
check "and says so" grep -qF "no daemon answers at $PICKERD_SOCKET" said
check "no file is left" silent "$(ls -A tmp)"
left() { pgrep -f "$place|$clients/picker.sh" || true; }
check "no process is left" silent "$(left)"
finish
