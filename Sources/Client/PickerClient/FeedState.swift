// A feed, as a value: the items that have been loaded, what is to be loaded next, and what the user did that
// the daemon has not confirmed yet.
//
// What the user does shows at once. If the daemon refuses it, it is taken back: the item is as it was,
// and one that was dropped is back where it stood.

/// What a feed shows and wants.
public struct FeedState: Hashable, Sendable {
    /// The page that is wanted.
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

    /// Something the user did.
    public struct Action: Hashable, Sendable {
        /// What it was.
        public enum Kind: Hashable, Sendable {
            /// The item is liked from now on, or no longer.
            case like(Bool)
            /// The item is gone from the feed.
            case drop
        }

        /// Tells it apart from others, such as a second like of the same item.
        public let number: Int
        /// The item's key.
        public let key: String
        /// What it was.
        public let kind: Kind
    }

    private struct Dropped: Hashable, Sendable {
        let item: ListItem
        /// The key of the item behind it; nil for the last.
        let next: String?
    }

    /// The items of all pages so far, each key once.
    public private(set) var items: [ListItem] = []
    /// The number of the next page; nil once the last one is there.
    public private(set) var nextPage: Int? = 1
    /// Whether the next page is to be loaded now.
    public private(set) var shouldLoadNext = true
    /// How many items the list had when the last page came.
    public private(set) var count = 0
    /// Why the next page could not be had; nil once it is wanted again.
    public private(set) var failure: ClientError?
    /// Why the last action that was refused was; nil once another one has been done.
    public private(set) var actionFailure: ClientError?
    /// What the user did and the daemon has not answered yet, in order.
    public private(set) var actions: [Action] = []

    private var token: String?
    private var dropped: [Int: Dropped] = [:]
    /// What the daemon has of items whose like it has not answered.
    private var known: [String: Bool] = [:]
    private var lastNumber = 0

    /// No items yet, and the first page wanted.
    public init() {}

    /// The page to load now, if one is.
    public var pageRequest: PageRequest? {
        guard shouldLoadNext, let nextPage else { return nil }
        return PageRequest(index: nextPage, token: token)
    }

    /// What to tell the daemon now: one action at a time, as they depend on each other.
    public var nextAction: Action? { actions.first }

    /// The state that follows.
    ///
    /// - Parameters:
    ///   - state: the state before.
    ///   - mutation: what has happened.
    /// - Returns: the state after it.
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
            // One that has changed may come again: it stays where it is, as it is now.
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
            // A later like of the same item has its own answer to come.
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

/// What happens to a feed.
public enum FeedMutation: Hashable, Sendable {
    /// The next page is wanted: the last item is shown, or the user tries again.
    case loadNextPage
    /// The page that was wanted is there.
    case pageLoaded(FeedPage)
    /// The page that was wanted could not be had. The items stay, and ``loadNextPage`` tries again.
    case error(ClientError)
    /// The user likes the item of that key, or no longer.
    case like(key: String)
    /// The user does without the item of that key.
    case drop(key: String)
    /// The daemon has done what the action of that number asks for.
    case confirmed(Int)
    /// The daemon has not: the action of that number is taken back.
    case refused(Int, ClientError)
}
