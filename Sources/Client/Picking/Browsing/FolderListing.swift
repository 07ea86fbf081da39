/// What is in a folder, as far as a picker shows it.
package struct FolderListing: Equatable, Sendable {
    /// The most names of a folder that are shown.
    package static let mostNames = 20_000

    /// Folders first, then files; each in the order of their names without regard to case.
    package var entries: [FolderEntry] = []
    /// Whether there are more than `mostNames`.
    package var isCut = false
    /// Whether changes of the folder are followed.
    package var isLive = true
    /// Why it can't be read, in a sentence; nil if it can.
    package var fault: String?
    /// Whether there is no such folder any more.
    package var isGone = false

    package init(_ entries: [FolderEntry] = []) { self.entries = entries }

    /// A folder that can't be read.
    package init(fault: String, isGone: Bool = false) {
        self.fault = fault
        self.isGone = isGone
    }
}

/// A name in a folder.
package struct FolderEntry: Equatable, Sendable {
    /// As the system has it: any bytes but NUL and "/".
    package let name: [UInt8]
    /// The name in lower case, in UTF-8: what is searched.
    package let folded: [UInt8]
    /// A folder, or a symbolic link to one.
    package let isFolder: Bool

    package init(_ name: [UInt8], isFolder: Bool) {
        self.name = name
        self.isFolder = isFolder
        folded = Self.fold(String(decoding: name, as: UTF8.self))
    }

    package static func fold(_ text: String) -> [UInt8] { Array(text.lowercased().utf8) }

    package var isHidden: Bool { name.first == UInt8(ascii: ".") }

    /// For people: U+FFFD stands for bytes that are not UTF-8.
    package var text: String { String(decoding: name, as: UTF8.self) }

    /// Whether a folded text is somewhere in the name.
    /// - Complexity: O(n · m), with the lengths of the name and the text.
    func contains(_ sought: [UInt8]) -> Bool {
        guard let first = sought.first else { return true }
        var start = 0
        let last = folded.count - sought.count
        while start <= last {
            if folded[start] == first, folded[start...].starts(with: sought) { return true }
            start += 1
        }
        return false
    }

    /// The order of rows: folders first.
    package static func isBefore(_ left: FolderEntry, _ right: FolderEntry) -> Bool {
        if left.isFolder != right.isFolder { return left.isFolder }
        if left.folded != right.folded {
            return left.folded.lexicographicallyPrecedes(right.folded)
        }
        return left.name.lexicographicallyPrecedes(right.name)
    }
}
