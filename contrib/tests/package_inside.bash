# The second half of package.sh, sourced by it: as root in a Debian that nobody has used, under its systemd, while the
# manager of the user "tester" runs.

runtime=/run/user/$(id -u tester)
as_tester() {
    setpriv --reuid tester --regid tester --init-groups env -i HOME=/home/tester PATH=/usr/bin:/bin LANG=C.UTF-8 \
        XDG_RUNTIME_DIR="$runtime" timeout "$patience" "$@"
}
property_is() { equal "$(as_tester systemctl --user show --property "$1" --value "$2")" "$3"; } # property_is NAME UNIT VALUE
is_active() { property_is ActiveState "$1" active; }
enabled_is() { equal "$(systemctl --global is-enabled pickerd.socket || true)" "$1"; }
main_process() { as_tester systemctl --user show --property MainPID --value pickerd.service; }
lists() { grep -qF "$1" <<<"$(as_tester pickerctl list)"; }
# What is on the disk, but for what users have, logs, and the rollback copies of dpkg's own records.
listing() {
    find / -xdev \( -path /home -o -path /root -o -path /var/log -o -path /tmp -o -path /run \) -prune \
        -o ! -path '/var/lib/dpkg/*-old' -printf '%y %m %u %g %p %l\n' | sort
}
install_all() {
    mapfile -t found < <(debs "$1")
    dpkg -i "${found[@]}" >~/dpkg.log 2>&1 || { cat ~/dpkg.log; return 1; }
}

listing >~/before
mkdir /home/tester/Documents
echo "one two three" >/home/tester/Documents/one.txt
chown -R tester:tester /home/tester

check "the packages are installed" install_all one
check "nothing complains" silent "$(grep -iE 'warning|error|failed' ~/dpkg.log)"
check "the socket is enabled for all" enabled_is enabled
check "it listens for a user who is logged in" is_active pickerd.socket
check "only for that user" equal "$(stat -c '%U %a' "$runtime/pickerd/pickerd.sock")" "tester 600"
check "the daemon sleeps" property_is ActiveState pickerd.service inactive
check "the first call starts it, and is answered" lists one.txt
check "the service is active" is_active pickerd.service
check "by the program of the package" equal "$(readlink "/proc/$(main_process)/exe")" /usr/bin/pickerd
# Only recommended, and not installed: the plugin says so.
check "doctor finds nothing wrong, but that git is missing" silent "$(as_tester pickerctl doctor | grep '^problem' |
    grep -vF "'git' is missing: '/usr/bin/git' is missing")"
check "bash loads the completions" bash -c 'source /usr/share/bash-completion/completions/pickerctl && complete -p pickerctl'


# ---- The plugins ----------------------------------------------------------------------------------

plugins() { # plugins STATE: the identifiers of those that are programs and have that state
    as_tester pickerctl plugins --json | python3 -c 'import json, sys
print(*sorted(each["id"] for each in json.load(sys.stdin) if each["kind"] == "process" and each["state"] == sys.argv[1]))' "$1"
}
facts_are() { grep -qxF "$1" <<<"$(as_tester pickerctl list --format '{name} {text.words} {image.width}')"; }
# An image of two by three pixels: its head is all that is read.
printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3\b\2\0\0\0\x36\x88\x49\xd6\0\0\0\0IEND\xae\x42\x60\x82' \
    >/home/tester/Documents/two.png
chown tester:tester /home/tester/Documents/two.png
check "all plugins are there, and off" equal "$(plugins missing) $(plugins disabled)" \
    "git image image-strip recent text thumbnails"
for plugin in image text thumbnails; do
    check "the user switches $plugin on" as_tester pickerctl plugins enable "$plugin"
done
check "one in Swift tells of a text" eventually facts_are "one.txt 3 "
check "one in Python tells of an image" eventually facts_are "two.png  2"
check "none has fallen" silent "$(plugins failed)"

# ---- The desktop's search -------------------------------------------------------------------------

finds() { # finds WORD: what GNOME's shell would call
    grep -q '^as [1-9]' <<<"$(as_tester busctl --user call org.pickerd.Desktop /org/pickerd/Desktop \
        org.gnome.Shell.SearchProvider2 GetInitialResultSet as 1 "$1")"
}
desktop_process() { as_tester systemctl --user show --property MainPID --value pickerd-desktop.service; }
check "a search of the desktop finds a document" eventually finds one
check "by a service that the bus has started" is_active pickerd-desktop.service
check "with the program of the package" equal "$(readlink "/proc/$(desktop_process)/exe")" /usr/bin/pickerd-desktop

# ---- An upgrade -----------------------------------------------------------------------------------

version_is() { equal "$(dpkg-query -W -f '${Version}' "$1")" "$2"; }
restarted() { # restarted OLD-PID: another process is up
    [[ $(main_process) != "$1" ]] && is_active pickerd.service
}
upgraded=$(dpkg-deb -f "$(debs two | grep '/pickerd_')" Version)
before=$(main_process)
inode=$(stat -c %i "$runtime/pickerd/pickerd.sock")
check "the packages are upgraded" install_all two
check "pickerd-plugins is" version_is pickerd-plugins "$upgraded"
check "so is pickerd-desktop" version_is pickerd-desktop "$upgraded"
check "a search of the desktop is answered meanwhile" is_active pickerd-desktop.service
check "and after it" eventually finds one
check "the daemon is restarted" eventually restarted "$before"
check "by the new program" equal "$(readlink "/proc/$(main_process)/exe")" /usr/bin/pickerd
check "the socket is the same, so that no client is refused" \
    equal "$(stat -c %i "$runtime/pickerd/pickerd.sock")" "$inode"
check "and documents are listed" lists one.txt
check "the plugins are on as before" silent "$(plugins disabled | tr ' ' '\n' | grep -xE 'image|text|thumbnails')"

systemctl --global disable pickerd.socket 2>/dev/null
as_tester systemctl --user stop pickerd.service pickerd.socket
as_tester systemctl --user mask --quiet pickerd.socket
check "the packages are upgraded where the administrator has disabled the socket" install_all two
check "it stays disabled" enabled_is disabled
check "a user's mask is respected" property_is ActiveState pickerd.socket inactive
as_tester systemctl --user unmask --quiet pickerd.socket
systemctl --global enable pickerd.socket 2>/dev/null
as_tester systemctl --user daemon-reload
as_tester systemctl --user start pickerd.socket
check "it serves again" lists one.txt

# ---- The end --------------------------------------------------------------------------------------

with_dpkg() { dpkg "$@" >~/dpkg.log 2>&1 || { cat ~/dpkg.log; return 1; }; }
gone() { [[ ! -e $1 ]]; }
before=$(main_process)
check "the desktop finds documents to the end" finds one
searching=$(desktop_process)
check "its package is removed" with_dpkg --remove pickerd-desktop
check "the program has ended" gone "/proc/$searching"
check "and its unit is gone" property_is LoadState pickerd-desktop.service not-found
check "the other packages are removed" with_dpkg --remove pickerd-plugins pickerd
check "the daemon has ended" gone "/proc/$before"
check "its socket is gone" gone "$runtime/pickerd/pickerd.sock"
check "so are the units" property_is LoadState pickerd.socket not-found
check "what users have is still there" test -d /home/tester/.local/state/pickerd
check "the packages are installed again" install_all one
check "the socket listens again" is_active pickerd.socket
check "the packages are purged" with_dpkg --purge pickerd-desktop pickerd-plugins pickerd
check "that says what stays" grep -qF "stays in their homes: .config/pickerd, .local/state/pickerd, .cache/pickerd" ~/dpkg.log
check "nothing complains" silent "$(grep -iE 'warning|error|failed' ~/dpkg.log)"
check "it does: the user's settings" test -s /home/tester/.config/pickerd/plugins.toml
listing >~/after
check "nothing else is left, and nothing is missing" silent "$(diff ~/before ~/after | grep '^[<>]')"

printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
check "the packages are installed where nothing may be started" install_all one
check "nothing is" property_is ActiveState pickerd.socket inactive
