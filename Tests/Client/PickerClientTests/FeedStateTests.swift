// The feed as a value, and the feed against a daemon by script.

import JSONText
import PickerClient
import TestSupport
import Testing
import WireProtocol

extension FeedState {
    fileprivate func after(_ mutations: FeedMutation...) -> FeedState {
        mutations.reduce(self, FeedState.reduce)
    }

    fileprivate func requests(_ index: Int, after token: String?) -> Bool {
        pageRequest?.index == index && pageRequest?.token == token
    }

    fileprivate var names: [String] {
        items.map { $0.isLiked ? "♥\($0.name ?? "new")" : $0.name ?? "new" }
    }
}

private func page(
    _ names: [String], next: Int? = nil, token: String? = "t", count: Int = 9
) -> FeedPage {
    FeedPage(
        ItemsPage(
            count: count, results: names.map { .sample($0) }, nextPageIndex: next,
            previousPageIndex: nil, rev: 1, token: token))
}

@Suite struct FeedStateTests {
    private let failure = ClientError(.disconnected, "gone")

    @Test("The initial state is empty and requests the first page")
    func first() {
        let state = FeedState()
        #expect(state.items.isEmpty && state.shouldLoadNext && state.nextPage == 1)
        #expect(state.requests(1, after: nil))
    }

    @Test("A page is appended; the next is loaded on request")
    func pages() {
        var state = FeedState().after(.pageLoaded(page(["a", "b"], next: 2, token: "t1")))
        #expect(state.names == ["a", "b"] && state.count == 9)
        #expect(state.pageRequest == nil)
        state = state.after(.loadNextPage)
        #expect(state.requests(2, after: "t1"))
        #expect(state.after(.loadNextPage) == state)
        state = state.after(.pageLoaded(page(["c"], next: nil)))
        #expect(state.names == ["a", "b", "c"] && state.nextPage == nil)
        #expect(state.after(.loadNextPage) == state, "there is no further page")
    }

    @Test("A failure keeps the items, and can be retried")
    func failures() {
        var state = FeedState().after(
            .pageLoaded(page(["a"], next: 2)), .loadNextPage, .error(failure))
        #expect(state.names == ["a"] && state.failure == failure)
        #expect(state.pageRequest == nil && state.nextPage == 2)
        state = state.after(.loadNextPage)
        #expect(state.requests(2, after: "t") && state.failure == nil)
        #expect(FeedState().after(.error(failure), .loadNextPage).pageRequest?.index == 1)
    }

    @Test("A changed item that comes again keeps its position, with new content")
    func again() {
        var changed = ItemRecord.sample("a", size: 77)
        changed.liked = true
        let second = FeedPage(
            ItemsPage(
                count: 3, results: [.sample("c"), changed], nextPageIndex: nil,
                previousPageIndex: 1, rev: 2))
        let state = FeedState().after(
            .pageLoaded(page(["a", "b"], next: 2)), .loadNextPage, .pageLoaded(second))
        #expect(state.names == ["♥a", "b", "c"] && state.items[0].size == 77)
    }

    // MARK: Against a daemon

    /// Serves 45 items in pages.
    private func makeBench() throws -> Bench {
        let bench = try Bench()
        bench.server.respond = { request, client in
            guard let reader = try? request.reader() else { return }
            switch request.method {
            case "items.page":
                let index = (try? reader.int("index")) ?? 0
                let size = (try? reader.int("size")) ?? 0
                let rows = min(45, (index - 1) * size)..<min(45, index * size)
                let next: JSONValue = rows.upperBound < 45 ? JSONValue(index + 1) : .null
                let previous: JSONValue = index > 1 ? JSONValue(index - 1) : .null
                client.reply(
                    request,
                    [
                        "count": 45, "nextPageIndex": next, "previousPageIndex": previous,
                        "results": .array(rows.map { Self.json(.sample("n\($0)")) }), "rev": 3,
                        "token": .string("t\(index)"),
                    ])
            default: client.reply(request, [:])
            }
        }
        return bench
    }

    private static func json(_ item: ItemRecord) -> JSONValue {
        (try? JSONValue(parsing: item.wireBytes)) ?? .null
    }

    @Test("The next page is loaded on request, once, with the token of the last")
    func pagesInOrder() throws {
        let bench = try makeBench()
        let feed = Feed(ListQuery(sort: ["-size"]), pageSize: 20, on: try bench.connect())
        #expect(bench.loop.reach { feed.state.items.count == 20 })
        #expect(!feed.state.shouldLoadNext)
        feed.loadNextPage()
        feed.loadNextPage()
        #expect(bench.loop.reach { feed.state.items.count == 40 })
        feed.loadNextPage()
        #expect(bench.loop.reach { feed.state.items.count == 45 })
        feed.loadNextPage()
        #expect(!feed.state.shouldLoadNext && feed.state.nextPage == nil)
        #expect(feed.state.items.map { $0.name ?? "" } == (0..<45).map { "n\($0)" })
        let requests = try bench.server.requests.map { try $0.paramsValue() }
        #expect(
            requests == [
                ["sort": ["-size"], "index": 1, "size": 20],
                ["sort": ["-size"], "index": 2, "size": 20, "token": "t1"],
                ["sort": ["-size"], "index": 3, "size": 20, "token": "t2"],
            ])
    }

    @Test("A failed page is reported, and loaded again by a retry")
    func retry() throws {
        let bench = try makeBench()
        let serve = bench.server.respond
        let feed = Feed(on: try bench.connect())
        #expect(bench.loop.reach { feed.state.items.count == 20 })
        bench.server.respond = { $1.refuse($0, .overloaded(retryAfterMs: 5, "busy")) }
        feed.loadNextPage()
        #expect(bench.loop.reach { feed.state.failure != nil })
        #expect(feed.state.failure?.isRefusal(.overloaded) == true)
        #expect(feed.state.items.count == 20)
        #expect(!feed.state.shouldLoadNext)
        bench.server.respond = serve
        feed.loadNextPage()
        #expect(bench.loop.reach { feed.state.items.count == 40 })
    }

    @Test("A page with an expired token is loaded by number")
    func staleToken() throws {
        let bench = try makeBench()
        let serve = bench.server.respond
        let feed = Feed(on: try bench.connect())
        #expect(bench.loop.reach { feed.state.items.count == 20 })
        bench.server.respond = { request, client in
            if (try? request.reader().optionalString("token")) ?? nil != nil {
                client.refuse(request, .invalidParams(at: "token", "of another run"))
            } else {
                serve(request, client)
            }
        }
        feed.loadNextPage()
        #expect(bench.loop.reach { feed.state.items.count == 40 })
        #expect(bench.server.requests.count == 3)
    }

    @Test("A lost connection is an ordinary failure, and retains nothing")
    func lost() throws {
        let bench = try makeBench()
        var feed: Feed? = Feed(on: try bench.connect())
        weak let weakFeed = feed
        #expect(bench.loop.reach { feed?.state.items.count == 20 })
        bench.server.stop()
        feed?.loadNextPage()
        #expect(bench.loop.reach { feed?.state.failure?.code == .disconnected })
        feed = nil
        #expect(weakFeed == nil)
    }
}
