// What a line of shell is given is untrusted text, so no part of it ever becomes shell code: each placeholder in the line
// becomes a parameter, `"$1"` for the first one, and its value an argument of the shell, which does not parse it again.

/// A line of shell, for the user to write, with placeholders for its arguments.
package struct ShellLine: Hashable, Sendable {
    /// Linux's limit of one argument or variable with its closing NUL: 32 pages of 4 KiB.
    package static let longestArgument = 131_071

    /// The line with parameters for placeholders.
    package let script: String

    /// - Parameters:
    ///   - line: What the user wrote.
    ///   - name: What the line is, for messages: "the command".
    ///   - placeholders: What stands for the arguments, in their order, and what these are.
    ///   - longest: The most bytes of `script`.
    /// - Throws: What is wrong with the line: it is empty or too long, or has quotes around a placeholder.
    package init(
        _ line: String, named name: String,
        placeholders: KeyValuePairs<String, String>, longest: Int = longestArgument
    ) throws(ShellLineError) {
        if line.allSatisfy(\.isWhitespace) { throw ShellLineError("\(name) is empty") }
        var script = line
        for (index, (sign, meaning)) in placeholders.enumerated() {
            for quote in ["'", "\""] where line.contains("\(quote)\(sign)\(quote)") {
                throw ShellLineError(
                    "\(sign) stands for the whole \(meaning), quoted already: leave out the "
                        + "\(quote) around it")
            }
            script = script.split(separator: sign, omittingEmptySubsequences: false)
                .joined(separator: "\"$\(index + 1)\"")
        }
        if script.utf8.count > longest {
            throw ShellLineError("\(name) is longer than \(longest) bytes")
        }
        self.script = script
    }

    /// The shell that runs the line, perhaps after other lines.
    package func shell(
        after preparation: String = "", _ arguments: [String], environment: [String: String]
    ) -> ChildProcess {
        ChildProcess(
            RawPath("/bin/sh"), arguments: ["-c", preparation + script, "pickerctl"] + arguments,
            environment: environment)
    }
}

/// Why a line of shell can't be meant so.
package struct ShellLineError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
