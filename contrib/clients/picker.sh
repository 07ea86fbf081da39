#!/usr/bin/env bash
# The protocol of pickerd from a shell, with socat and jq: the paths of the ten latest documents that fzf would find.
# 'pickerctl list' and 'pickerctl pick' do this and more; contrib/pickers is for launchers and editors.
# usage: picker.sh [SEARCH]
set -euo pipefail
socket=${PICKERD_SOCKET:-${XDG_RUNTIME_DIR:?nothing says where the socket is}/pickerd/pickerd.sock}
socket=${socket//\\/\\\\} socket=${socket//:/\\:} socket=${socket//,/\\,} # what socat takes for its own
jq -nc --arg search "${1:-}" '{id: 1, method: "items.get", params:
    {$search, match: "fuzzy", sort: "date", window: {start: 0, count: 11}}}' |
    socat -t 30 STDIO "UNIX-CONNECT:$socket" |
    jq -r 'if .error then error(.error.message) else [.result.items[] | select(.kind == "document")][:10][] end |
        .root + "/" + .path'
