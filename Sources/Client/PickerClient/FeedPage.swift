internal import WireProtocol

/// One page of a list.
public struct FeedPage: Hashable, Sendable {
    /// How many items the list has, on all pages.
    public let count: Int
    /// The items of this page.
    public let results: [ListItem]
    /// The number of the page behind this one; nil if this is the last.
    public let nextPageIndex: Int?
    /// The number of the page before this one; nil if this is the first.
    public let previousPageIndex: Int?
    /// The revision of the documents that the page shows.
    public let rev: Int
    /// Where the page begins and ends. With it, the next page begins where this one ended, whatever has come
    /// or gone meanwhile.
    public let token: String?

    /// A page, as a daemon gives it.
    public init(
        count: Int, results: [ListItem], nextPageIndex: Int?, previousPageIndex: Int?, rev: Int,
        token: String? = nil
    ) {
        self.count = count
        self.results = results
        self.nextPageIndex = nextPageIndex
        self.previousPageIndex = previousPageIndex
        self.rev = rev
        self.token = token
    }

    init(_ page: ItemsPage) {
        self.init(
            count: page.count, results: page.results.map { ListItem($0) },
            nextPageIndex: page.nextPageIndex, previousPageIndex: page.previousPageIndex,
            rev: page.rev, token: page.token)
    }
}

extension ListItem {
    /// The same item, liked or not.
    func with(isLiked: Bool) -> ListItem {
        var record = record
        record.liked = isLiked
        return ListItem(record)
    }
}
