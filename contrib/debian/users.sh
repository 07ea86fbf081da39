# shellcheck shell=sh
# for_each_user ACTION SCRIPT: runs SCRIPT as each user whose service manager runs, unless policy-rc.d forbids ACTION.
# deb-systemd-invoke does so only where each user has a bus, and reloads nothing.
# The script has no terminal, files or variables of root's, and ten seconds: the user controls what answers it.
for_each_user() {
    if [ ! -d /run/systemd/system ]; then return 0; fi
    if command -v policy-rc.d >/dev/null; then
        policy=0
        policy-rc.d pickerd.socket "$1" || policy=$?
        if [ "$policy" = 101 ]; then return 0; fi
    fi
    for runtime in /run/user/*; do
        if [ ! -S "$runtime/systemd/private" ]; then continue; fi
        user=${runtime##*/}
        group=$(id -g "$user" 2>/dev/null) || continue
        (cd / && exec timeout --signal KILL 10 setsid --wait setpriv --reuid "$user" --regid "$group" --init-groups \
            --no-new-privs --inh-caps=-all env -i PATH=/usr/bin:/bin XDG_RUNTIME_DIR="$runtime" sh -c "$2") \
            </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- || true
    done
}
