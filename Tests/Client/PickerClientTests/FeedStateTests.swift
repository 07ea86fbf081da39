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

    fileprivate var names: [String] {
        items.map { $0.isLiked ? "♥\($0.name ?? "new")" : $0.name ?? "new" }
    }
}

private func page(
    _ names: [String], next: Int? = nil, token: String? = "t", count: Int = 9
) -> FeedPage {
    FeedPage(
        count: count, results: names.map { ListItem(ItemRecord.sample($0)) }, nextPageIndex: next,
        previousPageIndex: nil, rev: 1, token: token)
}

@Suite struct FeedStateTests {
    private let failure = ClientError(.disconnected, "gone")

    @Test("The initial state is empty and requests the first page")
    func first() {
        let state = FeedState()
        #expect(state.items.isEmpty && state.shouldLoadNext && state.nextPage == 1)
        #expect(state.pageRequest == .init(index: 1, token: nil))
    }

    @Test("A page is appended; the next is loaded on request")
    func pages() {
        var state = FeedState().after(.pageLoaded(page(["a", "b"], next: 2, token: "t1")))
        #expect(state.names == ["a", "b"] && state.count == 9)
        #expect(state.pageRequest == nil)
        state = state.after(.loadNextPage)
        #expect(state.pageRequest == .init(index: 2, token: "t1"))
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
        #expect(state.pageRequest == .init(index: 2, token: "t") && state.failure == nil)
        #expect(FeedState().after(.error(failure), .loadNextPage).pageRequest?.index == 1)
    }

    @Test("A changed item that comes again keeps its position, with new content")
    func again() {
        var changed = ItemRecord.sample("a", size: 77)
        changed.liked = true
        let second = FeedPage(
            count: 3, results: [ListItem(.sample("c")), ListItem(changed)], nextPageIndex: nil,
            previousPageIndex: 1, rev: 2)
        let state = FeedState().after(
            .pageLoaded(page(["a", "b"], next: 2)), .loadNextPage, .pageLoaded(second))
        #expect(state.names == ["♥a", "b", "c"] && state.items[0].size == 77)
    }

    @Test("A like takes effect at once and is sent; if refused, it is undone")
    func likes() throws {
        let loaded = FeedState().after(.pageLoaded(page(["a", "b"])))
        let liked = loaded.after(.like(key: "k-b"))
        #expect(liked.names == ["a", "♥b"])
        let action = try #require(liked.nextAction)
        #expect(action.key == "k-b" && action.kind == .like(true))
        #expect(liked.after(.confirmed(action.number)).names == ["a", "♥b"])
        #expect(liked.after(.confirmed(action.number)).nextAction == nil)
        let refused = liked.after(.refused(action.number, failure))
        #expect(refused.names == ["a", "b"] && refused.actionFailure == failure)
        #expect(loaded.after(.like(key: "nobody")) == loaded)
    }

    @Test("A second like before the first answer ends with the daemon's state")
    func toggled() {
        let state = FeedState().after(
            .pageLoaded(page(["a"])), .like(key: "k-a"), .like(key: "k-a"))
        let numbers = state.actions.map(\.number)
        #expect(state.actions.map(\.kind) == [.like(true), .like(false)])
        #expect(state.names == ["a"])
        for (first, second, names) in [
            (true, true, ["a"]), (true, false, ["♥a"]), (false, true, ["a"]),
            (false, false, ["a"]),
        ] {
            let end = state.after(
                first ? .confirmed(numbers[0]) : .refused(numbers[0], failure),
                second ? .confirmed(numbers[1]) : .refused(numbers[1], failure))
            #expect(end.names == names, "\(first) \(second)")
            #expect(end.actions.isEmpty)
        }
    }

    @Test("A drop takes effect at once; if refused, the item returns to its position")
    func drops() throws {
        let state = FeedState().after(
            .pageLoaded(page(["a", "b", "c"], next: 2)), .drop(key: "k-b"))
        #expect(state.names == ["a", "c"])
        let action = try #require(state.nextAction)
        let later = state.after(.loadNextPage, .pageLoaded(page(["b", "d"])))
        #expect(later.names == ["a", "c", "d"], "what is dropped does not come back by a page")
        #expect(later.after(.refused(action.number, failure)).names == ["a", "b", "c", "d"])
        #expect(later.after(.confirmed(action.number)).names == ["a", "c", "d"])
        let last = FeedState().after(.pageLoaded(page(["a", "b"])), .drop(key: "k-b"))
        #expect(last.after(.refused(1, failure)).names == ["a", "b"])
        let both = last.after(.drop(key: "k-a"))
        #expect(
            both.after(.refused(1, failure), .refused(2, failure)).names.sorted() == ["a", "b"])
    }

    @Test(
        "The row for a new document can't be liked or dropped; stray answers are ignored"
    )
    func strange() {
        let first = FeedPage(
            count: 1, results: [ListItem(.new)], nextPageIndex: nil, previousPageIndex: nil, rev: 1)
        let state = FeedState().after(.pageLoaded(first))
        #expect(state.after(.like(key: "new"), .drop(key: "new")) == state)
        #expect(state.after(.confirmed(5), .refused(6, failure)) == state)
    }

    // MARK: Against a daemon

    /// Serves 45 items in pages, and takes likes and drops until told otherwise.
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
            case "items.like": client.reply(request, ["liked": true])
            default: client.reply(request, [:])
            }
        }
        return bench
    }

    private static func json(_ item: ItemRecord) -> JSONValue {
        (try? JSONValue(parsing: item.wireBytes)) ?? .null
    }

    @Test("The next page is loaded when the last item is shown, once, with the token of the last")
    func scrolling() throws {
        let bench = try makeBench()
        let feed = Feed(ListQuery(sort: ["-size"]), pageSize: 20, on: try bench.connect())
        #expect(bench.loop.reach { feed.state.items.count == 20 })
        feed.show(itemAt: 5)
        feed.show(itemAt: 18)
        #expect(!feed.state.shouldLoadNext)
        feed.show(itemAt: 19)
        feed.show(itemAt: 19)
        #expect(bench.loop.reach { feed.state.items.count == 40 })
        feed.show(itemAt: 39)
        #expect(bench.loop.reach { feed.state.items.count == 45 })
        feed.show(itemAt: 44)
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

    @Test("A failed page is reported, and loaded again by a retry but not by scrolling")
    func retry() throws {
        let bench = try makeBench()
        let serve = bench.server.respond
        let feed = Feed(on: try bench.connect())
        #expect(bench.loop.reach { feed.state.items.count == 20 })
        bench.server.respond = { $1.refuse($0, .overloaded(retryAfterMs: 5, "busy")) }
        feed.show(itemAt: 19)
        #expect(bench.loop.reach { feed.state.failure != nil })
        #expect(feed.state.failure?.isRefusal(.overloaded) == true)
        #expect(feed.state.items.count == 20)
        feed.show(itemAt: 19)
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

    @Test("Likes and drops are sent in order, one at a time, while pages load")
    func actions() throws {
        let bench = try makeBench()
        let serve = bench.server.respond
        bench.server.respond = { request, client in
            if request.method == "items.drop" {
                client.refuse(request, .overloaded(retryAfterMs: 5, "the disk is full"))
            } else {
                serve(request, client)
            }
        }
        let feed = Feed(on: try bench.connect())
        #expect(bench.loop.reach { feed.state.items.count == 20 })
        var states = 0
        feed.onChange = { _ in states += 1 }
        feed.like(key: "k-n1")
        feed.drop(key: "k-n2")
        feed.like(key: "k-n3")
        feed.loadNextPage()
        #expect(feed.state.items.prefix(4).map(\.key) == ["k-n0", "k-n1", "k-n3", "k-n4"])
        #expect(bench.loop.reach { feed.state.actions.isEmpty && feed.state.items.count == 40 })
        #expect(feed.state.items.prefix(4).map(\.isLiked) == [false, true, false, true])
        #expect(feed.state.items.prefix(4).map(\.key) == ["k-n0", "k-n1", "k-n2", "k-n3"])
        #expect(
            bench.server.methods.filter { $0 != "items.page" }
                == ["items.like", "items.drop", "items.like"])
        #expect(states == 8)
        feed.stop()
        feed.like(key: "k-n0")
        #expect(states == 8 && !feed.state.items[0].isLiked)
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
