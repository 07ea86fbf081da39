package import Picking
package import SystemInterface
internal import TerminalCells

/// A line of shell that prints the preview of a file: the line of `--preview`.
package struct PreviewCommand: Hashable, Sendable {
    private let line: ShellLine

    /// - Parameter line: With `{}` where the path is to be, and `{q}` where the query is to be.
    /// - Throws: what is wrong with the line, for the user.
    package init(_ line: String) throws(ShellLineError) {
        self.line = try ShellLine(
            line, named: "the command for previews",
            placeholders: ["{}": "path", "{q}": "query"],
            longest: ShellLine.longestArgument - Self.reading.utf8.count)
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
            return line.shell(
                after: Self.reading, [Self.octal(request.path), query], environment: variables)
        }
        variables["PICKERD_PATH"] = path
        return line.shell([path, query], environment: variables)
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
