#!/usr/bin/env bash
# What bash, zsh and fish complete behind pickerctl, and the keys of 'pickerctl shell', in these shells themselves.
#
# usage: contrib/tests/completions.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-completions-test)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null; wait; rm -rf -- "$place"' EXIT
export HOME=$place PICKERD_SOCKET=$place/sock TERM=xterm PYTHONDONTWRITEBYTECODE=1 SHOWN=$place/shown
# Some runtimes write about a crash, at length.
export SWIFT_BACKTRACE=enable=no
unset "${!XDG_@}" "${!PICKERCTL_@}" NO_COLOR COLORTERM
mkdir -p "$place"/{root/sub,outside,bin,functions}
cd "$place/root"
# shellcheck disable=SC2016 # it is a name
touch report.md reach.md co:lon.md 'backup.md~' dropped.md sub/{inner,reason}.md "$place/outside/not 'one'" \
    "two 'words' \".md" $'new\nline.md' $'bad\xff.md' 'do$(touch ran)`touch ran`.md'
cat >"$place/bin/show" <<'SH'
#!/bin/sh
printf '%s\0' "$@" >"$SHOWN.new" && mv "$SHOWN.new" "$SHOWN"
SH
chmod +x "$place/bin/show"
PATH=$place/bin:$PATH

pickerd "$place/root" >"$place/log" 2>&1 &
servers+=($!)
# It takes connections, and says nothing.
python3 -c 'import signal, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
signal.pause()' "$place/silent" &
servers+=($!)
check "a daemon" eventually pickerctl status
check "one that says nothing" eventually test -S "$place/silent"
pickerctl drop dropped.md

# What the scripts ask for.
# shellcheck disable=SC2317 # check calls it
offers_files() { # offers_files SOCKET: in far less time than a command waits for an answer
    local start=${EPOCHREALTIME/./}
    equal "$(PICKERD_SOCKET=$place/$1 pickerctl ---complete zsh pickerctl like re | tr '\0' '|')" "files|"
    ((${EPOCHREALTIME/./} - start < 5000000))
}
check "files, at once, where there is no daemon" offers_files nobody
check "files, at once, where one says nothing" offers_files silent
check "all commands and options are offered, and what their values are" "$here/completed_words.py"

for shell in bash zsh fish; do
    pickerctl --generate-completion-script "$shell" >"$place/functions/_pickerctl"
    pickerctl shell "$shell" >"$place/all.$shell"
    if [[ ! $(command -v "$shell") ]]; then
        echo "skip - $shell is not installed"
        continue
    fi
    check "$shell reads its completions" "$shell" -n "$place/functions/_pickerctl"
    check "$shell reads its keys, too" "$shell" -n "$place/all.$shell"
    "$here/shells_on_terminal.py" "$place" "$shell" || failures=$((failures + 1))
done
finish
