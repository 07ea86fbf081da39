#!/usr/bin/env bash
# Plugins as services of the user's manager: pickerd under its real units starts each in a unit of its own, with a
# sandbox of its own, and nothing of one outlives it or the daemon, however either ends. Without a manager they are
# children.
#
# usage: contrib/tests/hosting.sh BINARIES   (a folder below the project that holds both programs)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
project=$(readlink -f "$here/../..")
source "$here/checks.bash"

under_systemd "plugins under systemd" "$@"

# ---- Under systemd, as a user -------------------------------------------------------------------

[[ -x /usr/bin/python3 ]] || skip_all "plugins under systemd: no python3, in which the plugins of this test are"
export PATH=$HOME/.local/bin:$PATH
plugins=$HOME/.local/share/pickerd/plugins
socket=$XDG_RUNTIME_DIR/pickerd/pickerd.sock
ctl() { timeout "$patience" pickerctl "$@"; }

# ask METHOD [PARAMS]: the daemon's answer, as a line of JSON.
ask() {
    python3 - "$socket" "$@" <<'PYTHON'
import json, socket, sys
client = socket.socket(socket.AF_UNIX)
client.settimeout(60)
client.connect(sys.argv[1])
params = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
client.sendall(json.dumps({"id": 1, "method": sys.argv[2], "params": params}).encode() + b"\n")
for line in client.makefile("rb"):
    answer = json.loads(line)
    if answer.get("id") == 1:
        print(json.dumps(answer.get("result", answer.get("error"))))
        sys.exit("error" in answer)
PYTHON
}
# field NAME: a member of the JSON object on standard input, the text if it is one.
field() { python3 -c 'import json, sys; v = json.load(sys.stdin).get(sys.argv[1]); print(v if isinstance(v, str) else json.dumps(v))' "$1"; }
# record PLUGIN NAME: what plugins.list says of it.
record() { ask plugins.list | python3 -c 'import json, sys; print(next((e for e in json.load(sys.stdin) if e["id"] == sys.argv[1]), {}).get(sys.argv[2], ""))' "$1" "$2"; }
record_is() { equal "$(record "$1" "$2")" "$3"; }
fact() { field "$1" <<<"$facts"; }
fact_is() { equal "$(fact "$1")" "$2"; }
# The last reason for which a process of a plugin ended.
reason() { ask events.replay '{"topics":["plugin.exited"]}' | python3 -c 'import json, sys; print([e["data"]["reason"] for e in json.load(sys.stdin)["events"] if e["data"]["id"] == sys.argv[1]][-1])' "$1"; }
reason_is() { equal "$(reason "$1")" "$2"; }
units() { systemctl --user list-units --all --plain --no-legend 'pickerd-plugin-*' | cut -d' ' -f1; }
has_unit() { grep -qxF "$1" <<<"$(units)"; }
has_printed() { grep -F "$2" <<<"$(ctl plugins logs "$1")"; } # has_printed PLUGIN WORDS
no_units() { silent "$(units)"; }
units_are() { equal "$(units | wc -l)" "$1"; }
gone() { [[ ! -e /proc/$1 ]]; }
main_process() { systemctl --user show --property MainPID --value "$1"; }
controlled() { grep -qw "$1" /sys/fs/cgroup/cgroup.controllers; }
# replaced OLD-UNIT PLUGIN: it runs in another unit, and the old one is gone.
replaced() {
    local unit
    unit=$(record "$2" unit)
    [[ -n $unit && $unit != "$1" ]] && ! has_unit "$1"
}

# A plugin that tells what it may do, and dies in many ways.
make_plugin() { # make_plugin ID MORE: MORE are members of its manifest
    mkdir -p "$plugins/$1"
    chmod 755 "$plugins/$1"
    cat >"$plugins/$1/plugin.json" <<JSON
{"id":"$1","name":"A test","version":"1.0.0","api":{"min":1,"max":1},"exec":["./program"],$2
"methods":[{"name":"$1.facts"},{"name":"$1.end","params":{"type":"object","properties":{"how":{"type":"string"}}}}]}
JSON
    cat >"$plugins/$1/program" <<'PYTHON'
#!/usr/bin/python3 -B
import errno, json, mmap, os, signal, socket, sys

def attempt(deed):
    try: deed()
    except OSError as error: return errno.errorcode[error.errno]
    return "may"

def write(path):
    with open(path, "w") as file: file.write("text")

def manager():
    socket.socket(socket.AF_UNIX).connect(os.environ["XDG_RUNTIME_DIR"] + "/systemd/private")

def facts():
    home = os.environ["HOME"]
    return {
        "pid": os.getpid(), "home": attempt(lambda: write(home + "/file")),
        "written": attempt(lambda: write(home + "/written/file")),
        "read": attempt(lambda: open(home + "/Documents/one.txt").read()),
        "keys": attempt(lambda: os.listdir(home + "/.ssh")),
        "inet": attempt(lambda: socket.socket(socket.AF_INET)), "code": attempt(lambda: mmap.mmap(-1, 4096, prot=7)),
        "manager": attempt(manager), "cgroup": open("/proc/self/cgroup").read().split("0::")[1].split()[0],
        "variables": sorted(os.environ), "nice": os.nice(0),
    }

def linger():
    # What a plugin can do to outlive its end: it ignores what it is told, and leaves a process in a session of its own.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        os.close(3)
        while True: signal.pause()
    return {}

def end(how):
    kind, _, value = how.partition(":")
    if kind == "exit":
        print("last words", flush=True)
        os._exit(int(value))
    if kind == "signal": os.kill(os.getpid(), int(value))
    if kind == "linger": return linger()
    if kind == "memory":
        kept = []
        while len(kept) < 1024: kept.append(b"x" * (1 << 20))
    if kind == "fork":
        count = 0
        try:
            while count < 200:
                if os.fork() == 0: signal.pause()
                count += 1
        except OSError as error:
            return {"processes": count, "error": errno.errorcode[error.errno]}
        return {"processes": count}
    return {}

isLingering = False
channel = socket.socket(fileno=3)
for line in channel.makefile("rb"):
    request = json.loads(line)
    method, params = request.get("method"), request.get("params") or {}
    if "id" not in request or not method: continue
    if method == "plugin.hello": result = {"api": 1, "version": "1.0.0", "provides": ["method"]}
    elif method.endswith(".facts"): result = facts()
    elif method.endswith(".end"):
        result = end(params["how"])
        isLingering = isLingering or params["how"] == "linger"
    else: result = {}
    channel.sendall(json.dumps({"id": request["id"], "result": result}).encode() + b"\n")
    if method == "plugin.stop" and not isLingering: break
while isLingering: signal.pause()
PYTHON
    chmod 755 "$plugins/$1/program"
}

mkdir -p ~/Documents ~/.config/pickerd ~/.ssh ~/written
echo one >~/Documents/one.txt
echo 'roots = ["~/Documents"]' >~/.config/pickerd/config.toml
make_plugin probe '"limits":{"memoryMiB":128,"tasks":8,"callMs":20000},'
make_plugin free '"needs":{"network":true,"jit":true,"write":["'"$HOME"'/written"]},"keep":"always",'
env PICKERD_BINARIES="$binaries" "$project/contrib/install" --prefix "$HOME/.local" >~/install.log
mkdir -p ~/.config/systemd/user/pickerd.service.d
printf '[Unit]\nStartLimitBurst=50\n' >~/.config/systemd/user/pickerd.service.d/test.conf
systemctl --user daemon-reload
systemctl --user enable --quiet --now pickerd.socket
check "plugins are off at first" record_is probe state disabled
check "and no unit is there" no_units

# ---- One unit for each --------------------------------------------------------------------------

check "a plugin is switched on" ctl plugins enable probe
check "and waits until it is needed" record_is probe state waiting
facts=$(ask probe.facts) || true
unit=$(record probe unit)
check "its method is answered" test -n "$(fact pid)"
check "it is shown with its unit" grep -qE '^pickerd-plugin-probe-[0-9]+\.service$' <<<"$unit"
check "and its sandbox" record_is probe sandbox full
check "and no number of a process" record_is probe pid ""
check "it is the main process of that unit" equal "$(main_process "$unit")" "$(fact pid)"
check "in a control group of its own" fact_is cgroup "$(systemctl --user show --property ControlGroup --value "$unit")"
check "in the slice of all plugins" grep -qF "/app.slice/app-pickerd.slice/$unit" <<<"$(fact cgroup)"
check "the unit is bound to the daemon's" equal "$(systemctl --user show --property BindsTo --value "$unit")" pickerd.service
check "it may read documents" fact_is read may
check "the home is read-only for it" fact_is home EROFS
check "and so is any other place" fact_is written EROFS
check "keys can't be opened" fact_is keys EACCES
check "it has no network" fact_is inet EAFNOSUPPORT
check "nor memory that is written and executed" fact_is code EPERM
check "nor a way to the manager" fact_is manager EACCES
check "its environment is chosen" fails grep -qE 'SYSTEMD|INVOCATION|LISTEN|NOTIFY|JOURNAL' <<<"$(fact variables)"

check "a plugin with needs is started at once" ctl plugins enable free
check "and is ready" eventually record_is free state ready
facts=$(ask free.facts) || true
check "it has a network, though the daemon has none" fact_is inet may
check "and memory that is written and executed, though the daemon has none" fact_is code may
check "it may write where it needs to" fact_is written may
check "and nowhere else" fact_is home EROFS
check "each has a unit" units_are 2

# ---- Ends ---------------------------------------------------------------------------------------

check "a plugin that is killed with SIGKILL falls" bash -c "kill -9 $(main_process "$unit")"
check "by that reason" eventually reason_is probe signal:9
check "its unit is gone" eventually fails has_unit "$unit"
check "it is started again when it is needed" eventually ask probe.facts
check "in another unit" replaced "$unit" probe
check "one that exits falls" fails ask probe.end '{"how":"exit:3"}'
check "by its status" eventually reason_is probe exit:3
check "what it printed is kept" eventually has_printed probe "last words"
check "it is started again" eventually ask probe.facts
check "one that is ended by a signal falls" fails ask probe.end '{"how":"signal:11"}'
check "by that signal" eventually reason_is probe signal:11
ctl plugins restart probe >~/restart.log
if controlled memory; then
    check "one that needs a gigabyte falls" fails ask probe.end '{"how":"memory"}'
    check "for want of memory" eventually reason_is probe oom
    ctl plugins restart probe >~/restart.log
else
    echo "skip - a gigabyte of memory: the kernel's memory controller is elsewhere"
fi
if controlled pids; then
    check "a fork bomb is limited" grep -qF '"processes": 7, "error": "EAGAIN"' <<<"$(ask probe.end '{"how":"fork"}')"
    ctl plugins restart probe >~/restart.log
else
    echo "skip - a fork bomb: the kernel's pids controller is elsewhere"
fi
printf '#!/nonexistent/interpreter\n' >"$plugins/probe/program"
check "one that can't be executed falls" eventually fails ask probe.facts
check "by its status, as a child does" eventually reason_is probe exit:127
make_plugin probe '"limits":{"memoryMiB":128,"tasks":8,"callMs":20000},'
check "once it is mended it is started again" eventually ask probe.facts
check "nothing else is left" units_are 2
unit=$(record probe unit)
check "one that is switched off ends" ctl plugins disable probe
check "with its unit" eventually fails has_unit "$unit"
ctl plugins enable probe >~/enable.log

# ---- The end of the daemon ----------------------------------------------------------------------

daemon=$(main_process pickerd.service)
free=$(record free unit)
check "a plugin that lingers runs" ask probe.end '{"how":"linger"}'
unit=$(record probe unit)
group=/sys/fs/cgroup$(systemctl --user show --property ControlGroup --value "$unit")
mapfile -t processes <"$group/cgroup.procs"
check "with a process that it has left" test "${#processes[@]}" -ge 2
kill -KILL "$daemon"
check "when the daemon is killed, the unit of that plugin goes" eventually fails has_unit "$unit"
check "and its control group" eventually fails test -d "$group"
for process in "${processes[@]}"; do check "and process $process" eventually gone "$process"; done
check "a plugin that is always kept runs again, in another unit" eventually replaced "$free" free
check "and nothing else" eventually units_are 1

free=$(record free unit)
check "a restart of the daemon succeeds" systemctl --user restart pickerd.service
check "then the plugin runs again, in another unit" eventually replaced "$free" free
check "and nothing else does" eventually units_are 1
check "it is the daemon's" eventually record_is free state ready
check "which has it answer" ask free.facts

# Left by a daemon that could not look after them; and one that is none of its units.
systemd-run --user --quiet --unit=pickerd-plugin-left-1 -p BindsTo=pickerd.service -p CollectMode=inactive false || true
systemd-run --user --quiet --unit=pickerd-plugin-other-1 -p CollectMode=inactive false || true
check "failed units are left" eventually units_are 3
free=$(record free unit)
systemctl --user restart pickerd.service
check "the next daemon sees to its own" eventually fails has_unit pickerd-plugin-left-1.service
check "and leaves others" has_unit pickerd-plugin-other-1.service
systemctl --user reset-failed pickerd-plugin-other-1.service
check "its plugin runs" eventually replaced "$free" free

systemctl --user stop pickerd.service 2>>~/stop.log
check "when the daemon stops, no unit is left" eventually no_units
check "and none of their files" silent "$(find "$XDG_RUNTIME_DIR/systemd" -name 'pickerd-plugin-*' 2>/dev/null)"

# ---- Without units ------------------------------------------------------------------------------

# by_hand RUNTIME-FOLDER: a daemon that was started by hand; sets $daemon.
by_hand() {
    socket=$HOME/hand.sock
    XDG_RUNTIME_DIR=$1 pickerd --socket "$socket" >~/hand.log 2>&1 &
    daemon=$!
    eventually ask daemon.info >~/info.log
}
# as_children WHERE WHY
as_children() {
    check "$1, a plugin is a child" eventually record_is free sandbox inherited
    check "$1, it is shown with its number" test -n "$(record free pid)"
    check "$1, it is in no unit" no_units
    check "$1, a fork bomb is ended" fails ask free.end '{"how":"fork"}'
    check "$1, by that reason" eventually reason_is free tasks
    check "$1, it is started again" eventually ask free.facts
    check "$1, the log says why" grep -qF "plugins run as children of the daemon, with its rights: $2" ~/hand.log
    facts=$(ask free.facts) || true
    local plugin
    plugin=$(fact pid)
    check "$1, it answers" test -n "$plugin"
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null || true
    check "$1, it ends with the daemon" eventually gone "$plugin"
}
mkdir -m 700 ~/nothing
systemctl --user stop pickerd.socket
by_hand ~/nothing
as_children "without a manager" "cannot reach the user's service manager"
by_hand "$XDG_RUNTIME_DIR"
as_children "beside a manager" "this process is no service of the user's service manager"

# ---- Without user namespaces --------------------------------------------------------------------

# A manager that can't make any, below ours; its daemon's unit as the comment in it says.
mkdir -p -m 700 ~/second/systemd/user/pickerd.service.d
sed -n '/^#     \[Service\]/,/^# keeps/s/^#     //p' "$project/systemd/pickerd.service" \
    >~/second/systemd/user/pickerd.service.d/namespaces.conf
cat >~/.config/systemd/user/second.service <<'UNIT'
[Service]
Type=notify
Delegate=yes
RestrictNamespaces=~user
Environment=XDG_RUNTIME_DIR=%h/second
ExecStart=/lib/systemd/systemd --user
UNIT
systemctl --user daemon-reload
systemctl --user start second.service
export XDG_RUNTIME_DIR=$HOME/second
socket=$XDG_RUNTIME_DIR/pickerd/pickerd.sock
check "the daemon starts there with the lines in its unit" systemctl --user start pickerd.service
check "where user namespaces are forbidden, a plugin is a service" eventually ask probe.facts
facts=$(ask probe.facts) || true
check "with the filters of system calls alone" record_is probe sandbox seccomp
check "which hold" fact_is inet EAFNOSUPPORT
check "and hold again" fact_is code EPERM
check "while the home is not read-only" fact_is home may
check "in a unit" grep -q '^pickerd-plugin-probe-' <<<"$(record probe unit)"
check "it did not fall" record_is probe restarts 0
unit=$(record probe unit)
check "another start begins there at once" ctl plugins restart probe
ask probe.facts >~/facts.json || true
check "with the next number" equal "$(record probe unit)" "pickerd-plugin-probe-$((${unit//[^0-9]/} + 1)).service"
check "nothing else is left" units_are 2
systemctl --user stop pickerd.service 2>>~/stop.log
check "when that daemon stops, no unit is left" eventually no_units
if ((failures)); then
    journalctl --user -q -o cat -n 80 _SYSTEMD_USER_UNIT=pickerd.service | sed 's/^/    journal: /'
    sed 's/^/    by hand: /' ~/hand.log
fi
finish
