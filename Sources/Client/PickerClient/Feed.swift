internal import StateFeedback

/// A list that is loaded page by page as it is read.
///
/// The pages fit together despite changes of the folders: an item that does not change is on exactly one of
/// them. Items are not updated; for that there is ``LiveList``. A feed belongs to the thread of its
/// connection, which it retains.
package final class Feed {
    /// The current state.
    package var state: FeedState { system.state }
    /// Called with each state after the first.
    package var onChange: ((FeedState) -> Void)?

    private let system: FeedbackSystem<FeedState, FeedMutation>

    /// Opens a feed, and asks for the first page.
    ///
    /// - Parameters:
    ///   - query: the items and their order. Its window has no effect.
    ///   - pageSize: the number of items of a page, from 1 to 1,000.
    ///   - connection: the connection to the daemon.
    package init(
        _ query: ListQuery = ListQuery(), pageSize: Int = 20, on connection: PickerConnection
    ) {
        weak var feed: Feed?
        system = FeedbackSystem(
            initial: FeedState(), reduce: FeedState.reduce,
            feedback: [
                .observe { feed?.onChange?($0) },
                Self.loadPage(query, pageSize, connection),
            ])
        feed = self
    }

    /// Loads the next page, also after a failure. Has no effect if there is none or it is being loaded.
    package func loadNextPage() { system.send(.loadNextPage) }

    private static func loadPage(
        _ query: ListQuery, _ size: Int, _ connection: PickerConnection
    ) -> Feedback<FeedState, FeedMutation> {
        .react(to: { $0.pageRequest }) { request, send in
            func load(after token: String?) -> Reply<FeedPage> {
                connection.send(.page(request.index, size: size, of: query, after: token))
            }
            func finish(_ outcome: Reply<FeedPage>.Outcome) {
                switch outcome {
                case .success(let page): send(.pageLoaded(page))
                case .failure(let error): send(.error(error))
                }
            }
            load(after: request.token).then { outcome in
                if case .failure(let error) = outcome, error.refusal?.at == "token" {
                    // The daemon has restarted since the token was made. A page found by number may repeat
                    // or skip items.
                    load(after: nil).then { finish($0) }
                } else {
                    finish(outcome)
                }
            }
            return .none
        }
    }
}
