// The media type of a file, by its name alone: from the lists that the program was given before the first name, with
// a built-in list behind them. A program that gives none has the built-in list, the same on every machine.

package import MediaTypes
internal import Synchronization

/// The media type of a file, by its name. Types compare by text.
package struct MediaType: Hashable, Sendable, BitwiseCopyable {
    /// The index in the table, which is sorted by text.
    private let index: UInt16

    /// The type of a file whose name says nothing: `application/octet-stream`.
    package static let unknown = MediaType(index: table.unknown)

    /// The type of a file with this name. Of several suffixes in the lists the longest wins: `a.tar.gz` is a
    /// compressed archive.
    /// - Complexity: O(n).
    package init(forName name: String) {
        self.init(forName: name.utf8Span.span)
    }

    /// The same for a name in bytes. Allocates nothing.
    init(forName name: borrowing Span<UInt8>) {
        index = MediaType.table.index(forName: name)
    }

    private init(index: UInt16) {
        self.index = index
    }

    /// The type with this text; nil if it is none that files have by their names, and no folder's.
    /// - Complexity: O(log n).
    package init?(text: String) {
        guard let index = MediaType.table.index(ofType: text) else { return nil }
        self.index = index
    }

    /// The text, such as `text/markdown`.
    package var text: String { MediaType.table.texts[Int(index)] }

    /// The name of the icon of this type, which a theme may lack: then `genericIcon` is the one to show.
    package var icon: String { MediaType.table.icon(of: index) }

    /// The name of the icon for types like this one, such as `text-x-generic`.
    package var genericIcon: String { MediaType.table.genericIcon(of: index) }

    /// Its rank among all types.
    var rank: Int { Int(index) }

    /// Its number in the table of this run: the same in another run whose table has the same fingerprint.
    var number: UInt16 { index }

    /// The type with a number; nil if there is none.
    init?(number: UInt16) {
        guard number < MediaType.table.texts.count else { return nil }
        index = number
    }

    /// All numbers of types are below it.
    static var count: Int { table.texts.count }

    /// The type with a number below `count`.
    init(knownNumber number: UInt16) { index = number }

    /// Two tables with the same fingerprint give every name the same type, under the same number.
    package static var fingerprint: [UInt8] { table.fingerprint }
}

// MARK: - The table

extension MediaType {
    private enum Choice: Sendable {
        case builtIn
        case given(@Sendable () -> MediaTypeTable.Files)
        /// The table has been made, and stays.
        case inUse
    }

    private static let choice = Mutex(Choice.builtIn)

    /// Made on the first use, by the thread that is first; others wait for it.
    private static let table: MediaTypeTable = {
        let former = choice.withLock { choice in
            defer { choice = .inUse }
            return choice
        }
        guard case .given(let read) = former else {
            return MediaTypeTable(MediaTypeTable.Files(), fallback: list)
        }
        return MediaTypeTable(read(), fallback: list)
    }()

    /// Gives the lists that come before the built-in one. They are read when the first type is wanted, on the thread
    /// that wants it.
    ///
    /// Must be called before that: a type is an index into the table, which never changes.
    package static func use(_ read: @escaping @Sendable () -> MediaTypeTable.Files) {
        choice.withLock { choice in
            if case .inUse = choice { preconditionFailure("types are in use already") }
            choice = .given(read)
        }
    }

    /// What was left out of the lists.
    package static var leftOut: LeftOut { table.leftOut }
}

extension MediaType: Comparable {
    package static func < (left: MediaType, right: MediaType) -> Bool {
        left.index < right.index
    }
}
