import DataBus
import Observables
import Testing

@Suite("Topics")
struct TopicTests {
    @Test(
        "match according to the patterns",
        arguments: [
            (["*"], "a.b", true), (["a.*"], "a.b", true), (["a.*"], "a.b.c", true),
            (["a.*"], "a", false), (["a.*"], "ab.c", false), (["a"], "a", true),
            (["a"], "a.b", false), (["a.b"], "a", false), (["*", "!a.b"], "a.b", false),
            (["*", "!a.b"], "a.b.c", true), (["!a.*", "*"], "a.b", false),
            (["*", "!*"], "a", false), (["a.*", "b", "!a.c.*"], "a.c.d", false),
            (["a.*", "b", "!a.c.*"], "a.c", true), (["a.*", "b"], "b", true),
            (["*"], "", true), (["*"], "Ä b", true), (["a"], "a\u{301}", false),
            (["a.*"], "a.\u{301}", true), (["k"], "\u{212A}", false),
        ] as [([String], String, Bool)])
    func matching(_ patterns: [String], _ topic: String, _ expected: Bool) throws {
        #expect(try TopicFilter(patterns).matches(topic) == expected)
    }

    @Test(
        "that are invalid patterns are refused, with the position, the reason and the valid form",
        arguments: [
            ([""], 0), (["a", "!"], 1), (["a*"], 0), (["a.*.b"], 0), (["**"], 0), (["!!a"], 0),
            (["a", ".*"], 1), (["A"], 0), (["a..b"], 0), (["a.", "b"], 0), (["é"], 0),
            ([String(repeating: "a", count: 129)], 0),
        ] as [([String], Int)])
    func noPattern(_ patterns: [String], _ position: Int) {
        let error = #expect(throws: TopicError.self) { try TopicFilter(patterns) }
        #expect(error?.code == .noPattern)
        #expect(error?.position == position)
        let words = "must be '*', a topic, or a topic and '.*', with or without '!' in front"
        #expect(error?.description.contains(words) == true)
        #expect(error?.description.hasPrefix("'\(patterns[position].prefix(60))") == true)
        #expect((error?.description.count ?? 0) < 150)
    }

    @Test("that form no filter are refused")
    func noFilter() {
        let many = [String](repeating: "a", count: TopicFilter.mostPatterns)
        #expect(throws: Never.self) { try TopicFilter(many) }
        let tooMany = #expect(throws: TopicError.self) { try TopicFilter(many + ["a"]) }
        #expect(tooMany?.code == .tooManyPatterns)
        #expect(tooMany?.description == "257 topics; 256 at most")
        for patterns in [[], ["!a"]] {
            let error = #expect(throws: TopicError.self) { try TopicFilter(patterns) }
            #expect(error?.code == .nothingWanted)
            #expect(error?.position == nil)
            #expect(error?.description == "no topic is asked for; '*' is everything")
        }
    }

    @Test("in literals must be valid")
    func literals() async {
        let filter: TopicFilter = ["!a.b", "a.*"]
        #expect(filter.description == "a.*, !a.b")
        await #expect(processExitsWith: .failure) {
            let _: TopicFilter = ["a..b"]
        }
    }

    @Test("select a subscriber's events of any type, kept or sent")
    func subscribing() {
        let bus = EventBus()
        bus << Saved()
        bus << Opened()
        var seen: [String] = []
        let connection = bus.subscribe(topics: ["app.*", "!app.opened.*"], replaying: 1) {
            seen.append("\($0.sequence) \($0.event.topic)")
        }
        bus << Saved()
        bus << OpenedAgain()
        bus << Described(value: 0, topic: "other", retainedBytes: 0)
        bus << Described(value: 0, topic: "app.x", retainedBytes: 0)
        #expect(seen == ["2 app.opened", "3 app.saved", "6 app.x"])
        connection.disconnect()
        bus << Saved()
        #expect(seen.count == 3)
    }
}
