#!/usr/bin/env bash
# pickerctl with a daemon that accepts connections and does not answer: each command ends with a message; a
# command that waits for a live daemon keeps waiting.
#
# usage: contrib/tests/silence.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-silence-test)
started=()
tidy() {
    local pid
    for pid in "${started[@]}"; do kill -TERM "$pid" 2>/dev/null && wait "$pid" || true; done
    rm -rf -- "$place"
}
trap tidy EXIT
export HOME=$place/home
unset PICKERD_SOCKET XDG_RUNTIME_DIR XDG_STATE_HOME PICKERCTL_TIMEOUT
mkdir "$place/home"
cd "$place"

# listen SOCKET PINGS: accepts connections. With PINGS 0 it never answers; otherwise it answers each ping, and all
# other requests once it has answered this many pings.
listen() {
    python3 - "$1" "$2" <<'END' &
import json, selectors, socket, sys

path, pings = sys.argv[1], int(sys.argv[2])
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(64)
selector = selectors.DefaultSelector()
selector.register(listener, selectors.EVENT_READ)
answered, waiting = 0, []


def answer(client, request, result):
    client.sendall(json.dumps({"id": request["id"], "result": result}).encode() + b"\n")


while True:
    for key, _ in selector.select():
        if key.fileobj is listener:
            selector.register(listener.accept()[0], selectors.EVENT_READ)
            continue
        client = key.fileobj
        data = client.recv(1 << 16)
        if not data:
            selector.unregister(client)
            client.close()
        for line in data.splitlines() if pings else []:
            request = json.loads(line)
            if request["method"] == "daemon.ping":
                answered += 1
                answer(client, request, {})
            else:
                waiting.append((client, request))
        if pings and answered >= pings:
            for client, request in waiting:
                answer(client, request, {"rev": answered})
            waiting = []
END
    started+=($!)
    check "$1: something listens" eventually test -S "$1"
}

ends() { # ends ARGUMENT…: the command ends with status 3, naming the socket and what to do
    local status=0
    PICKERCTL_TIMEOUT=0.3 timeout "$patience" pickerctl "$@" --socket "$place/silent" \
        >out 2>said </dev/null || status=$?
    equal "$status" 3 && silent "$(<out)" &&
        grep -qF "$place/silent takes connections and has not answered for 0.3 s" said &&
        grep -qF "systemctl --user restart pickerd.service" said
}
listen silent 0
for words in "list" "list --json" "list a type:pdf" "get x" "feed" "feed --page 2" "stats" "status" "status --json" \
    "sync" "sync --timeout 5" "layout force" "layout list --json" "like x" "drop x" "publish app.x {}" "replay" \
    "reload" "stop"; do
    # Each word is an argument.
    # shellcheck disable=SC2086
    check "$words ends" ends $words
done
status=0
PICKERCTL_TIMEOUT=soon pickerctl list --socket silent >out 2>said || status=$?
check "an invalid limit is reported" equal "$status $(<said)" \
    "1 pickerctl: PICKERCTL_TIMEOUT is 'soon': give seconds from 0, which is for ever, to 1000000"

# Its pings are answered in time even on a busy machine.
listen slow 4
status=0
PICKERCTL_TIMEOUT=3 timeout "$patience" pickerctl sync --socket slow >out 2>said || status=$?
check "a command waits for a live daemon, however long" equal "$status $(<out)$(<said)" "0 4"
finish
