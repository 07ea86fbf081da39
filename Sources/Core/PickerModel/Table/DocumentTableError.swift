/// Why a document or folder was not added. Nothing was changed then.
package struct DocumentTableError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// A limit of the table, or the memory of the system, is reached.
        case full
        /// The name or key can't be one.
        case badName
        /// The folder would be within itself, or its new place is taken.
        case badPlace
    }

    package let code: Code
    package let description: String

    static func tooManyRows(limit: Int) -> Self {
        Self(code: .full, description: "the table of documents is full: \(limit) rows")
    }

    static func tooManyBytes(limit: Int) -> Self {
        Self(
            code: .full,
            description: "the names of documents have no room: \(limit) bytes, or out of memory")
    }

    static var outOfMemory: Self {
        Self(code: .full, description: "the system has no memory for more documents")
    }

    static var tooManyKeys: Self {
        Self(code: .full, description: "there are \(OtherKeys.mostKeys) keys of plugins already")
    }

    static var tooManyDevices: Self {
        Self(code: .full, description: "documents are on 65,535 devices already")
    }

    static func keyTooLong(bytes: Int) -> Self {
        Self(
            code: .badName,
            description: "a key of \(bytes) bytes; at most \(OtherKeys.longestKey) are possible")
    }

    static func badName(bytes: Int) -> Self {
        Self(
            code: .badName,
            description: """
                a name of \(bytes) bytes; it must have 1 to \(DocumentTable.longestName), \
                none of them '/' or 0
                """)
    }

    static var folderInsideItself: Self {
        Self(code: .badPlace, description: "a folder can't be moved into itself")
    }

    static var placeTaken: Self {
        Self(code: .badPlace, description: "the place is taken by another folder")
    }
}
