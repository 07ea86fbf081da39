import ArgumentParser

struct ShellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Print what joins pickerctl to a shell, which reads it.",
        discussion: """
            Completions, and two keys: Ctrl-T puts the paths of documents that are picked into the line, \
            and Alt-C goes to the folder of one.

              eval "$(pickerctl shell bash)"     in ~/.bashrc
              eval "$(pickerctl shell zsh)"      in ~/.zshrc, behind compinit
              pickerctl shell fish | source      in ~/.config/fish/config.fish

            What is set before, it minds: PICKERCTL_INSERT_KEY and PICKERCTL_FOLDER_KEY are other keys, \
            as the shell writes them, or empty for none; PICKERCTL_INSERT_OPTIONS and \
            PICKERCTL_FOLDER_OPTIONS are arrays of more words for 'pickerctl pick'.
            """)

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell
    @OptionGroup var common: CommonOptions

    func run() throws {
        try Output.standard.write(ShellScripts.completions(of: shell))
        try Output.standard.write("\n")
        try Output.standard.write(ShellScripts.keys(of: shell))
    }
}
