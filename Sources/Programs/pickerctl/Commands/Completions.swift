import PickerClient

/// The completions of shells other than files.
enum Completions {
    static let queryWords = QueryWords.offered

    static let topics = [
        "documents.*", "documents.added", "documents.removed", "documents.changed",
        "documents.moved", "watch.*", "layout.*", "daemon.*", "*",
    ]

    /// The typed keys, separated by commas, followed by each key that may come next.
    @Sendable static func sortKeys(_ arguments: [String], _ typed: String) -> [String] {
        let before = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
        return QueryWords.sortKeys(behind: before).map { before + $0 }
    }
}
