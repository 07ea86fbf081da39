#!/usr/bin/env bash
# Searches of pickerctl in a real folder: by words and as fzf does, the best match first, and what is found in colour.
#
# usage: contrib/tests/searching.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/checks.bash"
PATH=$(readlink -f "${1:?the folder that holds pickerd and pickerctl}"):$PATH

place=$(mktemp -d --suffix=-pickerd-searching-test)
daemon='' follower=''
tidy() {
    local pid
    for pid in $follower $daemon; do kill -TERM "$pid" 2>/dev/null && wait "$pid" || true; done
    rm -rf -- "$place"
}
trap tidy EXIT
export HOME=$place/home PICKERD_SOCKET=$place/sock
unset XDG_STATE_HOME XDG_CONFIG_HOME
mkdir -p "$place/root/sub" "$place/home"
cd "$place"
touch root/report.md root/r-e-port.md root/notes.txt root/sub/letters.txt root/résumé.pdf

pickerd --socket "$PICKERD_SOCKET" root >daemon.log 2>&1 </dev/null &
daemon=$!
check "a daemon serves" eventually pickerctl sync

finds() { # finds PATHS WORD…: these, in this order
    equal "$(pickerctl list --format '{path}' "${@:2}" | paste -sd ' ')" "$1"
}
ends() { # ends STATUS WORD…: with this status, and a message
    local status=0
    pickerctl "${@:2}" >out 2>said || status=$?
    equal "$status $(grep -c '^pickerctl: ' said)" "$1 1"
}
both="report.md r-e-port.md"
check "letters are found in their order, the best match first" finds "$both" --fuzzy report
check "another order is kept" finds "r-e-port.md report.md" --fuzzy report --sort name
check "letters in another order are not found" finds "" --fuzzy trpoer
check "a tilde says the same" finds "$both" '~report'
check "without either, a name contains the text" finds "report.md" report
check "a quote keeps letters together" finds "report.md" --fuzzy "'repo"
check "beginnings, in the folder too, and ends" finds "sub/letters.txt" --fuzzy '^sub .txt$'
check "what must not be there" finds "notes.txt" --fuzzy '.txt$ !sub'
check "one or the other" finds "notes.txt sub/letters.txt" --fuzzy '^notes | ^letters' --sort path
check "terms in quotes, beside a condition" finds "sub/letters.txt" '~"^notes | ^letters" path:sub/**'
check "accents are ignored" finds "résumé.pdf" --fuzzy rsm
check "words, in any order" finds "résumé.pdf" --words pdf resu
check "of which each must be there" finds "" --words pdf report
check "statistics of what is found" grep -q '"count":2,' <(pickerctl stats --json --fuzzy report)
check "pages are by name" equal "$(pickerctl feed --fuzzy report --format '{path}' | paste -sd ' ')" \
    "r-e-port.md report.md"
check "and can't be by score" ends 2 feed --fuzzy report --sort score
check "nor can other searches" ends 2 list report --sort score
check "words and terms do not mix" ends 2 list '~report md'

check "in colour, what is found is bold" grep -qaF $'\e[1mrés\e[0mumé.pdf' \
    <(pickerctl list --fuzzy res --color always)
check "elsewhere nothing is" fails grep -qa $'\e' <(pickerctl list --fuzzy res)
check "for programs it is not asked for" fails grep -q '"m"' <(pickerctl list --fuzzy res --json)

pickerctl watch --fuzzy report --format '{path}' >watched 2>&1 &
follower=$!
check "a fuzzy search is followed" eventually grep -qx '+ r-e-port.md' watched
touch root/reporter.md
check "with what comes" eventually grep -qx '+ reporter.md' watched
mv root/report.md root/other.md
check "and what goes" eventually grep -qx -- '- report.md' watched
finish
