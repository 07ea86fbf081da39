import Glibc
package import PickerClient
import SystemInterface

// Where a script was among the events, in a file.
//
// Two lines: what the file is, and the place; and a third while there may be numbers ahead that have
// been told to be missing, with how many, so that they are not told twice. It is replaced as a whole each time, so that it never
// holds half a place; whatever else is found in it is damage, and damage is an error and no reason
// to begin anew. Beside it lies an empty file with `.lock` behind the name: it is locked for as long
// as this object lives, so that no second run goes on from the same place.

/// A place that is kept from run to run.
package final class RememberedPlace {
    private static let heading = "pickerctl events 1"

    let path: String
    /// The place; nil if none was ever remembered.
    package private(set) var position: EventPosition?
    /// How many numbers after the place have been told to be missing.
    package private(set) var knownGaps = 0
    private let lock: DescriptorBox

    /// Takes the file over, and reads it if it is there.
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

    /// Takes the file over for a run that begins at another place, whatever it holds.
    init(at path: String, beginningAfter position: EventPosition) throws(CommandError) {
        self.path = path
        lock = try Self.lock(path)
        try remember(position, knownGaps: 0)
    }

    private static func lock(_ path: String) throws(CommandError) -> DescriptorBox {
        let lock = try using { () throws(SystemError) in
            // Before a lock is made beside what can't be a state file.
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

    /// Keeps a place, if it is not the one that is kept.
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

    /// The file for those who name none: `pickerd` in the user's folder for state, which is made,
    /// and in it a name for each socket, list of topics, and way of use.
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
