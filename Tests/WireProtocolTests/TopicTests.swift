import Testing
import WireProtocol

@Suite struct TopicTests {
    @Test(
        "sound topics pass",
        arguments: [
            "a", "a.b", "app.saved", "0", "a-b.c-1", "-", String(repeating: "a", count: 128),
        ])
    func sound(_ text: String) throws {
        #expect(try Topic(validating: text).text == text)
    }

    @Test(
        "others are refused",
        arguments: [
            "", ".", "a.", ".a", "a..b", "A", "a b", "a_b", "é", "*", "a.*", "!a", "a\n",
            String(repeating: "a", count: 129),
        ])
    func unsound(_ text: String) {
        let error = #expect(throws: ProtocolError.self) { try Topic(validating: text) }
        #expect(error?.kind == .invalidParams)
        #expect(error?.at == "topic")
    }

    @Test("the daemon's own are told from others")
    func reserved() throws {
        for text in ["documents.x", "daemon.a.b", "watch.x", "layout.x", "plugin.x", "items.x"] {
            #expect(try Topic(validating: text).isReserved)
        }
        for text in ["documents", "document.x", "documentsx.a", "app.documents.x", "x"] {
            #expect(try !Topic(validating: text).isReserved)
        }
    }

    @Test(
        "filters match as the protocol says",
        arguments: [
            (["*"], "a.b", true), (["a.*"], "a.b", true), (["a.*"], "a.b.c", true),
            (["a.*"], "a", false), (["a.*"], "ab.c", false), (["a"], "a", true),
            (["a"], "a.b", false), (["a.b"], "a", false), (["*", "!a.b"], "a.b", false),
            (["*", "!a.b"], "a.b.c", true), (["!a.*", "*"], "a.b", false),
            (["*", "!*"], "a", false), (["a.*", "b", "!a.c.*"], "a.c.d", false),
            (["a.*", "b", "!a.c.*"], "a.c", true), (["a.*", "b"], "b", true),
        ] as [([String], String, Bool)])
    func matching(_ patterns: [String], _ topic: String, _ expected: Bool) throws {
        let filter = try TopicFilter(validating: patterns)
        #expect(filter.matches(try Topic(validating: topic)) == expected)
    }

    @Test(
        "filters that are none are refused, at their place",
        arguments: [
            ([""], "topics[0]"), (["a", "!"], "topics[1]"), (["a*"], "topics[0]"),
            (["a.*.b"], "topics[0]"), (["**"], "topics[0]"), (["!!a"], "topics[0]"),
            (["a", ".*"], "topics[1]"), ([], "topics"), (["!a"], "topics"),
            ([String](repeating: "a", count: 257), "topics"),
        ] as [([String], String)])
    func refused(_ patterns: [String], _ path: String) {
        let error = #expect(throws: ProtocolError.self) { try TopicFilter(validating: patterns) }
        #expect(error?.at == path)
    }
}
