#!/usr/bin/env bash
# pickerctl pick in tmux: keys, colors, sizes, below a prompt, and while nobody is attached.
#
# usage: contrib/tests/pick_tmux.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH
command -v tmux >/dev/null || skip_all "tmux is missing (Debian: apt-get install tmux)"

place=$(mktemp -d --suffix=-pickerd-pick-test)
trap 'rm -rf -- "$place"' EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock TERM=xterm PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
export SWIFT_BACKTRACE=enable=no
unset TMUX XDG_STATE_HOME XDG_CONFIG_HOME NO_COLOR COLORTERM
mkdir "$place/root" "$place/home"
cd "$place"

"$here/pick_in_tmux.py" "$place/root" || failures=$((failures + 1))
finish
