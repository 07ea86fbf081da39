// The state of a feed as a value: the loaded items, and the next page to load.

/// The contents of a feed.
package struct FeedState: Hashable, Sendable {
    /// The page to load.
    package struct PageRequest: Hashable, Sendable {
        /// Its number.
        package let index: Int
        /// The token of the page before it.
        package let token: String?
    }

    /// The items of all pages so far, each key once.
    package private(set) var items: [ListItem] = []
    /// The number of the next page; nil after the last one.
    package private(set) var nextPage: Int? = 1
    /// Whether to load the next page now.
    package private(set) var shouldLoadNext = true
    /// The number of items in the list when the last page was loaded.
    package private(set) var count = 0
    /// The error of the last attempt to load a page; nil after the next attempt begins.
    package private(set) var failure: ClientError?

    private var token: String?

    /// A state without items, which loads the first page.
    package init() {}

    /// The page to load now, if any.
    package var pageRequest: PageRequest? {
        guard shouldLoadNext, let nextPage else { return nil }
        return PageRequest(index: nextPage, token: token)
    }

    /// Computes the next state.
    ///
    /// - Parameters:
    ///   - state: the state before.
    ///   - mutation: the mutation.
    /// - Returns: the next state.
    /// - Complexity: O(*n*) in the number of items.
    package static func reduce(_ state: FeedState, _ mutation: FeedMutation) -> FeedState {
        var state = state
        switch mutation {
        case .loadNextPage:
            guard state.nextPage != nil else { break }
            state.shouldLoadNext = true
            state.failure = nil
        case .pageLoaded(let page): state.take(page)
        case .error(let error):
            state.shouldLoadNext = false
            state.failure = error
        }
        return state
    }

    private mutating func take(_ page: FeedPage) {
        shouldLoadNext = false
        failure = nil
        nextPage = page.nextPageIndex
        token = page.token ?? token
        count = page.count
        var places: [String: Int] = [:]
        for (index, item) in items.enumerated() { places[item.key] = index }
        for item in page.results {
            // A changed item may come again: it keeps its position, with its new content.
            if let place = places[item.key] {
                items[place] = item
            } else {
                places[item.key] = items.count
                items.append(item)
            }
        }
    }
}

/// A mutation of a feed.
package enum FeedMutation: Hashable, Sendable {
    /// Load the next page: the last item is visible, or the user retries.
    case loadNextPage
    /// The requested page was loaded.
    case pageLoaded(FeedPage)
    /// The requested page could not be loaded. The items stay, and `loadNextPage` retries.
    case error(ClientError)
}
