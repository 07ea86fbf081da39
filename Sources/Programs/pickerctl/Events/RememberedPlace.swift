import Glibc
package import PickerClient
import SystemInterface

// The position of a script among the events, in a file.
//
// The file has two lines: its format, and the position; and a third with the number of gaps ahead that have
// been reported, so that they are not reported again. It is replaced atomically, so it never holds a
// partial position; any other content is damage, which is an error and no reason to start over. Next to it
// is an empty file with the suffix `.lock`, which is locked as long as this object lives, so that no second
// run continues from the same position.

/// A position that is stored between runs.
package final class RememberedPlace {
    private static let heading = "pickerctl events 1"

    let path: String
    /// The position; nil if none was stored.
    package private(set) var position: EventPosition?
    /// The number of gaps after the position that have been reported.
    package private(set) var knownGaps = 0
    private let lock: DescriptorBox

    /// Locks the file, and reads it if it exists.
    package init(at path: String) throws(CommandError) {
        self.path = path
        lock = try Self.lock(path)
        let bytes = try Self.using { () throws(SystemError) in
            try PrivateFile.contents(of: RawPath(path), limit: 1024)
        }
        guard let bytes else { return }
        guard let (position, knownGaps) = Self.place(in: bytes) else {
            throw CommandError(
                "the state file '\(path)' is damaged or no state file: remove it to begin with "
                    + "all events that are kept, or say after which one with --since EPOCH:NUMBER")
        }
        self.position = position
        self.knownGaps = knownGaps
    }

    /// Locks the file for a run that begins at another position, whatever its content.
    init(at path: String, beginningAfter position: EventPosition) throws(CommandError) {
        self.path = path
        lock = try Self.lock(path)
        try remember(position, knownGaps: 0)
    }

    private static func lock(_ path: String) throws(CommandError) -> DescriptorBox {
        let lock = try using { () throws(SystemError) in
            // Before creating a lock next to a file that can't be a state file.
            try PrivateFile.requireFile(RawPath(path))
            return try PrivateFile.lock(RawPath(path).suffixed(".lock"))
        }
        guard let lock else {
            throw CommandError(
                "another run uses the state file '\(path)': end it first, or give this one a file "
                    + "of its own with --state")
        }
        return lock
    }

    private static func using<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(CommandError) -> Value {
        do {
            return try body()
        } catch {
            throw CommandError("the state file cannot be used: \(error)")
        }
    }

    private static func place(in bytes: [UInt8]) -> (EventPosition, knownGaps: Int)? {
        guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\n") else {
            return nil
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3 || lines.count == 4, lines[0] == heading,
            let position = EventPosition(String(lines[1]))
        else { return nil }
        if lines.count == 3 { return (position, 0) }
        guard lines[2].hasPrefix("gaps "), let gaps = Int(lines[2].dropFirst(5)), gaps > 0 else {
            return nil
        }
        return (position, gaps)
    }

    /// Stores a position, unless it is stored already.
    func remember(_ position: EventPosition, knownGaps: Int) throws(CommandError) {
        if position == self.position, knownGaps == self.knownGaps { return }
        do {
            var text = "\(Self.heading)\n\(position)\n"
            if knownGaps > 0 { text += "gaps \(knownGaps)\n" }
            try PrivateFile.replace(RawPath(path), with: Array(text.utf8))
        } catch {
            throw CommandError(
                "cannot remember the place \(position) in '\(path)': \(error); make it possible "
                    + "to write there, or name another file with --state")
        }
        self.position = position
        self.knownGaps = knownGaps
    }

    /// The default file: in `pickerd` in the user's folder for state, which is created, with a name for
    /// each socket, list of topics, and mode.
    static func standardPath(
        for socket: String, topics: [String], isExecuting: Bool
    ) throws(CommandError) -> String {
        let folder = try stateFolder()
        do {
            try OwnedDescriptor.makeFolders(RawPath(folder))
        } catch {
            throw CommandError("\(error); name a file with --state")
        }
        let words = [socket, isExecuting ? "exec" : "print"] + topics
        return "\(folder)/events-\(digest(of: words.joined(separator: "\n")))"
    }

    private static func stateFolder() throws(CommandError) -> String {
        if let folder = CurrentProcess.environment("XDG_STATE_HOME"), folder.hasPrefix("/") {
            return "\(folder)/pickerd"
        }
        if let home = CurrentProcess.environment("HOME"), home.hasPrefix("/") {
            return "\(home)/.local/state/pickerd"
        }
        throw CommandError(
            "nothing says where to remember the place: set HOME or XDG_STATE_HOME, or name a file "
                + "with --state")
    }

    /// FNV-1a of 64 bits (Fowler, Noll and Vo), in hexadecimal: the same in every run, and short.
    private static func digest(of text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
