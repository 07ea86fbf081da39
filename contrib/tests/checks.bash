# What the shell tests share; sourced by them. Each prints a line "ok - …", "not ok - …" or "skip - …"
# for each check, which contrib/test counts, and ends with finish.

failures=0

# check WHAT COMMAND...: holds when COMMAND succeeds. What COMMAND wrote is shown when it does not.
check() {
    local what=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "ok - $what"
    else
        echo "not ok - $what"
        failures=$((failures + 1))
        if [[ -n $output ]]; then sed 's/^/    /' <<<"$output"; fi
    fi
}

# equal ACTUAL EXPECTED, silent ACTUAL: for use with check; they say what they found instead.
equal() {
    [[ $1 == "$2" ]] || { echo "it is '$1', and should be '$2'"; return 1; }
}
silent() {
    [[ -z $1 ]] || { echo "$1"; return 1; }
}
fails() {
    ! "$@"
}

# eventually SECONDS COMMAND...: tries COMMAND until it succeeds, at most SECONDS long.
eventually() {
    local deadline=$((SECONDS + $1 + 1)) output
    shift
    until output=$("$@" 2>&1); do
        if ((SECONDS >= deadline)); then
            echo "still not so: $*${output:+ ($output)}"
            return 1
        fi
        sleep 0.05
    done
}

skip_all() {
    echo "skip - $*"
    exit 77
}

finish() {
    exit $((failures > 0))
}
