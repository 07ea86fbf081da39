#!/usr/bin/env bash
# pickerctl layout, with a daemon: each kind as SVG, text and JSON; hostile names; invalid arguments;
# and the drawing that follows changes.
#
# usage: contrib/tests/layout.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-layout-test)
daemon='' watcher=''
tidy() {
    local pid
    for pid in $watcher $daemon; do kill -TERM "$pid" 2>/dev/null && wait "$pid" || true; done
    rm -rf -- "$place"
}
trap tidy EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock
unset XDG_STATE_HOME XDG_CONFIG_HOME
mkdir "$place/root" "$place/home"
cd "$place"
for number in {10..29}; do : >"root/n$number.md"; done
: >"root/<b>&\"'.md"
: >$'root/\e[2J\nx.md'

pickerd --socket "$PICKERD_SOCKET" root >daemon.log 2>&1 </dev/null &
daemon=$!
check "a daemon serves" eventually pickerctl sync

count() { # count PATTERN FILE: how often it is there
    { grep -o -- "$1" "$2" || true; } | wc -l
}
for kind in list grid flow force; do
    check "$kind: SVG is written" pickerctl layout "$kind" --svg "$kind.svg"
    check "$kind: each item has its box" equal "$(count '<rect ' "$kind.svg")" 22
    check "$kind: it has a beginning and an end" \
        equal "$(head -c 4 "$kind.svg")$(tail -n 1 "$kind.svg")" "<svg</svg>"
    check "$kind: no name is markup" fails grep -q '<b>' "$kind.svg"
    check "$kind: nor acts on a terminal" fails grep -q $'\e' "$kind.svg"
    pickerctl layout "$kind" --json >"$kind.json"
    check "$kind: each item is a line of JSON" equal "$(grep -c '"frame":\[' "$kind.json")" 22
    check "$kind: it can be drawn" pickerctl layout "$kind" --ascii
done
check "without a terminal the output is SVG" equal "$(pickerctl layout list | head -c 4)" "<svg"
check "the same force layout is the same, to the bit" \
    equal "$(pickerctl layout force)" "$(<force.svg)"
check "bounds and options are passed to the daemon" \
    equal "$(pickerctl layout grid --search n --limit 3 --bounds 100x50 -o cell='[40,20]' -o spacing='[20,5]' --json |
        sed 's/.*"frame"://')" $'[0,0,40,20]}\n[60,0,40,20]}\n[0,25,40,20]}'
check "a list is drawn as its rows" grep -q '^\[n10.md *\]$' \
    <(pickerctl layout list --ascii --search n1 --bounds 400x100 -o rowHeight=10)

refused() { # refused STATUS TEXT ARGUMENT…: the command ends with that status, saying that
    local status=0
    pickerctl layout "${@:3}" >out 2>said || status=$?
    equal "$status" "$1" && silent "$(<out)" && grep -qF -- "$2" said
}
check "an unknown kind" refused 2 "no layout 'ring', only list, grid, flow, force" ring
check "invalid bounds" refused 2 "as 800x600" list --bounds 0x5
check "an option without a value" refused 2 "name=value" list -o spacing
check "an unknown option" refused 1 "did you mean 'stiffness'?" force -o stifness=3
check "a wrong value" refused 1 "options.cell[1]" grid -o 'cell=[1,-1]'
check "two forms at once" refused 2 "give one" list --ascii --json
check "watching without a terminal" refused 2 "needs a terminal" force --watch
check "a file that can't be written" refused 1 "/no/such/folder" list --svg /no/such/folder/x.svg

if command -v script >/dev/null; then
    TERM=xterm script -qfec "stty rows 24 cols 80; pickerctl layout force --watch" screen \
        >/dev/null 2>&1 </dev/null &
    watcher=$!
    check "on a terminal it is drawn in place" eventually grep -aq '22 items .* at rest after' screen
    : >root/a-new-one.md
    check "and follows a change" eventually grep -aq '23 items .* at rest after' screen
    kill -TERM "$watcher" && wait "$watcher" 2>/dev/null || true
    watcher=''
else
    echo "skip - the drawing on a terminal: script is missing (Debian: apt-get install bsdutils)"
fi
finish
