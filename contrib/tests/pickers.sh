#!/usr/bin/env bash
# The pickers in contrib/pickers with the programs that they are for, as far as these are here: see pickers.py.
#
# usage: contrib/tests/pickers.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
binaries=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}")
PATH=$binaries:$PATH

place=$(mktemp -d --suffix=-pickerd-pickers-test)
trap 'rm -rf -- "$place"' EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock TERM=xterm TMPDIR=$place/tmp PYTHONDONTWRITEBYTECODE=1 XDG_DATA_HOME=$place/home/share
unset XDG_RUNTIME_DIR XDG_STATE_HOME XDG_CONFIG_HOME FZF_DEFAULT_OPTS NO_COLOR COLORTERM WAYLAND_DISPLAY DISPLAY
mkdir "$place/root" "$place/home" "$place/bin" "$place/tmp"
cd "$place"

# Opens nothing, and says what it was to open.
cat >bin/gio <<'GIO'
#!/bin/sh
printf '%s\n' "$*" >>"$HOME/opened"
GIO
chmod +x bin/gio
export PATH=$place/bin:$PATH

check "they are installed" env PICKERD_BINARIES="$binaries" "$here/../install" --prefix "$place/inst" --pickers
export PATH=$place/inst/bin:$PATH
"$here/pickers.py" "$place" || failures=$((failures + 1))
check "no shell, editor or menu did what a name says" silent "$(find "$place" -name 'pwned*')"
silent_left() { silent "$(pgrep -f "$place" || true)"; }
check "no process is left" eventually silent_left
check "and no temporary file" silent "$(find tmp ! -type d)"
check "they are uninstalled" "$here/../install" --prefix "$place/inst" --uninstall
check "and no file is left" silent "$(find "$place/inst" ! -type d)"
finish
