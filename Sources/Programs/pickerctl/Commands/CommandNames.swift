import ArgumentParser
import WireProtocol

// Checks of the arguments before they are parsed: a mistyped command gets a suggestion, and a word of a
// query may begin with a hyphen, as inside quotes.

package enum CommandNames {
    /// Options before the command that take a value.
    private static let valued = ["--socket", "--color", "--generate-completion-script"]
    /// Options of commands with queries whose values may begin with a hyphen.
    private static let valuedInside = [
        "-s", "--search", "--sort", "--format", "--prompt", "--header", "--preview",
    ]
    private static let withQueries = ["list", "watch", "pick", "feed", "layout", "stats"]

    /// - Throws: an error if the arguments name a command that is not in `known`.
    package static func check(_ arguments: [String], among known: [String]) throws(UnknownCommand) {
        var words = positional(arguments)
        guard var word = words.first else { return }
        if word == "help" {
            guard words.count > 1 else { return }
            words.removeFirst()
            word = words[0]
        }
        if known.contains(word) || word == "help" { return }
        let hint = NearestWord.hint(for: word, among: known)
        throw UnknownCommand(
            description: "there is no command '\(RawArguments.shown(word))'"
                + "\(hint.isEmpty ? ":" : hint) 'pickerctl --help' has them all")
    }

    /// The first two arguments that are not options.
    private static func positional(_ arguments: [String]) -> [String] {
        var words: [String] = []
        var isValue = false
        for argument in arguments where words.count < 2 {
            if isValue {
                isValue = false
            } else if argument.hasPrefix("-") {
                isValue = valued.contains(argument)
            } else {
                words.append(argument)
            }
        }
        return words
    }

    /// The arguments with `not:` in place of a hyphen before conditions such as `-type:pdf`, which the
    /// parser would read as options.
    package static func spellingOutNegations(_ arguments: [String]) -> [String] {
        guard let command = positional(arguments).first, withQueries.contains(command) else {
            return arguments
        }
        var result: [String] = []
        var isValue = false
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return result + arguments[index...] }
            result.append(
                !isValue && isNegation(argument) ? "not:" + argument.dropFirst() : argument)
            isValue = valuedInside.contains(argument)
        }
        return result
    }

    private static func isNegation(_ argument: String) -> Bool {
        guard argument.hasPrefix("-") else { return false }
        let rest = argument.dropFirst()
        if rest.hasPrefix("(") { return true }
        let key = rest.prefix { $0.isASCII && $0.isLetter }
        return !key.isEmpty && rest.dropFirst(key.count).hasPrefix(":")
    }
}
