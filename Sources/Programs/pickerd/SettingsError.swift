/// What is wrong with the settings: where, and what would be right.
struct SettingsError: Error, Equatable, CustomStringConvertible {
    let file: String
    /// Counted from 1; nil for what has no line, such as a file that can't be read.
    let line: Int?
    /// Counted from 1; nil where the line says it all.
    let column: Int?
    let reason: String

    init(file: String, line: Int?, column: Int? = nil, reason: String) {
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// As compilers write it, so that editors find the place: `file:line:column: reason`.
    var description: String {
        let numbers = [line, line == nil ? nil : column].compactMap { $0 }.map { ":\($0)" }
        return "\(file)\(numbers.joined()): \(reason)"
    }
}

/// Why the daemon can't start with what it was told on its command line, or with what is around it.
struct StartError: Error, CustomStringConvertible {
    /// The exit status: 1 for the machine's fault, 2 for the command line's, 78 for a settings file that is
    /// named there and is not.
    let status: Int32
    let description: String
}
