#!/usr/bin/env bash
# The benchmarks build, and no count exceeds its line in the file of thresholds.
#
# usage: contrib/tests/benchmarks.sh [BINARIES]    (they are not used: it builds its own, for release)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"

found=$(mktemp --suffix=-pickerd-benchmarks-test)
trap 'rm -f "$found"' EXIT
status=0
"$here/../benchmarks/run" --check >"$found" || status=$?
check "the benchmarks build, and finish" test "$status" -le 1

section=''
while IFS= read -r line; do
    case $line in
        \[*\]) section=$line ;;
        *FAILED*) check "$section" equal "$line" "a count within its threshold" ;;
        [0-9]*) check "$section $line" true ;;
    esac
done <"$found"
check "all counts are within their thresholds" equal "$status" 0
finish
