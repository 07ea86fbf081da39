internal import StateFeedback

/// A list that is loaded page by page as it is read, with likes and drops.
///
/// The pages fit together despite changes of the folders: an item that does not change is on exactly one of
/// them. Items are not updated; for that there is ``LiveList``. A feed belongs to the thread of its
/// connection, which it retains.
public final class Feed {
    /// The current state.
    public var state: FeedState { system.state }
    /// Called with each state after the first.
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
    ///   - query: the items and their order. Its window has no effect.
    ///   - pageSize: the number of items of a page, from 1 to 1,000.
    ///   - connection: the connection to the daemon.
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

    /// Reports that the item at `index` is visible. At the last item the next page is loaded, unless that
    /// is under way or there is none. After a failure only ``loadNextPage()`` retries.
    public func show(itemAt index: Int) {
        guard index == state.items.count - 1, state.failure == nil else { return }
        loadNextPage()
    }

    /// Loads the next page, also after a failure. Has no effect if there is none or it is being loaded.
    public func loadNextPage() { system.send(.loadNextPage) }

    /// Toggles the like of an item.
    public func like(key: String) { system.send(.like(key: key)) }

    /// Removes an item from the feed and from all lists; the file stays.
    public func drop(key: String) { system.send(.drop(key: key)) }

    /// Ends the feed: nothing more is loaded or reported.
    public func stop() { system.stop() }

    // MARK: Effects

    private static func loadPage(
        _ query: ListQuery, _ size: Int, _ connection: PickerConnection
    ) -> Feedback<FeedState, FeedMutation> {
        .react(to: { $0.pageRequest }) { request, send in
            func load(after token: String?) -> Reply<FeedPage> {
                connection.send(.page(request.index, size: size, of: query, after: token))
            }
            load(after: request.token).then { outcome in
                switch outcome {
                case .success(let page): send(.pageLoaded(page))
                case .failure(let error) where error.refusal?.at == "token":
                    // The daemon has restarted since the token was made. A page found by number may repeat
                    // or skip items.
                    load(after: nil).then { send($0.mutation) }
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
                connection.send(.like(key: action.key, isLiked)).then { done($0.failure) }
            case .drop:
                connection.send(.drop(keys: [action.key])).then { done($0.failure) }
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
