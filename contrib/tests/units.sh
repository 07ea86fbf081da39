#!/usr/bin/env bash
# The units in systemd/, installed by contrib/install, under a real systemd user manager:
# socket activation, readiness, reload, watchdog, restart, stop, the sandbox, the journal.
#
# usage: contrib/tests/units.sh BINARIES   (a folder below the project that holds both programs)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
project=$(readlink -f "$here/../..")
source "$here/checks.bash"

under_systemd "the units under systemd" "$@"

# ---- Under systemd, as a user -------------------------------------------------------------------

export PATH=$HOME/.local/bin:$PATH
user_units=$HOME/.local/share/systemd/user
settings=$HOME/.config/pickerd/config.toml
socket=$XDG_RUNTIME_DIR/pickerd/pickerd.sock
ctl() { timeout "$patience" pickerctl "$@"; }
serves() { ctl get "$1" | grep -F "$1"; }
property() { systemctl --user show --property "$1" --value "${2:-pickerd.service}"; }
property_is() { equal "$(property "$1" "${3:-pickerd.service}")" "$2"; }
# The manager's log messages on the daemon's notifications (its log level is debug, below).
notified() { journalctl --user -q -o cat USER_UNIT=pickerd.service | grep -F "Got notification" | grep -F "$1"; }
journal_names() { journalctl --user -q -o cat "$1" | grep -F "$2"; } # journal_names FIELD=VALUE WORDS
status_names() { ctl status | grep '^degraded' | grep -F "$1"; }
status_line_has() { property StatusText | grep -F "$1"; }
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
    env PICKERD_BINARIES="$binaries" "$project/contrib/install" --prefix "$HOME/.local" --plugins --pickers --desktop
check "and the pickers that are asked for" pickerd-fzf --help
check "systemd-analyze verify has no output" silent \
    "$(systemd-analyze verify --user --man=no "$user_units"/pickerd{.service,.socket,-desktop.service} 2>&1)"

# A watchdog of five seconds, so that the test need not wait for the real one; with less, a daemon on a busy
# machine might miss a keep-alive.
mkdir -p ~/.config/systemd/user/pickerd.service.d
printf '[Unit]\nStartLimitBurst=50\n[Service]\nWatchdogSec=5s\n' \
    >~/.config/systemd/user/pickerd.service.d/test.conf
systemctl --user daemon-reload
systemctl --user log-level debug

systemctl --user enable --now pickerd.socket
check "the socket listens and the daemon sleeps" property_is ActiveState inactive
check "only the owner has access to the socket" equal "$(stat -c %a "$socket")" 600
check "and to its folder" equal "$(stat -c %a "$(dirname "$socket")")" 700
inode=$(stat -c %i "$socket")

check "the first connect starts the daemon and is answered" answers
check "the unit is active, by READY=1" property_is ActiveState active
check "READY=1 was sent" eventually notified READY=1
check "the status line is not empty" test -n "$(property StatusText)"
check "the journal has the ready event by its field" eventually journal_has PICKERD_EVENT=ready
check "and by the socket's path" eventually journal_has PICKERD_SOCKET="$socket"
check "the sandbox is strict (exposure below 2.0 of 10)" \
    systemd-analyze --user --no-pager security --threshold=20 pickerd.service
check "documents can be created inside the sandbox" ctl new "made inside.txt"
check "and exist outside of it" test -f ~/Documents/"made inside.txt"

before=$(property StatusText)
running
echo 'roots = ["~/Documents", "~/More"]' >"$settings"
check "reload succeeds" systemctl --user reload pickerd.service
check "RELOADING=1 was sent" eventually notified RELOADING=1
check "the status line follows the reload" eventually \
    fails property_is StatusText "$before"
check "the new root is served" eventually serves three.txt
echo 'roots = 5' >"$settings"
check "a reload of wrong settings fails" fails systemctl --user reload pickerd.service
check "the journal has the line" eventually journal_names PICKERD_EVENT=reload-refused "$settings:1: 'roots' must be a list"
check "wrong settings change nothing" serves three.txt
check "and the process is the same" property_is MainPID "$pid"
check "and the unit is active" property_is ActiveState active
check "wrong settings are shown as long as they are wrong" status_names "$settings:1: 'roots'"
echo 'roots = ["~/Documents", "~/More"]' >"$settings"
check "once they are corrected, a reload succeeds" systemctl --user reload pickerd.service
check "and the error is no longer shown" fails status_names settings

running
kill -STOP "$pid"
echo late >~/Documents/late.txt
ctl status >/dev/null &
waiting=$!
check "a daemon that hangs is restarted by the watchdog" eventually restarted "$pid"
status=0
wait "$waiting" || status=$?
check "a client that connected during the hang is answered by the next daemon" equal "$status" 0
check "a document created during the hang is listed" eventually serves late.txt
check "one restart is on record" property_is NRestarts 1
check "the socket survived" equal "$(stat -c %i "$socket")" "$inode"

running
number=$(ctl publish app.kept '{"n":1}') || number=0
stored() {
    local stored
    stored=$(ctl raw <<<'{"id":1,"method":"daemon.info"}' | sed 's/.*"stored":\([0-9][0-9]*\).*/\1/')
    ((number > 0 && stored >= number))
}
check "an event is stored, inside the sandbox" eventually stored
kill -KILL "$pid"
check "a daemon that is killed is restarted" eventually restarted "$pid"
check "and answers" answers
check "and has the earlier events" grep -q app.kept <(ctl replay 'app.*')
check "which are in the state folder" test -f ~/.local/state/pickerd/events/mark
check "the socket survived that, too" equal "$(stat -c %i "$socket")" "$inode"

systemctl --user stop pickerd.service
check "STOPPING=1 was sent" eventually notified STOPPING=1
check "it stopped with success" property_is Result success
check "the next connect starts it again" answers
check "it stops on a request over the socket" ctl stop
check "and stays down, with success" eventually property_is ActiveState inactive

# ---- Errors at the start -------------------------------------------------------------------------

# As in the unit: more than five starts in half a minute fail the service and its socket.
rm ~/.config/systemd/user/pickerd.service.d/test.conf
systemctl --user daemon-reload
systemctl --user reset-failed pickerd.service
socket_listens() { property_is ActiveState active pickerd.socket; }
# The manager would start the daemon five times in half a minute; at least as many clients connect.
all_are() { # all_are EXPECTED COMMAND...: of eight that connect, all get that
    local expected=$1 said
    shift
    for _ in {1..8}; do
        said=$("$@" 2>&1) || true
        [[ $said == *"$expected"* ]] || { echo "one got: $said"; return 1; }
    done
}

echo 'log-level = info' >"$settings"
check "with a wrong settings file, clients are served" all_are one.txt ctl list
check "the socket listens" socket_listens
check "the unit is active" property_is ActiveState active
check "status names the line and the valid values" status_names "$settings:1: 'log-level' must be one of"
check "so does the unit's status line" eventually status_line_has "degraded: $settings:1:"
check "so does the journal" eventually journal_has PICKERD_EVENT=settings-wrong
echo 'roots = ["~/More"]' >"$settings"
check "corrected settings are applied by a reload" systemctl --user reload pickerd.service
check "and served" serves three.txt
check "status reports no error" fails status_names settings
check "nor does the status line" eventually fails status_line_has degraded
check "it was one start" property_is NRestarts 0

systemctl --user stop pickerd.service
systemctl --user reset-failed pickerd.service
mkdir -p ~/.config/systemd/user/pickerd.service.d
cat >~/.config/systemd/user/pickerd.service.d/wrong.conf <<UNIT
[Service]
ExecStart=
ExecStart=$HOME/.local/bin/pickerd --log-level loud
UNIT
systemctl --user daemon-reload
check "with a wrong command line, clients receive the error" all_are "'loud' is no log level" ctl list
check "the socket still listens" socket_listens
check "the start ends with status 2" eventually property_is ExecMainStatus 2
check "after that, too" all_are "'loud' is no log level" ctl list
check "and the socket listens" socket_listens
rm ~/.config/systemd/user/pickerd.service.d/wrong.conf
systemctl --user daemon-reload
check "once it is corrected, they are served" eventually serves three.txt

systemctl --user stop pickerd.socket pickerd.service
check "the socket is removed when it stops" fails test -e "$socket"
check "uninstall succeeds" "$project/contrib/install" --prefix "$HOME/.local" --uninstall
check "uninstall leaves only the files that outlive the daemon" silent \
    "$(find ~/.local -path ~/.local/state -prune -o ! -type d -print)"

# ---- Elsewhere ----------------------------------------------------------------------------------

# zsh looks for functions in folders of the system.
mkdir -p ~/tools
printf '#!/bin/sh\necho /usr/share/zsh/functions\n' >~/tools/zsh
chmod 755 ~/tools/zsh
said=$(PATH=$HOME/tools:$PATH PICKERD_BINARIES=$binaries "$project/contrib/install" --prefix "$HOME/opt" --desktop)
PATH=$HOME/opt/bin:$PATH
check "an install elsewhere prints zsh's function folder" \
    grep -F "fpath=($HOME/opt/share/zsh/site-functions" <<<"$said"
check "and no hint on upgrades" fails grep -F try-restart <<<"$said"
steps() { sed -n '/^Next:$/,/^[^ N]/s/^    //p' <<<"$said" | grep -v ' watch$'; }
check "and prints commands that work" bash -e -c "$(steps)"
check "the socket listens" socket_listens
check "the desktop's unit is found there" property_is LoadState loaded pickerd-desktop.service
check "the daemon is served from there" eventually serves three.txt
running
check "by the installed program" equal "$(readlink -f "/proc/$pid/exe")" "$HOME/opt/bin/pickerd"
check "reload works from there" systemctl --user reload pickerd.service
said=$(PICKERD_BINARIES=$binaries "$project/contrib/install" --prefix "$HOME/opt" --desktop)
check "an upgrade prints how to start the new program" grep -F "try-restart pickerd.service" <<<"$said"
check "and its commands work" bash -e -c "$(steps)"
check "another process runs" eventually restarted "$pid"
said=$("$project/contrib/install" --prefix "$HOME/opt" --uninstall)
check "the commands printed by uninstall work" bash -e -c "$(sed -n 's/^    //p' <<<"$said")"
check "and no unit is left" silent "$(find -L ~/.config/systemd -name 'pickerd*' ! -name '*.d')"
if ((failures)); then show_journal; fi
finish
