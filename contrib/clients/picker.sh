#!/usr/bin/env bash
# pickerd from a shell, with socat and jq: an example to take apart, and a picker that works.
#
# pick shows the documents on the terminal and narrows them down while you type. The daemon does the
# searching, and the list stays current while you look at it. Enter prints the path of the row that is
# marked, arrows move the mark, Escape or Ctrl-C gives up (status 1). Keys are read from standard input
# and the screen goes to standard error, so that it can be used in $(...).
#
# list prints the rows of a live list whenever they change, as one JSON array a line. follow prints
# events, one JSON object a line, and goes on after the last one when the daemon has been away. call sends
# one request, and prints its result; an error goes to standard error (status 1).
#
# usage: picker.sh [--socket PATH] pick [--sort KEY] [--rows COUNT]
#        picker.sh [--socket PATH] list [--sort KEY] [--search TEXT] [--rows COUNT]
#        picker.sh [--socket PATH] follow [--since EPOCH:NUMBER] TOPIC...
#        picker.sh [--socket PATH] call METHOD [PARAMS]
set -euo pipefail

usage() { sed -n '/^# usage/,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }
complain() { printf 'picker.sh: %s\n' "$*" >&2; }
misuse() {
    complain "$*"
    usage >&2
    exit 2
}

socket=${PICKERD_SOCKET:-}
if [[ -z $socket && ${XDG_RUNTIME_DIR:-} == /* ]]; then
    socket=$XDG_RUNTIME_DIR/pickerd/pickerd.sock
fi
if [[ ${1:-} == --socket ]]; then
    socket=${2:-}
    shift 2 || misuse "--socket needs a path"
fi
command=${1:-}
shift || misuse "say what to do"
case $command in
    pick | list | follow | call) ;;
    -h | --help) usage; exit 0 ;;
    *) misuse "there is no command '$command'" ;;
esac
for tool in socat jq; do
    if ! command -v "$tool" >/dev/null; then
        complain "$tool is not there: install it"
        exit 1
    fi
done
if [[ -z $socket ]]; then
    complain "nothing says where the daemon's socket is: set PICKERD_SOCKET, or give --socket PATH"
    exit 3
fi

# ---- The connection ------------------------------------------------------------------------------

# Two pipes with names: what is written to the one goes to the daemon, what comes is read from the other.
connection=''
disconnect() {
    if [[ -n $connection ]]; then
        kill "$connection" 2>/dev/null || true
        wait "$connection" 2>/dev/null || true
        connection=''
    fi
}
connect() {
    disconnect
    # Paths may hold what socat takes for its own: ':' and ',' and '\'.
    local address=${socket//\\/\\\\}
    address=${address//:/\\:}
    address=${address//,/\\,}
    socat STDIO "UNIX-CONNECT:$address" <"$work/to" >"$work/from" 2>/dev/null &
    connection=$!
    exec {to_daemon}>"$work/to" {from_daemon}<"$work/from"
}
hang_up() {
    exec {to_daemon}>&- {from_daemon}<&-
    disconnect
}

# send ID METHOD PARAMS: a line, made by jq, so that whatever a text holds it stays one JSON string.
send() {
    jq -nc --argjson id "$1" --arg method "$2" --argjson params "$3" '$ARGS.named' >&"$to_daemon"
}

# Pauses double from try to try, up to five seconds. A read that nobody answers is a pause without a process.
pause=0.1
try_later() {
    local ignored
    read -r -t "$pause" -u "$silence" ignored || true
    pause=$(jq -n --argjson pause "$pause" '[$pause * 2, 5] | min')
}

work=$(mktemp -d --suffix=-picker)
helper=''
tidy() {
    if [[ -n $helper ]]; then kill "$helper" 2>/dev/null || true; fi
    disconnect
    restore_screen
    rm -rf -- "$work"
}
restore_screen() { :; }
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkfifo "$work/silence" "$work/to" "$work/from"
exec {silence}<>"$work/silence"

# ---- A live list ---------------------------------------------------------------------------------

# Messages in, states out: {rows, total, rev, gen}, one a line, whenever there is something new. A delta
# that does not fit ends jq with an error, and the list is opened anew.
# shellcheck disable=SC2016
follow_list='
def arranged($delta):
    . as $old
    | ([$delta.deleted[], $delta.moved[][0]]) as $leaving
    | if ($leaving | unique | length) != ($leaving | length) or any($leaving[]; . >= ($old | length))
      then error("rows leave that are not there") else . end
    | ($delta.inserted + [$delta.moved[] | [.[1], $old[.[0]]]] | sort_by(.[0])) as $arriving
    | to_entries | map(select(.key | IN($leaving[]) | not) | .value)
    | reduce $arriving[] as [$at, $row] (.;
        if $at > length then error("a row arrives beyond the end") else .[:$at] + [$row] + .[$at:] end)
    | reduce $delta.updated[] as [$at, $changes] (.;
        if $at >= length then error("a row changes that is not there")
        else .[$at] |= (. + $changes | with_entries(select(.value != null))) end);
foreach inputs as $line ({rows: null, chunks: []};
    $line.params as $message | .isNews = false
    | if $line.error then error($line.error.message)
      elif $line.method == "items.reset" then
        (if $message.chunk == 0 then [] else .chunks end) as $before
        | .chunks = $before + $message.items
        | if $message.last then .rows = .chunks | .chunks = [] | .rev = $message.rev | .isNews = true
          else . end
      elif $line.method == "items.delta" then
        if .rows == null or .rev != $message.from then error("a delta for another revision")
        else .rows |= arranged($message) | .rev = $message.to | .isNews = true end
      else . end
    | if .isNews then .total = $message.total | .gen = $message.gen else . end;
    select(.isNews) | {rows, total, rev, gen})'

# open_list SEARCH: asks for the list; its messages follow.
open_list() {
    send 1 items.open "$(jq -nc --arg sort "$sort" --arg search "$1" --argjson count "$rows" \
        '{window: {start: 0, $count}, $search, gen: 0} + if $sort == "" then {}
            elif $sort == "name" or $sort == "date" then {$sort} else {sort: ($sort | split(","))} end')"
}

sort='' search='' rows=100
list_options() {
    while (($#)); do
        if [[ -z ${2+set} ]]; then misuse "$1 needs a value"; fi
        case $1 in
            --sort) sort=$2 ;;
            --search) if [[ $command == pick ]]; then misuse "pick searches for what is typed"; fi; search=$2 ;;
            --rows) rows=$2 ;;
            *) misuse "there is no option '$1'" ;;
        esac
        shift 2
    done
    if [[ ! $rows =~ ^[0-9]{1,5}$ ]]; then misuse "--rows $rows is no number of rows"; fi
}

list() {
    list_options "$@"
    # Whether the daemon takes the query is known before anything is tried again and again.
    once items.get "$(jq -nc --arg search "$search" '{$search, window: {count: 0}}')" >/dev/null || exit $?
    while true; do
        connect
        open_list "$search" 2>/dev/null || true
        # In the background, and waited for, so that a signal is answered at once.
        { jq -nc --unbuffered "$follow_list" 2>"$work/why" | jq -c --unbuffered .rows; } <&"$from_daemon" &
        helper=$!
        wait "$helper" || true
        helper=''
        hang_up
        complain "the list has ended$(sed -n '1s/^jq: error[^:]*: /: /p' "$work/why"); trying again"
        try_later
    done
}

# ---- The picker ----------------------------------------------------------------------------------

draw() {
    local index=0 line text shown=0
    printf '\r\e[J> %s' "$search" >&2
    for line in "${paths[@]:0:$height}"; do
        text=${line//[[:cntrl:]]/?}
        if ((index == mark)); then printf '\n\e[K\e[7m%s\e[0m' "$text"; else printf '\n\e[K%s' "$text"; fi
        index=$((index + 1)) shown=$((shown + 1))
    done >&2
    printf '\n\e[K  %s of %s' "$shown" "$total" >&2
    printf '\e[%dA\r\e[%dC' "$((shown + 1))" "$((2 + ${#search}))" >&2
}

# The search goes to the daemon; its answer comes as a delta, in which the mark stays on the first row.
narrow() {
    gen=$((gen + 1)) mark=0
    send $((gen + 1)) items.update \
        "$(jq -nc --arg search "$search" --argjson gen "$gen" '{sub: 1, $gen, $search}')" 2>/dev/null || true
}

# One letter a line, from a process of its own, so that keys and rows arrive at one place.
read_keys() {
    local key rest
    while IFS= read -rsN1 key; do
        if [[ $key == $'\e' ]]; then
            rest=''
            IFS= read -rsN2 -t 0.05 rest || true
            key+=$rest
        fi
        printf 'key %s\n' "${key@Q}"
    done
    printf 'end\n'
}

# Prints the marked row, once the rows are those of what was typed. With none there is nothing to choose.
choose() {
    if ((shown_gen != gen)); then return 1; fi
    is_chosen=no
    if ((${#paths[@]} == 0)); then return 1; fi
    printf '\r\e[J' >&2
    printf '%s\n' "${paths[mark]}"
}

pick() {
    list_options "$@"
    once daemon.ping '{}' >/dev/null || exit $?
    local total=0 mark=0 gen=0 shown_gen=-1 height=10 kind rest key paths=() stream='' is_chosen=no
    if [[ -t 0 ]]; then
        local before
        before=$(stty -g)
        stty -echo -icanon
        # shellcheck disable=SC2064
        restore_screen_by="stty '$before'"
        restore_screen() { eval "$restore_screen_by"; }
    fi
    mkfifo "$work/news"
    exec {news}<>"$work/news"
    read_keys <&0 >"$work/news" &
    helper=$!
    # Rows as one line of shell words each time, in which jq has quoted whatever a name holds.
    local as_words='"rows \(.gen) \(.total) " + ([.rows[] | select(.kind == "document") | .root + "/" + .path] | @sh)'
    open_stream() {
        gen=0 shown_gen=-1
        connect
        open_list "$search" 2>/dev/null || true
        { jq -nc --unbuffered "$follow_list" | jq -r --unbuffered "$as_words"; printf 'gone\n'; } \
            <&"$from_daemon" >"$work/news" 2>/dev/null &
        stream=$!
    }
    open_stream
    draw
    while read -r kind rest <&"$news"; do
        case $kind in
            rows)
                shown_gen=${rest%% *} rest=${rest#* }
                total=${rest%% *}
                # Words that jq quoted for a shell.
                eval "paths=(${rest#* })"
                if ((mark >= ${#paths[@]})); then mark=$((${#paths[@]} > 0 ? ${#paths[@]} - 1 : 0)); fi
                pause=0.1
                # Enter was pressed before the rows for what was typed had come.
                if [[ $is_chosen == yes ]] && choose; then return 0; fi
                ;;
            gone)
                hang_up
                wait "$stream" 2>/dev/null || true
                complain "the connection was lost; trying again"
                try_later
                open_stream
                ;;
            end) return 1 ;;
            key)
                eval "key=$rest"
                case $key in
                    $'\n' | $'\r' | '')
                        is_chosen=yes
                        if choose; then return 0; fi
                        ;;
                    $'\e[A') mark=$((mark > 0 ? mark - 1 : 0)) ;;
                    $'\e[B') mark=$((mark + 1 < ${#paths[@]} && mark + 1 < height ? mark + 1 : mark)) ;;
                    $'\e' | $'\x03' | $'\x04') printf '\r\e[J' >&2; return 1 ;;
                    $'\x7f' | $'\b') if [[ -n $search ]]; then search=${search%?}; narrow; fi ;;
                    $'\e'*) ;;
                    *) if [[ $key != [[:cntrl:]] ]]; then search+=$key; narrow; fi ;;
                esac
                ;;
        esac
        draw
    done
}

# ---- Events and requests -------------------------------------------------------------------------

follow() {
    local since='' epoch='' params line
    if [[ ${1:-} == --since ]]; then
        since=${2:-}
        shift 2 || misuse "--since needs a place"
    fi
    if (($# == 0)); then set -- '*'; fi
    once events.replay "$(jq -nc '{topics: $ARGS.positional, count: 0}' --args "$@")" >/dev/null || exit $?
    while true; do
        params=$(jq -nc --arg since "$since" \
            '{topics: $ARGS.positional} + if $since == "" then {} else {$since} end' --args "$@")
        connect
        send 1 events.subscribe "$params" 2>/dev/null || true
        while IFS= read -r line <&"$from_daemon"; do
            case $line in
                *'"method":"event"'*)
                    # What matters of it, and the place right after it.
                    { read -r since && printf '%s\n' "$(cat)"; } < <(jq -r --arg epoch "$epoch" \
                        '.params | "\($epoch):\(.seq)", (del(.sub, .replayed) | tojson)' <<<"$line")
                    ;;
                *'"id":1,'*)
                    if ! jq -e .result <<<"$line" >/dev/null; then
                        complain "$(jq -r .error.message <<<"$line")"
                        exit 1
                    fi
                    epoch=$(jq -r .result.epoch <<<"$line")
                    if (($(jq .result.lost <<<"$line") > 0)); then
                        complain "$(jq .result.lost <<<"$line") events lost: the daemon has them no more"
                    fi
                    # An event that comes before the first is read has a place to go on from, too.
                    since=$(jq -r '.result | "\(.epoch):\(.from - 1)"' <<<"$line")
                    pause=0.1
                    ;;
                *'"method":"$/lost"'*)
                    complain "events $(jq -r '.params | "\(.from) to \(.to)"' <<<"$line") lost"
                    since=$epoch:$(jq .params.to <<<"$line")
                    ;;
            esac
        done
        hang_up
        complain "the connection was lost; trying again"
        try_later
    done
}

# once METHOD PARAMS: one request and its result. Status 3 without a daemon, 1 if it says no.
once() {
    local answer
    connect
    send 1 "$1" "$2" 2>/dev/null || true
    if ! IFS= read -r answer <&"$from_daemon"; then
        hang_up
        complain "no daemon answers at $socket"
        return 3
    fi
    hang_up
    if ! jq -c '.result // error("")' <<<"$answer" 2>/dev/null; then
        complain "$(jq -r .error.message <<<"$answer")"
        return 1
    fi
}

call() {
    if (($# == 0 || $# > 2)); then misuse "call needs a method, and may have parameters"; fi
    local params=${2:-"{}"}
    if ! jq -e 'type == "object"' <<<"$params" >/dev/null 2>&1; then
        misuse "the parameters must be a JSON object, not '$params'"
    fi
    once "$1" "$(jq -c . <<<"$params")"
}

"$command" "$@"
