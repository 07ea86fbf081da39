package import Picking
package import SystemInterface
internal import TerminalCells

// Paths and queries are untrusted text, so no part of one ever becomes shell code: `{}` becomes `"$1"` and `{q}`
// becomes `"$2"`, and the path and the query are the shell's arguments, whose values it does not parse again.

/// A line of shell that prints the preview of a file: the line of `--preview`.
package struct PreviewCommand: Hashable, Sendable {
    /// Linux's limit of one argument with its closing NUL: 32 pages of 4 KiB.
    private static let longestArgument = 131_071
    private static let placeholders = [("{}", "\"$1\"", "path"), ("{q}", "\"$2\"", "query")]

    private let script: String

    /// - Parameter line: With `{}` where the path is to be, and `{q}` where the query is to be.
    /// - Throws: what is wrong with the line, for the user: it is empty or too long, or has quotes around `{}` or `{q}`,
    ///   which are quoted already.
    package init(_ line: String) throws(PreviewCommandError) {
        if line.allSatisfy(\.isWhitespace) {
            throw PreviewCommandError("the command for previews is empty")
        }
        var script = line
        for (placeholder, parameter, meaning) in Self.placeholders {
            for quote in ["'", "\""] where line.contains("\(quote)\(placeholder)\(quote)") {
                throw PreviewCommandError(
                    "\(placeholder) stands for the whole \(meaning), quoted already: leave out "
                        + "the \(quote) around it")
            }
            script = script.split(separator: placeholder, omittingEmptySubsequences: false)
                .joined(separator: parameter)
        }
        if script.utf8.count > Self.longestArgument - Self.reading.utf8.count {
            throw PreviewCommandError(
                "the command for previews is longer than \(Self.longestArgument) bytes")
        }
        self.script = script
    }

    /// The shell that runs the line, with its complete environment: the given one, the path in `PICKERD_PATH`, and the
    /// columns and lines of the preview in `COLUMNS`, `LINES` and the variables of fzf.
    package func shell(
        for request: PreviewRequest, environment: [String: String]
    ) -> ChildProcess {
        var variables = environment
        let area = request.area
        for (name, number) in [("COLUMNS", area.columns), ("LINES", area.rows)] {
            variables[name] = "\(number)"
            variables["FZF_PREVIEW_\(name)"] = "\(number)"
        }
        let query = request.query
        guard let path = String(validating: request.path, as: UTF8.self) else {
            return ChildProcess(
                RawPath("/bin/sh"),
                arguments: [
                    "-c", Self.reading + script, "pickerctl", Self.octal(request.path), query,
                ], environment: variables)
        }
        variables["PICKERD_PATH"] = path
        return ChildProcess(
            RawPath("/bin/sh"), arguments: ["-c", script, "pickerctl", path, query],
            environment: variables)
    }

    /// Makes a path of octal numbers the first argument: for one that is not UTF-8, which a `String` can't hold. The dot
    /// keeps line feeds at its end, which the shell would take away.
    private static let reading = """
        PICKERD_PATH=$(printf '%b.' "$1")
        PICKERD_PATH=${PICKERD_PATH%.}
        export PICKERD_PATH
        set -- "$PICKERD_PATH" "$2"

        """

    private static func octal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\0" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
        }.joined()
    }
}
