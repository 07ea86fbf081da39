#!/usr/bin/env bash
# contrib/affected: the tests that contrib/test --quick runs after a change, and those it skips; together all of them.
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
# changed PATH: pretends that PATH was different when everything last passed.
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
check "without a passed run, all tests are to be run" equal "$(names run)" "${targets[*]}"
check "and all scripts" equal "$(grep -c '^run contrib/tests/.*\.sh$' <<<"$planned")" \
    "$(find "$here" -name '*.sh' | wc -l)"
check "and all files are to be linted" grep -qx 'lint Package.swift' <<<"$planned"
all_pass
planned=$(plan)
check "without changes nothing is run" silent "$(grep -v '^same ' <<<"$planned")"
check "and every test is known" equal "$(names same)" "${targets[*]}"

changed Sources/Libraries/Observables
check "a library's own tests are run" equal "$(names run)" ObservablesTests
check "the tests of its users are skipped, and listed" grep -qw PluginsTests <<<"$(names left)"
check "so are the scripts" grep -qx 'left contrib/tests/layout.sh' <<<"$planned"
check "unrelated tests are neither run nor skipped" grep -qw JSONTextTests <<<"$(names same)"
changed Sources/System/CLinux
check "a target without tests is tested by its users" equal "$(names run)" SystemInterfaceTests
changed Sources
check "tests with daemons are skipped, whatever has changed" equal "$(names left)" IntegrationTests
changed Package.swift
check "a change of the manifest affects all other tests" equal "$(names same)$(names left)" IntegrationTests
finish
