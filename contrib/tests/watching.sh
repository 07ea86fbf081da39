#!/usr/bin/env bash
# Folders on file systems and within limits that need a separate namespace: mounts
# over watched folders, an overlay, no inotify instance.
#
# usage: contrib/tests/watching.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
if [[ ${2:-} != inside ]]; then
    binaries=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}")
    unshare -Urm true 2>/dev/null || skip_all "there is no user namespace with mounts to be had here"
    exec unshare -Urm "$0" "$binaries" inside
fi
PATH=$1:$PATH

place=$(mktemp -d --suffix=-pickerd-watching-test)
daemon=''
stop_daemon() {
    if [[ -n $daemon ]]; then kill -TERM "$daemon" 2>/dev/null && wait "$daemon" || true; fi
    daemon=''
}
tidy() {
    stop_daemon
    umount -l "$place" 2>/dev/null || true
    rm -rf -- "$place"
}
trap tidy EXIT
mount -t tmpfs -o mode=700 none "$place"
export HOME=$place/home PICKERD_SOCKET=$place/sock
unset XDG_STATE_HOME XDG_CONFIG_HOME
mkdir "$place/home"
cd "$place"

# The kernel refuses to unmount a file system while the daemon reads a folder there.
unmount() { eventually umount "$@"; }

start_daemon() { # start_daemon ROOT
    pickerd --socket "$PICKERD_SOCKET" "$PWD/$1" >daemon.log 2>&1 </dev/null &
    daemon=$!
    check "a daemon serves $1" eventually pickerctl status
}
# The listed paths, in one line.
listed() {
    pickerctl raw <<<'{"id":1,"method":"items.get","params":{"sort":["path"]}}' |
        grep -o '"path":"[^"]*"' | cut -d'"' -f4 | xargs
}
listing() { equal "$(listed)" "$1"; }
watched() { pickerctl status | grep -q watching; }
synced() { pickerctl raw <<<'{"id":1,"method":"sync"}' | grep -q '"rev"' && listing "$1"; }

mkdir -p root/m && touch root/m/under
start_daemon root
check "existing documents are listed" eventually listing m/under
mount -t tmpfs none root/m && touch root/m/on
check "sync sees a mount over a folder" synced m/on
unmount root/m
check "and its end" synced m/under
mount -t tmpfs none root && touch root/over
check "sync sees a mount over the root" synced over
unmount root
check "and its end" synced m/under

# Only the change of the mounts wakes the watcher here: the files on the mount exist before.
mkdir -p other/deep && touch other/on other/deep/on
mount --bind other root/m
check "a mount over a folder is seen without a sync" eventually listing "m/deep/on m/on"
unmount root/m
check "and so is its end" eventually listing m/under
mount --bind other root
check "a mount over the root is seen without a sync" eventually listing "deep/on on"
unmount root
check "and so is its end" eventually listing m/under
mkdir "root/a b" && mount --bind other "root/a b"
check "and one on a name with a blank" eventually listing "a b/deep/on a b/on m/under"
mount --bind root/m "root/a b/deep"
check "and one on a mount" eventually listing "a b/deep/under a b/on m/under"
unmount "root/a b/deep"
unmount "root/a b"
check "and the end of both" eventually listing m/under
rmdir "root/a b"
mount --bind root/m root/m
touch root/m/later
check "a folder mounted over itself is still watched" eventually listing "m/later m/under"
rm root/m/later
check "also for removals" eventually listing m/under
unmount root/m
touch root/m/later
check "also after the unmount" eventually listing "m/later m/under"
rm root/m/later
check "and no other document is listed in the end" synced m/under
for _ in {1..20}; do mount --bind other root/m && unmount root/m; done
mount --bind other root/m
check "the last of many mounts counts" eventually listing "m/deep/on m/on"
for _ in {1..20}; do unmount root/m && mount --bind other root/m; done
unmount root/m
check "and the end of the last" eventually listing m/under
stop_daemon

mkdir late
start_daemon late/deep
check "a missing root is empty" listing ""
mount --bind other late
check "it appears with the mount above it" eventually listing on
unmount late
check "and disappears with it" eventually listing ""
stop_daemon

mkdir -p lower/sub upper work merged && touch lower/sub/old
if mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged 2>/dev/null; then
    start_daemon merged
    check "an overlay is listed" eventually listing sub/old
    touch merged/sub/new
    check "the first new file in a folder of its lower layer is seen" eventually listing "sub/new sub/old"
    rm merged/sub/old
    check "and what is removed there, by sync" synced sub/new
    stop_daemon
else
    echo "skip - no overlay can be mounted here"
fi

if echo 0 2>/dev/null >/proc/sys/user/max_inotify_instances; then
    start_daemon root
    check "without an inotify instance all is listed" eventually listing m/under
    touch root/new
    check "and sync sees what is new" synced "m/under new"
    check "status says why" grep -q max_user_instances <(pickerctl status)
    echo 100 >/proc/sys/user/max_inotify_instances
    check "an instance that comes free is used" eventually watched
    stop_daemon
else
    echo "skip - the number of inotify instances can't be limited here"
fi
# The state folder under a mount: nothing is stored before it is visible.
mkdir kept && touch kept/a kept/b
start_daemon kept
state=$HOME/.local/state/pickerd
made_anew() { [[ -s $state/events/mark && -s $state/feed/marks.sqlite ]]; }
restored() { equal "$(grep -c "again, in" daemon.log)" "$1"; }
told() { equal "$(grep -c "removed, renamed or replaced" daemon.log)" "$1"; }
check "a like is stored" pickerctl like a
check "and an event" pickerctl publish app.x 1
check "in the state folder" eventually made_anew
mount -t tmpfs -o mode=700 none "$state"
check "a mount over the state folder is detected, and all state is stored on it" eventually made_anew
check "and reported, for likes and for events" eventually told 2
umount -l "$state"
check "and so is its end" eventually told 4
check "and all state is restored" eventually restored 4
kill -KILL "$daemon" && wait "$daemon" 2>/dev/null || true
start_daemon kept
check "and after a kill the numbers continue" fails grep -q "new epoch" daemon.log
check "a like outlives a kill" eventually equal "$(pickerctl list --paths is:liked)" "$PWD/kept/a"
stop_daemon
finish
