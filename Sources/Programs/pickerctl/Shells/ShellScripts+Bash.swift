extension ShellScripts {
    static let bashCompletions = #"""
        # Completions of pickerctl and pickerd for bash, 4.4 or later. pickerctl itself says what it offers.
        _pickerctl() {
            local -a found
            local kind
            mapfile -d '' -t found < <(
                command pickerctl ---complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
            kind=${found[0]-}
            COMPREPLY=("${found[@]:1}")
            case $kind in
                words)
                    compopt -o nosort
                    # More follows a colon.
                    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[:=] ]]; then
                        compopt -o nospace
                    fi
                    ;;
                paths) compopt -o filenames ;;
                elsewhere)
                    compopt -o nosort
                    # What several begin with would take the place of what is typed.
                    if ((${#COMPREPLY[@]} > 1)); then COMPREPLY+=(' '); fi
                    ;;
                folders) compopt -o dirnames ;;
                *) compopt -o default ;;
            esac
        }
        complete -F _pickerctl pickerctl pickerd

        """#

    static let bashKeys = #"""
        # Keys of pickerctl for bash, 5 or later.
        __pickerctl_insert() {
            local text
            text=$(
                command pickerctl pick --multi --height 40% -0 "${PICKERCTL_INSERT_OPTIONS[@]}" |
                    while IFS= read -r -d '' file; do
                        file=${file#"${PWD%/}/"}
                        if [[ $file == -* ]]; then file=./$file; fi
                        printf '%q ' "$file"
                    done
            )
            READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$text${READLINE_LINE:READLINE_POINT}
            ((READLINE_POINT += ${#text})) || true
        }

        # The prompt shows the folder only if it is drawn anew: with an empty line, which then is as it was.
        __pickerctl_folder() {
            local folder
            bind '"\C-x\C-_2": ""'
            folder=$(
                command pickerctl pick --height 40% -0 "${PICKERCTL_FOLDER_OPTIONS[@]}" |
                    if IFS= read -r -d '' file; then printf '%s/' "${file%/*}"; fi
            )
            if [[ -z $folder ]] || ! builtin cd -- "$folder"; then return; fi
            if [[ -n $READLINE_LINE ]]; then
                bind '"\C-x\C-_2": "\C-x\C-_k\C-x\C-_a\C-x\C-_y"'
            else
                bind '"\C-x\C-_2": "\C-x\C-_a"'
            fi
        }

        if [[ $- == *i* ]]; then
            for __pickerctl_keymap in emacs-standard vi-insert; do
                bind -m "$__pickerctl_keymap" '"\C-x\C-_k": kill-whole-line'
                bind -m "$__pickerctl_keymap" '"\C-x\C-_a": accept-line'
                bind -m "$__pickerctl_keymap" '"\C-x\C-_y": yank'
                bind -m "$__pickerctl_keymap" '"\C-x\C-_2": ""'
                bind -m "$__pickerctl_keymap" -x '"\C-x\C-_1": __pickerctl_folder'
                if [[ -n ${PICKERCTL_INSERT_KEY-\C-t} ]]; then
                    bind -m "$__pickerctl_keymap" -x "\"${PICKERCTL_INSERT_KEY-\C-t}\": __pickerctl_insert"
                fi
                if [[ -n ${PICKERCTL_FOLDER_KEY-\ec} ]]; then
                    bind -m "$__pickerctl_keymap" "\"${PICKERCTL_FOLDER_KEY-\ec}\": \"\C-x\C-_1\C-x\C-_2\""
                fi
            done
            unset __pickerctl_keymap
        fi

        """#
}
