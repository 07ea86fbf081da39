#!/usr/bin/env bash
# The benchmarks of the picker and of the desktop measure each of their rows, on a small tree, and what they count is
# within its bound. Of times nothing is said: others use the machine, and the programs may be of a debug build.
#
# usage: contrib/tests/pick-benchmarks.sh [BINARIES]
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
export PICKERD_BINARIES=${1:-$("$here/../build" pickerd pickerctl pickerd-desktop)}

found=$(mktemp --suffix=-pickerd-pick-benchmarks-test)
trap 'rm -f "$found"' EXIT

# The rows that are counts; all that are within their bounds end without a word behind the bound.
measures() { # measures NAME "ROW…" "COUNT…" OPTION…
    local name=$1 rows=$2 counts=$3 status=0 row
    shift 3
    timeout 300 "$here/../benchmarks/$name" "$@" >"$found" || status=$?
    check "$name measures all" test "$status" -le 1
    check "$name says how many bounds were missed" grep -qE '^[0-9]+ bounds were missed$' "$found"
    for row in $rows $counts; do
        check "$name measures $row" grep -q "^$row " "$found"
    done
    for row in $counts; do
        check "$name: $row is within its bound" equal "$(grep -c "^$row .*MISSED" "$found")" 0
    done
}

measures pick "first.rows key.half key.99 best.99 key.unseen move.bytes change.99 memory" "key.bytes idle.switches" \
    --files 2000 --starts 2 --keys 8
measures desktop "shell.99 metas.99 runner.99 dialog.half start.99 memory" "left.descriptors left.processes" \
    --files 2000 --letters 20 --calls 200 --starts 2 --dialogs 3
finish
