#!/usr/bin/env bash
# The units in systemd/, installed by contrib/install, in the hands of a real systemd user manager:
# socket activation, readiness, reload, watchdog, restart, stop, the sandbox, the journal.
#
# usage: contrib/tests/units.sh BINARIES   (a folder below the project that holds both programs)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
project=$(readlink -f "$here/../..")
source "$here/checks.bash"

if [[ ${1:-} != --inside ]]; then
    binaries=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}")
    if [[ $binaries != "$project"/* ]]; then
        echo "not ok - $binaries is not below $project, so the test can't see it"
        exit 1
    fi
    status=0
    reason=$(mktemp)
    trap 'rm -f "$reason"' EXIT
    "$project/contrib/with-systemd" contrib/tests/units.sh --inside "/project/${binaries#"$project"/}" \
        2>"$reason" || status=$?
    ((status == 77)) && skip_all "the units under systemd: $(<"$reason")"
    cat "$reason" >&2
    if ((status > 1)); then echo "not ok - the units under systemd: ended with status $status"; fi
    exit "$status"
fi

# ---- Under systemd, as a user -------------------------------------------------------------------

export PATH=$HOME/.local/bin:$PATH
user_units=$HOME/.local/share/systemd/user
settings=$HOME/.config/pickerd/config.toml
socket=$XDG_RUNTIME_DIR/pickerd/pickerd.sock
ctl() { timeout "$patience" pickerctl "$@"; }
serves() { ctl get "$1" | grep -F "$1"; }
property() { systemctl --user show --property "$1" --value "${2:-pickerd.service}"; }
property_is() { equal "$(property "$1" "${3:-pickerd.service}")" "$2"; }
# The manager's own words on what the daemon told it (its log level is debug, below).
notified() { journalctl --user -q -o cat USER_UNIT=pickerd.service | grep -F "Got notification" | grep -F "$1"; }
journal_has() { [[ -n $(journalctl --user -q -o cat "$1") ]]; }
# The daemon's process, for signals; never 0, which would mean the test's own group.
running() {
    pid=$(property MainPID)
    ((pid > 0)) && return 0
    echo "not ok - the daemon should be running here, and is not; the rest was left out"
    show_journal
    exit 1
}
show_journal() { journalctl --user -q -o cat -n 60 USER_UNIT=pickerd.service + _SYSTEMD_USER_UNIT=pickerd.service | sed 's/^/    journal: /'; }
answers() { ctl status >/dev/null; }
restarted() { # restarted OLD-PID: another process is up
    [[ $(property MainPID) != "$1" ]] && property_is ActiveState active
}

mkdir -p ~/Documents ~/More ~/.config/pickerd
echo one >~/Documents/one.txt
echo two >~/Documents/two.txt
echo three >~/More/three.txt
echo 'roots = ["~/Documents"]' >"$settings"

check "install puts all files under the prefix" \
    env PICKERD_BINARIES="$2" "$project/contrib/install" --prefix "$HOME/.local"
check "systemd-analyze verify has nothing to say" silent \
    "$(systemd-analyze verify --user --man=no "$user_units"/pickerd.{service,socket} 2>&1)"

# A watchdog of five seconds, so that the test need not wait for the true one; in less, a daemon on a busy
# machine might not get to say that it lives.
mkdir -p ~/.config/systemd/user/pickerd.service.d
printf '[Unit]\nStartLimitBurst=50\n[Service]\nWatchdogSec=5s\n' \
    >~/.config/systemd/user/pickerd.service.d/test.conf
systemctl --user daemon-reload
systemctl --user log-level debug

systemctl --user enable --now pickerd.socket
check "the socket listens and the daemon sleeps" property_is ActiveState inactive
check "the socket is its owner's alone" equal "$(stat -c %a "$socket")" 600
check "its folder too" equal "$(stat -c %a "$(dirname "$socket")")" 700
inode=$(stat -c %i "$socket")

check "the first connect starts the daemon and is answered" answers
check "the unit is active, by READY=1" property_is ActiveState active
check "READY=1 was sent" eventually notified READY=1
check "the status line says something" test -n "$(property StatusText)"
check "the journal has the ready event by its field" eventually journal_has PICKERD_EVENT=ready
check "the sandbox is tight (below 2.0 of 10)" \
    systemd-analyze --user --no-pager security --threshold=20 pickerd.service
check "documents can be made through the sandbox" ctl new "made inside.txt"
check "and are there outside of it" test -f ~/Documents/"made inside.txt"

before=$(property StatusText)
running
echo 'roots = ["~/Documents", "~/More"]' >"$settings"
check "reload succeeds" systemctl --user reload pickerd.service
check "RELOADING=1 was sent" eventually notified RELOADING=1
check "the status line follows the reload" eventually \
    fails property_is StatusText "$before"
check "the new root is served" eventually serves three.txt
echo 'roots = 5' >"$settings"
systemctl --user reload pickerd.service || true
check "a wrong setting on reload changes nothing" serves three.txt
check "and the process is the same" property_is MainPID "$pid"
echo 'roots = ["~/Documents", "~/More"]' >"$settings"

running
kill -STOP "$pid"
echo late >~/Documents/late.txt
ctl status >/dev/null &
waiting=$!
check "a daemon that hangs is restarted by the watchdog" eventually restarted "$pid"
status=0
wait "$waiting" || status=$?
check "who connected while it hung is answered by the next" equal "$status" 0
check "what was made while it hung is there" eventually serves late.txt
check "one restart is on record" property_is NRestarts 1
check "the socket survived" equal "$(stat -c %i "$socket")" "$inode"

running
number=$(ctl publish app.kept '{"n":1}') || number=0
stored() {
    local stored
    stored=$(ctl raw <<<'{"id":1,"method":"daemon.info"}' | sed 's/.*"stored":\([0-9]*\).*/\1/')
    ((number > 0 && stored >= number))
}
check "an event is stored, through the sandbox" eventually stored
kill -KILL "$pid"
check "a daemon that is killed is restarted" eventually restarted "$pid"
check "and answers" answers
check "and has the events of before" grep -q app.kept <(ctl replay 'app.*')
check "which are in the state folder" test -f ~/.local/state/pickerd/events/mark
check "the socket survived that too" equal "$(stat -c %i "$socket")" "$inode"

systemctl --user stop pickerd.service
check "STOPPING=1 was sent" eventually notified STOPPING=1
check "it stopped with success" property_is Result success
check "the next connect starts it anew" answers
check "it stops when asked over the socket" ctl stop
check "and stays down, with success" eventually property_is ActiveState inactive

echo 'roots = 5' >"$settings"
check "a wrong setting fails the start" fails systemctl --user start pickerd.service
check "with status 78" property_is ExecMainStatus 78
check "and without another try" property_is ActiveState failed

systemctl --user stop pickerd.socket pickerd.service
check "the socket is removed when it stops" fails test -e "$socket"
check "uninstall succeeds" "$project/contrib/install" --prefix "$HOME/.local" --uninstall
check "uninstall leaves no file but what outlives the daemon" silent \
    "$(find ~/.local -path ~/.local/state -prune -o -type f -print)"
if ((failures)); then show_journal; fi
finish
