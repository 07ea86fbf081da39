import ArgumentParser

/// The output options for programs.
struct RowOptions: ParsableArguments {
    @Flag(help: "Print absolute paths, one a line.")
    var paths = false

    @Flag(
        name: [.customShort("0"), .long],
        help: "Print absolute paths with a NUL behind each, for 'xargs -0'; also with --format.")
    var print0 = false

    @Option(
        help: ArgumentHelp(
            """
            Print a line made of members, as '{root}/{path}': \
            \(RowFormat.Field.allCases.map(\.rawValue).joined(separator: ", ")), \
            and attributes, as '{image.width}'.
            """, valueName: "format"))
    var format: String?

    func validate() throws {
        if paths, format != nil {
            throw ValidationError("--paths is short for --format '{absolutePath}': give one.")
        }
        _ = try rowFormat()
    }

    /// Nil for rows that people read.
    func rowFormat() throws -> RowFormat? {
        let end = UInt8(ascii: print0 ? "\0" : "\n")
        guard let format else {
            return paths || print0 ? RowFormat(pathsEndingWith: end) : nil
        }
        do {
            return try RowFormat(format, endingWith: end)
        } catch {
            throw ValidationError("--format: \(error).")
        }
    }

    /// The format, which excludes JSON.
    func rowFormat(besides json: Bool) throws -> RowFormat? {
        let format = try rowFormat()
        if json, format != nil {
            throw ValidationError(
                "--json has a form of its own: leave out --paths, -0 and --format.")
        }
        return format
    }
}
