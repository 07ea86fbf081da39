# The common part of the shell tests, sourced by them. Each prints a line "ok - …", "not ok - …" or "skip - …"
# for each check, which contrib/test counts, and ends with finish.

failures=0

# check WHAT COMMAND...: passes if COMMAND succeeds. Otherwise COMMAND's output is shown.
check() {
    local _what=$1 _said # names that no test uses: COMMAND sees them in place of its own
    shift
    if _said=$("$@" 2>&1); then
        echo "ok - $_what"
    else
        echo "not ok - $_what"
        failures=$((failures + 1))
        if [[ -n $_said ]]; then sed 's/^/    /' <<<"${_said:0:2000}"; fi
    fi
}

# equal ACTUAL EXPECTED, silent ACTUAL: for use with check; they print the actual value on failure.
equal() {
    [[ $1 == "$2" ]] || { echo "it is '$1', and should be '$2'"; return 1; }
}
silent() {
    [[ -z $1 ]] || { echo "$1"; return 1; }
}
fails() {
    ! "$@"
}

# The time limit of a test for an expected result, in seconds: far more than needed, even on an
# overloaded machine.
patience=${PICKERD_TEST_PATIENCE:-120}

# eventually COMMAND...: retries COMMAND until it succeeds, or the time limit ends.
eventually() {
    local _deadline=$((SECONDS + patience + 1)) _last
    until _last=$("$@" 2>&1); do
        if ((SECONDS >= _deadline)); then
            echo "still not so: $*${_last:+ ($_last)}"
            return 1
        fi
        sleep 0.05
    done
}

# under_systemd WHAT [--inside] BINARIES: the rest of the test runs as a user under a systemd of its own
# (contrib/with-systemd), with BINARIES, a folder below the project, as $binaries. WHAT stands for it in messages.
under_systemd() {
    local what=$1 project reason status=0
    if [[ ${2:-} == --inside ]]; then
        binaries=$3
        return
    fi
    project=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
    binaries=$(readlink -f "${2:?the folder of what was built}")
    if [[ $binaries != "$project"/* ]]; then
        echo "not ok - $binaries is not below $project, so the test can't see it"
        exit 1
    fi
    reason=$(mktemp)
    "$project/contrib/with-systemd" --seconds 400 "contrib/tests/${0##*/}" --inside "/project/${binaries#"$project"/}" \
        2>"$reason" || status=$?
    if ((status == 77)); then
        echo "skip - $what: $(<"$reason")"
    else
        cat "$reason" >&2
        if ((status > 1)); then echo "not ok - $what: ended with status $status"; fi
    fi
    rm -f "$reason"
    exit "$status"
}

skip_all() {
    echo "skip - $*"
    exit 77
}

finish() {
    exit $((failures > 0))
}
