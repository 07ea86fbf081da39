package import WireProtocol

/// One page of a list.
public struct FeedPage: Hashable, Sendable {
    /// The number of items on all pages.
    public let count: Int
    /// The items of this page.
    public let results: [ListItem]
    /// The number of the next page; nil if this is the last.
    public let nextPageIndex: Int?
    /// The number of the previous page; nil if this is the first.
    public let previousPageIndex: Int?
    /// The revision of the documents that the page shows.
    public let rev: Int
    /// The start and end of the page. With it, the next page begins where this one ended, whatever items
    /// have come or gone.
    public let token: String?

    package init(_ page: ItemsPage) {
        count = page.count
        results = page.results.map { ListItem($0) }
        nextPageIndex = page.nextPageIndex
        previousPageIndex = page.previousPageIndex
        rev = page.rev
        token = page.token
    }
}
