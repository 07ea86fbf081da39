extension ShellScripts {
    static let zshCompletions = #"""
        #compdef pickerctl pickerd
        # Completions of pickerctl and pickerd for zsh, 5 or later. pickerctl itself says what it offers.
        _pickerctl() {
            local -a found texts shown open openShown listed
            local kind text note
            local -i width
            found=("${(@0)"$(
                command pickerctl ---complete zsh "${(@Q)words[1,CURRENT-1]}" \
                    "$QIPREFIX$IPREFIX$PREFIX" 2>/dev/null)"}")
            kind=$found[1]
            # Behind the last NUL there is nothing.
            shift found
            (($#found)) && found[-1]=()
            case $kind in
                words)
                    for text note in "${found[@]}"; do
                        (($#text > width)) && width=$#text
                        [[ -n $note ]] && listed=(-l)
                    done
                    for text note in "${found[@]}"; do
                        note=${note:+${(r:width:)text}  -- $note}
                        # More follows a colon.
                        if [[ $text == *[:=] ]]; then
                            open+=("$text") openShown+=("${note:-$text}")
                        else
                            texts+=("$text") shown+=("${note:-$text}")
                        fi
                    done
                    compadd -V pickerctl -S '' $listed -d openShown -a open
                    compadd -V pickerctl $listed -d shown -a texts
                    ;;
                paths)
                    for text note in "${found[@]}"; do
                        if [[ $text == */ ]]; then open+=("${text%/}"); else texts+=("$text"); fi
                    done
                    compset -P '*/'
                    compadd -f -S / -q -a open
                    compadd -f -a texts
                    ;;
                elsewhere)
                    for text note in "${found[@]}"; do texts+=("$text"); done
                    (($#texts)) || return 1
                    compadd -U -f -V pickerctl -a texts
                    # What several begin with would take the place of what is typed.
                    (($#texts > 1)) && compstate[insert]=menu
                    ;;
                folders)
                    [[ $PREFIX == --*=* ]] && compset -P '*='
                    _files -/
                    ;;
                *)
                    [[ $PREFIX == --*=* ]] && compset -P '*='
                    _files
                    ;;
            esac
        }
        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
            _pickerctl "$@"
        elif (($+functions[compdef])); then
            compdef _pickerctl pickerctl pickerd
        fi

        """#

    static let zshKeys = #"""
        # Keys of pickerctl for zsh, 5 or later.
        __pickerctl_insert() {
            emulate -L zsh
            local file
            LBUFFER+="$(
                command pickerctl pick --multi --height 40% -0 "${PICKERCTL_INSERT_OPTIONS[@]}" |
                    while IFS= read -r -d '' file; do
                        file=${file#"${PWD%/}/"}
                        [[ $file == -* ]] && file=./$file
                        print -rn -- "${(q)file} "
                    done
            )"
            zle reset-prompt
        }

        __pickerctl_folder() {
            emulate -L zsh
            local file folder
            folder="$(
                command pickerctl pick --height 40% -0 "${PICKERCTL_FOLDER_OPTIONS[@]}" |
                    if IFS= read -r -d '' file; then print -rn -- "${file%/*}/"; fi
            )"
            if [[ -n $folder ]]; then
                # The line comes back behind the command.
                zle push-line
                BUFFER="builtin cd -- ${(q)folder}"
                zle accept-line
            fi
            zle reset-prompt
        }

        if [[ -o interactive ]]; then
            zle -N __pickerctl_insert
            zle -N __pickerctl_folder
            for __pickerctl_keymap in emacs viins vicmd; do
                if [[ -n ${PICKERCTL_INSERT_KEY-^T} ]]; then
                    bindkey -M $__pickerctl_keymap -- "${PICKERCTL_INSERT_KEY-^T}" __pickerctl_insert
                fi
                if [[ -n ${PICKERCTL_FOLDER_KEY-^[c} ]]; then
                    bindkey -M $__pickerctl_keymap -- "${PICKERCTL_FOLDER_KEY-^[c}" __pickerctl_folder
                fi
            done
            unset __pickerctl_keymap
        fi

        """#
}
