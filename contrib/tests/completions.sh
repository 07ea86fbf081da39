#!/usr/bin/env bash
# The completions that bash offers with pickerctl's completion, generated like in contrib/install.
#
# usage: contrib/tests/completions.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-completions-test)
trap 'rm -rf -- "$place"' EXIT
cd "$place"
mkdir sub
: >report.md
: >"re port.txt"
pickerctl --generate-completion-script bash >completion

# offered WORD…: the completions of the last word, one per line, in a separate shell.
offered() {
    bash --norc --noprofile -c '
        source ./completion
        COMP_WORDS=(pickerctl "$@") COMP_CWORD=$# COMP_LINE="pickerctl $*" COMPREPLY=()
        COMP_POINT=${#COMP_LINE}
        _pickerctl pickerctl "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
        if ((${#COMPREPLY[@]})); then printf "%s\n" "${COMPREPLY[@]}"; fi' complete "$@" 2>&1
}
offers() { # offers EXPECTED WORD…: these, in any order
    equal "$(offered "${@:2}" | sort | paste -sd '|')" "$(tr '|' '\n' <<<"$1" | sort | paste -sd '|')"
}
has() { # has EXPECTED WORD…: this among others
    grep -qxF -e "$1" <(offered "${@:2}") || { offered "${@:2}"; return 1; }
}

check "commands" has watch w
check "a command by its first letters" offers "watch" wat
for command in get like drop open trash actions; do
    check "$command offers files" offers "completion|re port.txt|report.md|sub" "$command" ''
    check "$command offers files by their letters" offers "re port.txt|report.md" "$command" re
done
check "kinds of layouts" offers "list|grid|flow|force" layout ''
check "a kind by its first letters" offers "flow|force" layout f
for command in list watch feed layout; do
    check "$command: sort keys" has modified "$command" --sort ''
    check "$command: and reversed" has -modified "$command" --sort ''
    check "$command: by their letters" offers "modified" "$command" --sort mod
    check "$command: after a comma, the others" offers "name,modified" "$command" --sort name,mo
    check "$command: none twice" offers "" "$command" --sort name,nam
done
check "words of a query" has "is:liked" list ''
check "topics" has "documents.added" events doc
check "files for options" offers "report.md" layout list --svg rep
check "options" has --with-new list --
for command in list watch feed stats; do
    check "$command: ways to search" has --fuzzy "$command" --
done
check "the order by score" has score list --sort ''
finish
