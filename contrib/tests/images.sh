#!/usr/bin/env bash
# Images in the preview and the grid of pickerctl pick: with characters, by kitty's protocol, and as sixels.
#
# usage: contrib/tests/images.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-images-test)
trap 'rm -rf -- "$place"' EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock TERM=xterm PYTHONDONTWRITEBYTECODE=1
export XDG_CACHE_HOME=$place/cache COLORTERM=truecolor
unset XDG_STATE_HOME XDG_CONFIG_HOME NO_COLOR TMUX STY SSH_CONNECTION SSH_TTY SSH_CLIENT
mkdir "$place/root" "$place/home"
cd "$place"

"$here/images_on_terminal.py" "$place/root" || failures=$((failures + 1))
finish
