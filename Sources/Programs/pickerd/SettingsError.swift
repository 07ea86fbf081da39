/// A fault in the settings: its place, and what would be valid.
struct SettingsError: Error, Equatable, CustomStringConvertible {
    let file: String
    /// Counted from 1; nil for faults without a line, such as an unreadable file.
    let line: Int?
    /// Counted from 1; nil if the line suffices.
    var column: Int?
    let reason: String

    /// In the format of compilers, so that editors find the place: `file:line:column: reason`.
    var description: String {
        let numbers = [line, line == nil ? nil : column].compactMap { $0 }.map { ":\($0)" }
        return "\(file)\(numbers.joined()): \(reason)"
    }
}

/// The reason why the daemon can't start: its command line or its environment.
struct StartError: Error, CustomStringConvertible {
    /// The exit status: 1 for a fault of the machine, 2 for one of the command line, 78 for a missing
    /// settings file that the command line names.
    let status: Int32
    let description: String
}
