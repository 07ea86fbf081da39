#!/usr/bin/env bash
# Transient services of a real systemd user manager (Sources/System/TransientServices): the Swift tests of the suites
# Live…Tests, at the manager's own socket, over the user's bus, and from inside the sandbox of pickerd.service.
#
# usage: contrib/tests/services.sh BINARIES   (a folder below the project that holds the tests)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
project=$(readlink -f "$here/../..")
source "$here/checks.bash"

under_systemd "the services under systemd" "$@"

# ---- Under systemd, as a user -------------------------------------------------------------------

tests=$binaries/pickerdPackageTests.xctest
arguments=(--testing-library swift-testing --filter 'TransientServicesTests\.Live')
export PICKERD_TEST_SERVICES=yes

# As lines of this test; what failed is shown.
as_checks() { # as_checks WHERE LOG
    local name
    while IFS= read -r name; do
        echo "ok - $name ($1)"
    done < <(sed -nE 's/^. Test "(.*)" passed after .*/\1/p' "$2")
    while IFS= read -r name; do
        echo "not ok - $name ($1)"
        failures=$((failures + 1))
    done < <(sed -nE 's/^✘ Test "(.*)" failed after .*/\1/p' "$2")
    grep -E '✘|↳' "$2" | cut -c -1000 | sed 's/^/    /' || true
    check "the tests were run ($1)" grep -qE 'Test run with [1-9][0-9]* tests? in .* passed' "$2"
    check "nothing of them is left ($1)" \
        silent "$(systemctl --user list-units --all --plain --no-legend 'pickerd-plugin-*')"
    check "nor of their files ($1)" silent "$(find "$XDG_RUNTIME_DIR/systemd" -name 'pickerd-plugin-*' 2>/dev/null)"
}

"$tests" "${arguments[@]}" >~/direct.log 2>&1 || true
as_checks "at the manager's socket" ~/direct.log

# From a unit with pickerd's own directives: its program is the test.
mkdir -p ~/.config/systemd/user
{
    sed -E '/^(Requires|After|ExecStart|ExecReload|WatchdogSec|Restart|RestartSec|NotifyAccess|Type|Timeout.*)=/d; /^\[Install\]/,$d' \
        "$project/systemd/pickerd.service"
    printf '[Service]\nType=exec\nExecStart=%s' "$tests"
    printf ' "%s"' "${arguments[@]//\\/\\\\}"
    printf '\nStandardOutput=file:%s/unit.log\nStandardError=inherit\n' "$HOME"
    printf 'Environment=PICKERD_TEST_SERVICES=yes PICKERD_TEST_UNIT=pickerd.service\n'
} >~/.config/systemd/user/pickerd.service
systemctl --user daemon-reload
systemctl --user start pickerd.service
ended() { [[ $(systemctl --user show --property ActiveState --value pickerd.service) =~ ^(inactive|failed)$ ]]; }
check "the tests end in the unit" eventually ended
as_checks "in pickerd's sandbox" ~/unit.log

# Over a bus, as where the manager's own socket can't be reached.
if [[ -e /usr/lib/systemd/user/dbus.socket ]]; then
    systemctl --user start dbus.socket dbus.service
    mkdir ~/runtime
    ln -s "$XDG_RUNTIME_DIR/bus" ~/runtime/bus
    PICKERD_TEST_RUNTIME=~/runtime "$tests" "${arguments[@]}" >~/bus.log 2>&1 || true
    as_checks "over the bus" ~/bus.log
else
    echo "skip - the services over a bus: no dbus.socket (on Debian: apt-get install dbus-user-session)"
fi
finish
