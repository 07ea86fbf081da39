extension ShellScripts {
    static let fishCompletions = #"""
        # Completions of pickerctl and pickerd for fish, 3.2 or later. pickerctl itself says what it offers.
        function __pickerctl_complete
            set -l words (commandline -opc)
            set -l typed (commandline -ct | string collect)
            set -l found (command pickerctl ---complete fish $words "$typed" 2>/dev/null | string split0)
            switch "$found[1]"
                case words paths elsewhere
                    set -q found[4]
                    and string join0 -- $found[4..] | string split0
                case folders
                    __fish_complete_directories "$found[3]" | string replace -r '^' -- "$found[2]"
                case '*'
                    __fish_complete_path "$found[3]" | string replace -r '^' -- "$found[2]"
            end
        end
        complete -c pickerctl -c pickerd -f -k -a '(__pickerctl_complete)'

        """#

    static let fishKeys = #"""
        # Keys of pickerctl for fish, 3.2 or later.
        function __pickerctl_insert
            set -l picked (command pickerctl pick --multi --height 40% -0 $PICKERCTL_INSERT_OPTIONS | string split0)
            # In escaped texts a name is one line, whatever is in it.
            set -l here (string escape -n -- (string replace -r '/*$' / -- $PWD | string collect))
            set -l length (string length -- $here)
            for file in (string escape -n -- $picked)
                if test (string sub -l $length -- $file) = $here
                    set file (string sub -s (math $length + 1) -- $file)
                end
                string match -q -- '-*' $file
                and set file ./$file
                commandline -i -- "$file "
            end
            commandline -f repaint
        end

        function __pickerctl_folder
            set -l picked (command pickerctl pick --height 40% -0 $PICKERCTL_FOLDER_OPTIONS | string split0)
            set -q picked[1]
            and eval cd -- (string escape -n -- $picked[1] | string replace -r '/[^/]*$' /)
            commandline -f repaint
        end

        if status is-interactive
            set -q PICKERCTL_INSERT_KEY
            or set -l PICKERCTL_INSERT_KEY \ct
            set -q PICKERCTL_FOLDER_KEY
            or set -l PICKERCTL_FOLDER_KEY \ec
            for keymap in default insert
                test -n "$PICKERCTL_INSERT_KEY"
                and bind -M $keymap $PICKERCTL_INSERT_KEY __pickerctl_insert
                test -n "$PICKERCTL_FOLDER_KEY"
                and bind -M $keymap $PICKERCTL_FOLDER_KEY __pickerctl_folder
            end
        end

        """#
}
