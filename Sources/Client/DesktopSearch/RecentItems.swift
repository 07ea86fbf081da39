package import PickerClient

/// Rows that were answered, by key: for what is asked of them when they are gone.
package struct RecentItems {
    /// The most that are kept: those of the last answers.
    package static let most = 512

    private var items: [String: ListItem] = [:]
    private var older: [String: ListItem] = [:]

    package init() {}

    package mutating func add(_ added: [ListItem]) {
        // Two halves: with the newer one full, the older one goes.
        if items.count + added.count > Self.most / 2 {
            older = items
            items = [:]
        }
        for item in added.prefix(Self.most / 2) { items[item.key] = item }
    }

    package subscript(key: String) -> ListItem? { items[key] ?? older[key] }

    var count: Int { items.count + older.count }
}
