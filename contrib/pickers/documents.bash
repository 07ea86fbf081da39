# What the pickers in bash have in common, sourced by them: documents as lines that any of them may show. A file's name
# may be any bytes. It is only shown, and never comes back: a document is chosen by its key.

set -euo pipefail

# A desktop starts programs with a PATH of its own; pickerctl is installed beside them.
command -v pickerctl >/dev/null || PATH=$PATH:$(dirname -- "$0")

# Of a long list a menu shows the beginning; the daemon finds the rest.
limit=${PICKERD_LIMIT:-1000}

complain() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Reads texts with a NUL, or what the options of sed say, behind each; what is not UTF-8 is left out, and what could
# move a cursor, end a line or turn text round becomes '?': control characters, separators of lines, marks of direction,
# and letters that nobody sees.
clean() {
    { iconv -c -f UTF-8 -t UTF-8 2>/dev/null || true; } | LC_ALL=C sed "$@" -e 's/\t/?/3g' \
        -e 's/[\x01-\x08\x0a-\x1f\x7f]/?/g' -e 's/\xc2[\x80-\x9f\xad]/?/g' -e 's/\xd8\x9c/?/g' \
        -e 's/\xe2\x80[\x8b\x8e\x8f\xa8-\xae]/?/g' -e 's/\xe2\x81[\xa0-\xaf]/?/g' -e 's/\xef\xbb\xbf/?/g' \
        -e 's/\xf3\xa0[\x80\x81]./?/g'
}

# documents QUERY: a line for each, with its key, its type and its path below its root, and tabs between; the best match
# first, or without a query the latest. What can't be read as a query is searched for as it is. Status 3 without a daemon.
documents() {
    local -a options=(-0 --format '{key}\t{type}\t{path}' --limit "$limit")
    if [[ -z ${1// /} ]]; then
        pickerctl list "${options[@]}" --sort date | clean -z | tr '\0' '\n'
    else
        { pickerctl list "${options[@]}" --fuzzy -- "$1" 2>/dev/null ||
            pickerctl list "${options[@]}" --fuzzy --search="$1"; } | clean -z | tr '\0' '\n'
    fi
}

# changes QUERY: a line whenever something may have changed in it, the first at once. It begins with '{', or is about the
# connection. To be run as <(changes QUERY), for stop_changes.
changes() {
    local -a options=(--json --limit "$limit")
    if [[ -z ${1// /} ]]; then
        exec pickerctl watch "${options[@]}" --sort date 2>&1
    elif pickerctl list --fuzzy --limit 1 -- "$1" >/dev/null 2>&1; then
        exec pickerctl watch "${options[@]}" --fuzzy -- "$1" 2>&1
    else
        exec pickerctl watch "${options[@]}" --fuzzy --search="$1" 2>&1
    fi
}

# stop_changes: ends it, as it would only notice at its next line that nobody reads.
stop_changes() { kill "$!" 2>/dev/null || true; }

# next_change: reads from changes, whose lines are taken together while they come one upon the other. The last is in
# $change.
# shellcheck disable=SC2034
next_change() {
    local later
    IFS= read -r change || return 1
    while read -r -t 0 && IFS= read -r later; do change=$later; done
}

# find_path KEY: puts the absolute path, byte for byte, into $path; fails if the document is gone.
find_path() {
    local key=''
    path=''
    # What has this key for its name, and not for its key, is another document.
    { IFS= read -r -d $'\t' key && IFS= read -r -d '' path; } \
        < <(pickerctl get -0 --format '{key}\t{absolutePath}' -- "$1" 2>/dev/null) || true
    [[ -n $path && $key == "$1" ]] || { complain "the document is gone"; return 1; }
}

# without_daemon: why nothing can be shown, as one line.
without_daemon() {
    { pickerctl status 2>&1 >/dev/null || true; } | head -n 1 | clean
}
