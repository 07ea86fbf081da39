package import WireProtocol

/// Rows of a list at one revision.
public struct ListSnapshot: Hashable, Sendable {
    /// The revision of the documents.
    public let rev: Int
    /// The number of rows in the whole list.
    public let total: Int
    /// The position of the first row in the whole list.
    public let start: Int
    /// The rows of the window.
    public let items: [ListItem]

    package init(_ result: ItemsResult) {
        rev = result.rev
        total = result.total
        start = result.start
        items = result.items.map { ListItem($0) }
    }
}
