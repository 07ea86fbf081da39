import PickerClient

/// The completions of shells other than files.
enum Completions {
    static let queryWords =
        ["type:", "ext:", "name:", "match:", "imatch:", "path:", "size:", "modified:"]
        + ["is:liked", "is:dropped", "hidden:", "sort:", "limit:", "skip:"]

    static let topics = [
        "documents.*", "documents.added", "documents.removed", "documents.changed",
        "documents.moved", "watch.*", "layout.*", "daemon.*", "*",
    ]

    /// The typed keys, separated by commas, followed by each key that may come next.
    @Sendable static func sortKeys(_ arguments: [String], _ typed: String) -> [String] {
        let before = typed.lastIndex(of: ",").map { typed[...$0] } ?? ""
        let used = before.split(separator: ",").map { $0.hasPrefix("-") ? $0.dropFirst() : $0 }
        let keys = SortKey.known.filter { !used.contains(Substring($0)) }
        return keys.flatMap { [before + $0, before + "-" + $0] }.map { String($0) }
    }
}
