#!/usr/bin/env bash
# Documents that are opened and revealed through a desktop, its search, and the dialogs of programs: pickerd under its
# real units, a user's service manager, a session bus, and a file manager, a default application and a terminal of the
# test's own.
#
# usage: contrib/tests/desktop.sh BINARIES   (a folder below the project that holds both programs)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
project=$(readlink -f "$here/../..")
source "$here/checks.bash"

under_systemd "the desktop under systemd" "$@"

# ---- Under systemd, as a user -------------------------------------------------------------------

for tool in gio gdbus dbus-daemon; do
    [[ $(command -v "$tool") ]] || skip_all "the desktop under systemd: no $tool (Debian: libglib2.0-bin, dbus-user-session)"
done
/usr/bin/python3 -c 'from gi.repository import Gio' 2>/dev/null ||
    skip_all "the desktop under systemd: no GLib for python3 (Debian: python3-gi), in which the file manager is"
systemctl --user cat dbus.socket >/dev/null 2>&1 || skip_all "the desktop under systemd: no dbus-user-session"
export PATH=$HOME/.local/bin:$PATH
ctl() { timeout "$patience" pickerctl "$@"; }
has() { [[ -s $1 ]]; }
lines_are() { equal "$(wc -l <"$1")" "$2"; }
says() { grep -qF -- "$2" "$1"; } # says FILE WORDS
application_units() { systemctl --user list-units --all --plain --no-legend 'app-pickerd-*' | cut -d' ' -f1; }
no_units() { silent "$(application_units)"; }
lives() { [[ -e /proc/$1 ]]; }
gone() { [[ ! -e /proc/$1 ]]; }
fact() { sed -n "s/^$2 //p" "$1" | head -n 1; } # fact FILE NAME

mkdir -p ~/Documents ~/.config/pickerd ~/.local/share/{applications,dbus-1/services} ~/bin
echo 'roots = ["~/Documents"]' >~/.config/pickerd/config.toml
names=('one.txt' "it's 100% \$HOME & \"more\".txt" '-a b.txt' $'\xff.txt')
for name in "${names[@]}"; do echo one >~/Documents/"$name"; done
printf '\0\1' >~/Documents/'b.unheard-of'

# The application: says what it was given and what it may do, and stays.
cat >~/bin/reader <<'PYTHON'
#!/usr/bin/python3 -B
import os, signal, socket, sys
status = dict(line.split(":\t") for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
facts = [("pid", os.getpid()), ("seccomp", status["Seccomp"]), ("privileges", status["NoNewPrivs"]),
         ("cgroup", open("/proc/self/cgroup").read().split("0::")[1].split()[0]),
         ("variables", " ".join(sorted(os.environ)))]
socket.socket(socket.AF_INET)
open(os.path.expanduser("~/application"), "w").close()
with open(os.path.expanduser("~/opened"), "ab") as file:
    file.write(b"\0".join(os.fsencode(word) for word in sys.argv[1:]) + b"\n")
with open(os.path.expanduser("~/facts.new"), "w") as file:
    file.writelines(f"{name} {value}\n" for name, value in facts)
os.rename(os.path.expanduser("~/facts.new"), os.path.expanduser("~/facts"))
if sys.argv[0].endswith("staying"): signal.pause()
PYTHON
# The file manager.
cat >~/bin/files <<'PYTHON'
#!/usr/bin/python3 -B
import json, os
from gi.repository import Gio, GLib
node = Gio.DBusNodeInfo.new_for_xml("""<node><interface name="org.freedesktop.FileManager1"><method name="ShowItems">
<arg type="as" direction="in"/><arg type="s" direction="in"/></method></interface></node>""")

def called(connection, sender, path, interface, method, arguments, invocation):
    uris, startup = arguments.unpack()
    if os.path.exists(os.path.expanduser("~/refuse")):
        return invocation.return_dbus_error("org.freedesktop.DBus.Error.Failed", "there is no window for it")
    status = dict(line.split(":\t") for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
    with open(os.path.expanduser("~/shown"), "a") as file:
        file.write(json.dumps([method, uris, startup, status["Seccomp"]]) + "\n")
    invocation.return_value(None)

def acquired(connection, name):
    connection.register_object("/org/freedesktop/FileManager1", node.interfaces[0], called)

Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.FileManager1", 0, acquired, None, None)
GLib.MainLoop().run()
PYTHON
chmod 755 ~/bin/*
cp ~/bin/reader ~/bin/staying
application() { # application NAME TYPE
    printf '[Desktop Entry]\nType=Application\nName=%s\nExec=%s/bin/%s %%f\nMimeType=%s;\n' "$1" "$HOME" "$1" "$2" \
        >~/.local/share/applications/"$1".desktop
}
application reader text/plain
application staying text/markdown
printf '[Default Applications]\ntext/plain=reader.desktop\ntext/markdown=staying.desktop\n' >~/.config/mimeapps.list
echo stays >~/Documents/stays.md
printf '[D-BUS Service]\nName=org.freedesktop.FileManager1\nExec=%s/bin/files\n' "$HOME" \
    >~/.local/share/dbus-1/services/org.freedesktop.FileManager1.service

env PICKERD_BINARIES="$binaries" "$project/contrib/install" --prefix "$HOME/.local" --desktop >~/install.log
systemctl --user daemon-reload
systemctl --user enable --quiet --now pickerd.socket
check "the daemon answers under its unit" ctl status
daemon=$(systemctl --user show --property MainPID --value pickerd.service)

# ---- Open ---------------------------------------------------------------------------------------

check "a document is opened" ctl open -- one.txt
check "by the default application of its type" eventually has ~/opened
check "which gets its path" equal "$(<~/opened)" "$HOME/Documents/one.txt"
check "and has none of the daemon's sandbox" equal "$(fact ~/facts seccomp)" 0
check "may gain privileges" equal "$(fact ~/facts privileges)" 0
check "may write to the home" test -e ~/application
check "is in a unit of its own, among applications" grep -q '/app.slice/app-pickerd-open-' <<<"$(fact ~/facts cgroup)"
check "and has none of the daemon's own variables" fails grep -qwE 'NOTIFY_SOCKET|LISTEN_FDS|WATCHDOG_USEC' \
    <<<"$(fact ~/facts variables)"
rm ~/opened
check "names of any bytes are opened" ctl open -- "${names[@]:1}"
check "each once" eventually lines_are ~/opened 3
check "by exactly their names" equal "$(LC_ALL=C sort ~/opened)" \
    "$(printf "$HOME/Documents/%s\n" "${names[@]:1}" | LC_ALL=C sort)"
check "what no application opens is an error" fails ctl open -- b.unheard-of
check "that says why" grep -q 'b.unheard-of: gio open: ' <<<"$(ctl open -- b.unheard-of 2>&1 || true)"
rm ~/opened ~/facts
check "an application that stays is no reason to wait" ctl open -- stays.md
check "it was started" eventually has ~/facts
application=$(fact ~/facts pid)
check "and goes on after gio" lives "$application"
systemctl --user restart pickerd.service
check "over a new start of the daemon" lives "$application"
check "which is another process" fails equal "$(systemctl --user show --property MainPID --value pickerd.service)" "$daemon"
kill "$application"
check "until it ends by itself" eventually gone "$application"

# ---- Reveal -------------------------------------------------------------------------------------

systemctl --user stop dbus.socket dbus.service
check "without a session bus, a file can't be shown" fails ctl reveal one.txt
systemctl --user start dbus.socket
check "documents are shown" ctl reveal one.txt "${names[1]}"
check "by one call of the file manager, which the bus has started" lines_are ~/shown 1
check "with the URIs of both" equal "$(<~/shown)" \
    "[\"ShowItems\", [\"file://$HOME/Documents/one.txt\", \"file://$HOME/Documents/it%27s%20100%25%20%24HOME%20&%20%22more%22.txt\"], \"\", \"0\"]"
touch ~/refuse
check "a file manager that refuses is an error" grep -q 'there is no window for it' <<<"$(ctl reveal one.txt 2>&1 || true)"
check "no unit of either is left" eventually no_units
# ---- The desktop's search -----------------------------------------------------------------------

mkdir -p ~/.config/systemd/user/pickerd-desktop.service.d
printf '[Service]\nExecStart=\nExecStart=%s --idle 2 --terminal %s\n' ~/.local/bin/pickerd-desktop ~/bin/terminal \
    >~/.config/systemd/user/pickerd-desktop.service.d/test.conf
# The terminal: says where it is and what it is to run, and stays.
cat >~/bin/terminal <<'PYTHON'
#!/usr/bin/python3 -B
import os, signal, sys
with open(os.path.expanduser("~/facts.new"), "w") as file:
    file.write(f"pid {os.getpid()}\n")
    file.write(f"cgroup {open('/proc/self/cgroup').read().split('0::')[1]}")
    file.write(f"words {' '.join(sys.argv[-2:])}\n")
os.rename(os.path.expanduser("~/facts.new"), os.path.expanduser("~/facts"))
signal.pause()
PYTHON
chmod 755 ~/bin/terminal
rm -f ~/facts
systemctl --user daemon-reload
gdbus call --session --dest org.freedesktop.DBus --object-path / --method org.freedesktop.DBus.ReloadConfig >/dev/null
search() {
    gdbus call --session --timeout "$patience" --dest org.pickerd.Desktop --object-path /org/pickerd/Desktop \
        --method "org.gnome.Shell.SearchProvider2.$1" "${@:2}"
}
desktop_is() { equal "$(systemctl --user show --property "$1" --value pickerd-desktop.service)" "$2"; }
found=$(search GetInitialResultSet '["one"]' || true)
check "a search of the shell finds a document" grep -q "^(\['[a-z0-9]" <<<"$found"
check "by a service that the bus has started" desktop_is ActiveState active
check "a picker is started" search LaunchSearch '["one", "two"]' 0
check "in a terminal" eventually has ~/facts
check "with what was typed" equal "$(fact ~/facts words)" 'one two'
check "in a scope of its own" grep -q '/app.slice/app-pickerd-pick-.*\.scope$' <<<"$(fact ~/facts cgroup)"
check "the service ends when nobody calls" eventually desktop_is ActiveState inactive
check "without a failure" desktop_is Result success
check "and the picker goes on" lives "$(fact ~/facts pid)"
check "another search finds the same" equal "$(search GetInitialResultSet '["one"]' || true)" "$found"
if has ~/facts; then kill "$(fact ~/facts pid)"; fi

# ---- Dialogs of programs ------------------------------------------------------------------------

rm -f ~/facts ~/dialog
portal=/org/freedesktop/portal/desktop
gdbus call --session --timeout "$patience" --dest org.pickerd.Desktop --object-path "$portal" \
    --method org.freedesktop.impl.portal.FileChooser.SaveFile "$portal/request/1_1/t" '' '' Title '{}' >~/dialog 2>&1 &
call=$!
check "a dialog is a terminal" eventually has ~/facts
check "in a scope of its own, too" grep -q '/app.slice/app-pickerd-dialog-.*\.scope$' <<<"$(fact ~/facts cgroup)"
begun=$SECONDS
has_idled() { ((SECONDS > begun + 3)); }
check "which is there for longer than the program stays without one" eventually has_idled
check "it stays" desktop_is ActiveState active
check "a dialog is taken back" gdbus call --session --dest org.pickerd.Desktop --object-path "$portal/request/1_1/t" \
    --method org.freedesktop.impl.portal.Request.Close
wait "$call" || true
check "which is an answer" grep -q '^(uint32 2,' ~/dialog
check "and the end of the terminal" eventually gone "$(fact ~/facts pid)"
check "and then of the service" eventually desktop_is ActiveState inactive
check "without a failure" desktop_is Result success
if ((failures)); then
    journalctl --user -q -o cat -n 60 | sed 's/^/    journal: /'
    head -c 2000 ~/facts ~/shown ~/dialog 2>&1 | sed 's/^/    /'
fi
finish
