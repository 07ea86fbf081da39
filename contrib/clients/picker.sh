#!/usr/bin/env bash
# pickerd from a shell, with socat and jq: an example to take apart, and a picker that works.
#
# pick shows the documents on the terminal and narrows them down while you type. The daemon does the
# searching, and the list stays current while you look at it. Enter prints the path of the row that is
# marked, byte for byte; arrows move the mark, Escape gives up (status 1), and so does Ctrl-C (status 130).
# Keys are read from standard input and the screen goes to standard error, so that it can be used in $(...).
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
rest() {
    local ignored
    read -r -t "$pause" -u "$silence" ignored || true
}
lengthen_pause() {
    pause=$(jq -n --argjson pause "$pause" '[$pause * 2, 5] | min')
}
try_later() {
    rest
    lengthen_pause
}

work=$(mktemp -d --suffix=-picker)
helper='' stream='' timer='' terminal='' terminal_before=''
tidy() {
    local process
    for process in $helper $stream $timer; do kill "$process" 2>/dev/null || true; done
    # What reads keys has changed the terminal's mode as well, and puts back its own when it ends.
    for process in $helper $stream $timer; do wait "$process" 2>/dev/null || true; done
    disconnect
    # By a descriptor of its own: a signal may come while standard input is something else.
    if [[ -n $terminal_before ]]; then stty "$terminal_before" <&"$terminal" || true; fi
    rm -rf -- "$work"
}
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

# query SEARCH: the parameters of a list.
query() {
    jq -nc --arg sort "$sort" --arg search "$1" --argjson count "$rows" \
        '{window: {start: 0, $count}, $search} + if $sort == "" then {} else {sort: ($sort | split(","))} end'
}

# open_list SEARCH: asks for the list; its messages follow.
open_list() {
    send 1 items.open "$(query "$1" | jq -c '.gen = 0')"
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
    once items.get "$(query "$search" | jq -c '.window.count = 0')" >/dev/null || exit $?
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

# The documents of a state as lines for a terminal: what could move its cursor, or turn its text round, is '?'.
# shellcheck disable=SC2016
as_labels='.gen, .total, (.rows[] | select(.kind == "document") | .root + "/" + .path | explode
    | map(if . < 32 or (. > 126 and . < 160) or (. > 8202 and . < 8208) or (. > 8231 and . < 8239)
          or (. > 8287 and . < 8304) or . == 65279 then 63 else . end) | implode)'

# Rows may be wider than the terminal, which is told to cut them off. Of more rows than fit, those around the
# mark are shown.
draw() {
    local index last
    if ((mark < top)); then top=$mark; fi
    if ((mark >= top + height)); then top=$((mark - height + 1)); fi
    last=$((top + height < ${#labels[@]} ? top + height : ${#labels[@]}))
    {
        printf '\e[?7l\r\e[J> %s' "$search"
        for ((index = top; index < last; index++)); do
            if ((index == mark)); then printf '\n\e[7m%s\e[0m' "${labels[index]}"; else printf '\n%s' "${labels[index]}"; fi
        done
        printf '\n  %s of %s\e[%dA\r\e[%dC\e[?7h' $((last - top)) "$total" $((last - top + 1)) $((2 + ${#search}))
    } >&2
}

# The search goes to the daemon; its answer comes as a delta, in which the mark stays on the first row.
narrow() {
    gen=$((gen + 1)) mark=0 top=0
    send $((gen + 1)) items.update \
        "$(jq -nc --arg search "$search" --argjson gen "$gen" '{sub: 1, $gen, $search}')" 2>/dev/null || true
}

# One key a line, by its name, from a process of its own, so that keys and rows arrive at one place.
read_keys() {
    local key rest
    while IFS= read -rsN1 key; do
        case $key in
            $'\e')
                rest=''
                IFS= read -rsN2 -t 0.05 rest || true
                case $rest in
                    '[A') printf 'up\n' ;;
                    '[B') printf 'down\n' ;;
                    '') printf 'escape\n' ;;
                esac
                ;;
            '' | $'\n' | $'\r') printf 'enter\n' ;;
            $'\x7f' | $'\b') printf 'erase\n' ;;
            $'\x04') printf 'escape\n' ;;
            $'\x03') printf 'interrupt\n' ;;
            [[:cntrl:]]) ;;
            *) printf 'text %s\n' "$key" ;;
        esac
    done
    printf 'end\n'
}

# States are put down as a file each, and only named where keys arrive: what is longer than a pipe takes in one
# go would be mixed with keys there.
read_rows() {
    local state
    jq -nc --unbuffered "$follow_list" 2>/dev/null | while IFS= read -r state; do
        printf '%s\n' "$state" >"$work/rows.new"
        mv -f -- "$work/rows.new" "$work/rows"
        printf 'rows\n'
    done
    printf 'gone\n'
}
open_stream() {
    gen=0 shown_gen=-1
    connect
    open_list "$search" 2>/dev/null || true
    read_rows <&"$from_daemon" >"$work/news" &
    stream=$!
}

# Prints the marked row, once the rows are those of what was typed. With none there is nothing to choose.
choose() {
    if ((shown_gen != gen)); then return 1; fi
    is_chosen=no
    if ((${#labels[@]} == 0)); then return 1; fi
    printf '\r\e[J' >&2
    # A name that is not UTF-8 comes in Base64 as well; JSON has no other way for its bytes.
    jq -j --argjson mark "$mark" '[.rows[] | select(.kind == "document")][$mark]
        | (.rootB64 // (.root | @base64)), "\n", (.pathB64 // (.path | @base64)), "\n"' <<<"$state" | {
        read -r root && read -r path
        base64 -d <<<"$root"
        printf '/'
        base64 -d <<<"$path"
        printf '\n'
    }
}

# Its variables are the script's own: a signal in a function with variables of its own confuses bash. So does
# one that comes while bash reads the inside of a $(...), so on a terminal Ctrl-C is a key like the others, and
# what this waits for comes as a line among the keys.
pick() {
    list_options "$@"
    once daemon.ping '{}' >/dev/null || exit $?
    total=0 mark=0 top=0 gen=0 shown_gen=-1 height=10 labels=() state='' is_chosen=no
    if [[ -t 0 ]]; then
        exec {terminal}<&0
        terminal_before=$(stty -g <&"$terminal")
        stty -echo -icanon intr undef min 1 time 0 <&"$terminal"
    fi
    mkfifo "$work/news"
    exec {news}<>"$work/news"
    read_keys <&0 >"$work/news" &
    helper=$!
    open_stream
    draw
    IFS=''
    while read -r -u "$news" message; do
        case $message in
            rows)
                # The newest; of those before it there is no more to see.
                state=$(<"$work/rows")
                mapfile -t labels < <(jq -r "$as_labels" <<<"$state")
                shown_gen=${labels[0]} total=${labels[1]} labels=("${labels[@]:2}")
                if ((mark >= ${#labels[@]})); then mark=$((${#labels[@]} > 0 ? ${#labels[@]} - 1 : 0)); fi
                pause=0.1
                # Enter was pressed before the rows for what was typed had come.
                if [[ $is_chosen == yes ]] && choose; then return 0; fi
                ;;
            gone)
                hang_up
                wait "$stream" 2>/dev/null || true
                complain "the connection was lost; trying again"
                { rest; printf 'again\n'; } >"$work/news" &
                timer=$!
                lengthen_pause
                ;;
            again)
                wait "$timer" || true
                timer=''
                open_stream
                ;;
            enter)
                is_chosen=yes
                if choose; then return 0; fi
                ;;
            up) mark=$((mark > 0 ? mark - 1 : 0)) ;;
            down) mark=$((mark + 1 < ${#labels[@]} ? mark + 1 : mark)) ;;
            erase) if [[ -n $search ]]; then search=${search%?}; narrow; fi ;;
            text\ *) search+=${message#text }; narrow ;;
            escape) printf '\r\e[J' >&2; return 1 ;;
            interrupt) printf '\r\e[J' >&2; exit 130 ;;
            end) return 1 ;;
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
