#!/usr/bin/env bash
# contrib/affected: what contrib/test --quick runs after a change, what it leaves out, and that nothing is neither.
#
# usage: contrib/tests/affected.sh [BINARIES]    (they are not used)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"

scratch=$(mktemp -d --suffix=-pickerd-affected-test)
trap 'rm -rf "$scratch"' EXIT

plan() { "$here/../affected" plan "$scratch" 2>/dev/null; }
names() { # names run|left|same: of test targets, on one line
    sed -n "s/^$1 \([A-Za-z]*Tests\)$/\1/p" <<<"$planned" | sort | paste -sd ' '
}
# changed PLACE: as if what is there had been different when everything passed.
changed() {
    python3 - "$scratch/passed.json" "$1" <<'PYTHON'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    passed = json.load(file)
for check in passed.values():
    for place in check:
        if (sys.argv[2] + "/").startswith(place + "/"):
            check[place] = "another"
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(passed, file)
PYTHON
    planned=$(plan)
    all_pass
}
all_pass() {
    mapfile -t every < <(sed -n 's/^\(run\|left\|same\) //p' <<<"$planned")
    "$here/../affected" note "$scratch" "${every[@]}" format
}

planned=$(plan)
mapfile -t targets < <(cd "$here/../../Tests" && find . -mindepth 2 -maxdepth 2 -name '*Tests' -printf '%f\n' | sort)
check "what never passed is to be run: all tests" equal "$(names run)" "${targets[*]}"
check "and all scripts" equal "$(grep -c '^run contrib/tests/.*\.sh$' <<<"$planned")" \
    "$(find "$here" -name '*.sh' | wc -l)"
check "and all files are to be linted" grep -qx 'lint Package.swift' <<<"$planned"
all_pass
planned=$(plan)
check "with nothing changed nothing is run" silent "$(grep -v '^same ' <<<"$planned")"
check "and every test is known" equal "$(names same)" "${targets[*]}"

changed Sources/Libraries/Observables
check "a library's own tests are run" equal "$(names run)" ObservablesTests
check "those of what uses it are left out, and it says so" grep -qw PluginsTests <<<"$(names left)"
check "so are the scripts" grep -qx 'left contrib/tests/layout.sh' <<<"$planned"
check "those of what has nothing to do with it are neither" grep -qw JSONTextTests <<<"$(names same)"
changed Sources/System/CLinux
check "what has no tests of its own is tested by what uses it" equal "$(names run)" SystemInterfaceTests
changed Sources
check "tests with daemons are left out, whatever has changed" equal "$(names left)" IntegrationTests
changed Package.swift
check "a change of the manifest is near to all others" equal "$(names same)$(names left)" IntegrationTests
finish
