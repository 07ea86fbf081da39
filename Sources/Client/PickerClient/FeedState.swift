// The state of a feed as a value: the loaded items, the next page to load, and the user's actions that the
// daemon has not confirmed yet.
//
// Actions take effect at once. If the daemon refuses one, it is undone: the item is as before, and a
// dropped item returns to its position.

/// The contents of a feed, and its pending requests.
public struct FeedState: Hashable, Sendable {
    /// The page to load.
    public struct PageRequest: Hashable, Sendable {
        /// Its number.
        public let index: Int
        /// The token of the page before it.
        public let token: String?

        /// A page's number, and the token of the page before it.
        public init(index: Int, token: String?) {
            self.index = index
            self.token = token
        }
    }

    /// An action of the user.
    public struct Action: Hashable, Sendable {
        /// What it was.
        public enum Kind: Hashable, Sendable {
            /// The item was liked, or the like was removed.
            case like(Bool)
            /// The item was dropped.
            case drop
        }

        /// Distinguishes actions, such as a second like of the same item.
        public let number: Int
        /// The item's key.
        public let key: String
        /// What it was.
        public let kind: Kind
    }

    private struct Dropped: Hashable, Sendable {
        let item: ListItem
        /// The key of the next item; nil for the last.
        let next: String?
    }

    /// The items of all pages so far, each key once.
    public private(set) var items: [ListItem] = []
    /// The number of the next page; nil after the last one.
    public private(set) var nextPage: Int? = 1
    /// Whether to load the next page now.
    public private(set) var shouldLoadNext = true
    /// The number of items in the list when the last page was loaded.
    public private(set) var count = 0
    /// The error of the last attempt to load a page; nil after the next attempt begins.
    public private(set) var failure: ClientError?
    /// The error of the last refused action; nil after the next action.
    public private(set) var actionFailure: ClientError?
    /// The unanswered actions, in order.
    public private(set) var actions: [Action] = []

    private var token: String?
    private var dropped: [Int: Dropped] = [:]
    /// The daemon's likes of items with an unanswered like.
    private var known: [String: Bool] = [:]
    private var lastNumber = 0

    /// A state without items, which loads the first page.
    public init() {}

    /// The page to load now, if any.
    public var pageRequest: PageRequest? {
        guard shouldLoadNext, let nextPage else { return nil }
        return PageRequest(index: nextPage, token: token)
    }

    /// The next action to send: one at a time, because actions depend on each other.
    public var nextAction: Action? { actions.first }

    /// Computes the next state.
    ///
    /// - Parameters:
    ///   - state: the state before.
    ///   - mutation: the mutation.
    /// - Returns: the next state.
    /// - Complexity: O(*n*) in the number of items.
    public static func reduce(_ state: FeedState, _ mutation: FeedMutation) -> FeedState {
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
        case .like(let key): state.like(key)
        case .drop(let key): state.drop(key)
        case .confirmed(let number): state.confirm(number)
        case .refused(let number, let error): state.takeBack(number, because: error)
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
        let hidden = Set(dropped.values.map(\.item.key))
        for item in page.results where !hidden.contains(item.key) {
            // A changed item may come again: it keeps its position, with its new content.
            if let place = places[item.key] {
                items[place] = item
            } else {
                places[item.key] = items.count
                items.append(item)
            }
        }
    }

    private mutating func act(_ kind: Action.Kind, on key: String) {
        lastNumber += 1
        actions.append(Action(number: lastNumber, key: key, kind: kind))
    }

    private mutating func like(_ key: String) {
        guard let place = items.firstIndex(where: { $0.key == key }), !items[place].isNew else {
            return
        }
        let isLiked = !items[place].isLiked
        known[key] = known[key] ?? !isLiked
        items[place] = items[place].with(isLiked: isLiked)
        act(.like(isLiked), on: key)
    }

    private mutating func drop(_ key: String) {
        guard let place = items.firstIndex(where: { $0.key == key }), !items[place].isNew else {
            return
        }
        let next = place + 1 < items.count ? items[place + 1].key : nil
        act(.drop, on: key)
        dropped[lastNumber] = Dropped(item: items.remove(at: place), next: next)
    }

    private mutating func confirm(_ number: Int) {
        guard let done = removeAction(number) else { return }
        actionFailure = nil
        dropped[number] = nil
        guard case .like(let isLiked) = done.kind else { return }
        known[done.key] = isLikeAwaited(for: done.key) ? isLiked : nil
    }

    private mutating func takeBack(_ number: Int, because error: ClientError) {
        guard let action = removeAction(number) else { return }
        actionFailure = error
        switch action.kind {
        case .like:
            // A later like of the same item awaits its own answer.
            if isLikeAwaited(for: action.key) { break }
            let isLiked = known.removeValue(forKey: action.key)
            guard let isLiked, let item = items.firstIndex(where: { $0.key == action.key })
            else { break }
            items[item] = items[item].with(isLiked: isLiked)
        case .drop:
            guard let back = dropped.removeValue(forKey: number),
                !items.contains(where: { $0.key == back.item.key })
            else { break }
            let next = items.firstIndex { $0.key == back.next } ?? items.count
            items.insert(back.item, at: next)
        }
    }

    private mutating func removeAction(_ number: Int) -> Action? {
        let place = actions.firstIndex { $0.number == number }
        return place.map { actions.remove(at: $0) }
    }

    private func isLikeAwaited(for key: String) -> Bool {
        actions.contains { action in
            guard case .like = action.kind else { return false }
            return action.key == key
        }
    }
}

/// A mutation of a feed.
public enum FeedMutation: Hashable, Sendable {
    /// Load the next page: the last item is visible, or the user retries.
    case loadNextPage
    /// The requested page was loaded.
    case pageLoaded(FeedPage)
    /// The requested page could not be loaded. The items stay, and ``loadNextPage`` retries.
    case error(ClientError)
    /// The user toggles the like of the item with this key.
    case like(key: String)
    /// The user drops the item with this key.
    case drop(key: String)
    /// The daemon confirmed the action with this number.
    case confirmed(Int)
    /// The daemon refused the action with this number, which is undone.
    case refused(Int, ClientError)
}
