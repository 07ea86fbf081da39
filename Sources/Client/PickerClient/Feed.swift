internal import StateFeedback

/// A list that is loaded page by page as it is read, and in which items can be liked and dropped.
///
/// The pages fit together whatever happens in the folders meanwhile: an item that did not change itself is on
/// one of them and on one only. Items are not kept up to date; for that there is ``LiveList``. Belongs
/// to the thread of its connection, which it keeps.
public final class Feed {
    /// The feed as it is now.
    public var state: FeedState { system.state }
    /// Is called with each state after the first.
    public var onChange: ((FeedState) -> Void)? {
        get { observer.onChange }
        set { observer.onChange = newValue }
    }

    private let system: FeedbackSystem<FeedState, FeedMutation>
    private let observer: Observer

    private final class Observer {
        var onChange: ((FeedState) -> Void)?
    }

    /// Opens a feed, and asks for the first page.
    ///
    /// - Parameters:
    ///   - query: which items, in which order. Its window counts for nothing.
    ///   - pageSize: how many items a page has; from 1 to 1,000.
    ///   - connection: to whom.
    public init(
        _ query: ListQuery = ListQuery(), pageSize: Int = 20, on connection: PickerConnection
    ) {
        let observer = Observer()
        self.observer = observer
        system = FeedbackSystem(
            initial: FeedState(), reduce: FeedState.reduce,
            feedback: [
                .observe { observer.onChange?($0) },
                Self.loadPage(query, pageSize, connection),
                Self.tellAction(connection),
            ])
    }

    /// The item at `index` is shown. If it is the last one, the next page is loaded, unless that is under way
    /// or there is none. After a failure it is for ``loadNextPage()`` to try again.
    public func show(itemAt index: Int) {
        guard index == state.items.count - 1, state.failure == nil else { return }
        loadNextPage()
    }

    /// Loads the next page, also after a failure. Without effect if there is none or it is under way.
    public func loadNextPage() { system.send(.loadNextPage) }

    /// Likes an item, or no longer if it is liked.
    public func like(key: String) { system.send(.like(key: key)) }

    /// Takes an item out of the feed and of all lists; the file stays.
    public func drop(key: String) { system.send(.drop(key: key)) }

    /// Ends it: nothing more is loaded or told.
    public func stop() { system.stop() }

    // MARK: Effects

    private static func loadPage(
        _ query: ListQuery, _ size: Int, _ connection: PickerConnection
    ) -> Feedback<FeedState, FeedMutation> {
        .react(to: { $0.pageRequest }) { request, send in
            let loading = connection.page(
                request.index, size: size, of: query, after: request.token)
            loading.then { outcome in
                switch outcome {
                case .success(let page): send(.pageLoaded(page))
                case .failure(let error) where error.refusal?.at == "token":
                    // Of a daemon that has been started again since. By number, it may repeat or skip.
                    connection.page(request.index, size: size, of: query).then { send($0.mutation) }
                case .failure(let error): send(.error(error))
                }
            }
            return .none
        }
    }

    private static func tellAction(
        _ connection: PickerConnection
    ) -> Feedback<FeedState, FeedMutation> {
        .react(to: { $0.nextAction }) { action, send in
            func done(_ failure: ClientError?) {
                send(failure.map { .refused(action.number, $0) } ?? .confirmed(action.number))
            }
            switch action.kind {
            case .like(let isLiked):
                connection.like(key: action.key, isLiked).then { done($0.failure) }
            case .drop:
                connection.drop(keys: [action.key]).then { done($0.failure) }
            }
            return .none
        }
    }
}

extension Result where Success == FeedPage, Failure == ClientError {
    fileprivate var mutation: FeedMutation {
        switch self {
        case .success(let page): .pageLoaded(page)
        case .failure(let error): .error(error)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
