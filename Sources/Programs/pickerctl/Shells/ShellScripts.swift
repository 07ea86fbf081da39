/// What shells read: short, because all that knows what a line means is in the program, which they ask.
enum ShellScripts {
    static func completions(of shell: Shell) -> String {
        switch shell {
        case .bash: bashCompletions
        case .zsh: zshCompletions
        case .fish: fishCompletions
        }
    }

    static func keys(of shell: Shell) -> String {
        switch shell {
        case .bash: bashKeys
        case .zsh: zshKeys
        case .fish: fishKeys
        }
    }
}
