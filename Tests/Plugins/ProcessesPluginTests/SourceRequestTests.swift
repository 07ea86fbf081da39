import JSONText
import Observables
import PickerModel
import PluginInterface
import PluginProcesses
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("What a source sends") struct SourceRequestTests {
    private typealias Fixture = SourceFixture

    private struct Refusal {
        let method: String
        let params: JSONValue
        let code: JSONValue
        let message: String
    }

    private static let refusals: [Refusal] = [
        Refusal(
            method: "source.change", params: Fixture.change(from: 6, to: 8), code: 1013,
            message: "a change from revision 6 does not follow revision 7: send a reset"),
        Refusal(
            method: "source.change", params: Fixture.change(from: 8, to: 9), code: 1013,
            message: "a change from revision 8 does not follow revision 7: send a reset"),
        Refusal(
            method: "source.change", params: Fixture.change(from: 7, to: 7), code: -32602,
            message: "'to' must be greater than 'from'"),
        Refusal(
            method: "source.change", params: ["source": "albums"], code: -32602,
            message: "'from' is missing"),
        Refusal(
            method: "source.change", params: ["source": "albums", "from": 7, "to": 8, "put": 1],
            code: -32602, message: "'put' must be an array"),
        Refusal(
            method: "source.change",
            params: ["source": "albums", "from": 7, "to": 8, "removed": [1]], code: -32602,
            message: "'removed"),
        Refusal(
            method: "source.reset", params: Fixture.reset(rev: 8, chunk: 1), code: 1013,
            message: "a reset must begin with chunk 0, not 1"),
        Refusal(
            method: "source.reset", params: ["source": "albums", "rev": 8, "chunk": 0],
            code: -32602, message: "'last' is missing"),
        Refusal(
            method: "source.change",
            params: Fixture.change(
                from: 7, to: 8,
                put: Fixture.items(["1"], ["x": .string(String(repeating: "x", count: 256 << 10))])),
            code: 1008, message: "; 262144 at most: send several"),
    ]

    @Test(
        "one that is refused changes nothing, and only a reset is accepted then", arguments: 0..<9)
    func refusals(_ number: Int) throws {
        let refusal = Self.refusals[number]
        let fixture = try Fixture()
        let process = try fixture.watching()
        let revision = fixture.documents.rev
        let error = fixture.ask(refusal.method, refusal.params, of: process)?["error"]
        #expect(error?["code"] == refusal.code)
        #expect(
            error?["message"]?.stringValue?.contains(refusal.message) == true, "\(error ?? .null)")
        #expect(fixture.documents.rev == revision && fixture.state == .watching)
        let next = fixture.ask("source.change", Fixture.change(from: 7, to: 8), of: process)?[
            "error"]
        #expect(
            next?["code"] == 1013
                && next?["message"] == "a reset must come, or be ended, before a change")
        let reset = fixture.ask(
            "source.reset", Fixture.reset(rev: 12, put: Fixture.items(["9"])), of: process)
        #expect(reset?["result"] == [:] && fixture.names() == ["n9"])
        let change = fixture.ask(
            "source.change", Fixture.change(from: 12, to: 13, removed: ["9"]), of: process)
        #expect(change?["result"] == [:] && fixture.names().isEmpty)
        let told = fixture.house.reports.filter { $0.level == .warning }
        #expect(told.count == 1 && told[0].message.contains(refusal.message))
    }

    @Test("after a fault it is not resumed, as nobody knows what it has")
    func epochAfterFault() throws {
        let fixture = try Fixture()
        let process = try fixture.watching()
        _ = fixture.ask("source.change", Fixture.change(from: 6, to: 8), of: process)
        process.end(.exited(1))
        fixture.loop.turn()
        fixture.wait(1)
        #expect(try fixture.answerOpen(fixture.greet()) == ["source": "albums"])
    }

    @Test(
        "of changes that nobody could answer yet, the fifth is refused, and those before it with it"
    )
    func fifth() throws {
        let fixture = try Fixture()
        let process = try fixture.watching()
        fixture.documents.hold.begin()
        let ids = (0..<5).map {
            fixture.post(
                "source.change",
                Fixture.change(from: 7 + $0, to: 8 + $0, put: Fixture.items(["x\($0)"])),
                from: process)
        }
        let errors = ids.map { fixture.answer(to: $0, of: process)?["error"] }
        #expect(errors.map { $0?["code"] } == [1013, 1013, 1013, 1013, 1008])
        #expect(errors[0]?["message"] == "a change before it was refused: send a reset")
        #expect(
            errors[4]?["message"] == "4 changes of 'albums' are not answered yet: wait until one is"
        )
        #expect(errors[4]?["data"]?["limit"] == 4)
        fixture.documents.hold.end()
        fixture.loop.turn()
        #expect(fixture.names() == ["n1", "n2"])
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 20, put: Fixture.items(["3"])), of: process)
        #expect(fixture.names() == ["n3"])
    }

    @Test("four may be under way, and are answered in their order")
    func four() throws {
        let fixture = try Fixture()
        let process = try fixture.watching()
        fixture.documents.hold.begin()
        let ids = (0..<4).map {
            fixture.post(
                "source.change",
                Fixture.change(from: 7 + $0, to: 8 + $0, put: Fixture.items(["x\($0)"])),
                from: process)
        }
        #expect(ids.allSatisfy { fixture.answer(to: $0, of: process) == nil })
        fixture.documents.hold.end()
        #expect(ids.allSatisfy { fixture.answer(to: $0, of: process)?["result"] == [:] })
        #expect(fixture.names() == ["n1", "n2", "nx0", "nx1", "nx2", "nx3"])
    }

    @Test("what is no source, or not open, is refused, and does no harm")
    func notOpen() throws {
        let fixture = try Fixture()
        let process = try fixture.watching()
        func message(_ method: String, _ params: JSONValue) -> JSONValue? {
            fixture.ask(method, params, of: process)?["error"]?["message"]
        }
        #expect(
            message("source.change", Fixture.change(from: 0, to: 1, of: "none"))
                == "the manifest of 'image' has no source 'none'")
        #expect(message("source.change", [:]) == "'source' is missing; it must be a string")
        #expect(
            message("source.change", Fixture.change(from: 0, to: 1, of: "shops"))
                == "the source 'shops' is not open: it is asked for when it is wanted")
        let unknown = fixture.ask("source.other", Fixture.change(from: 7, to: 8), of: process)
        #expect(unknown?["error"]?["code"] == -32601)
        #expect(fixture.state == .watching)
        // It is where it was.
        let change = fixture.ask(
            "source.change", Fixture.change(from: 7, to: 8, removed: ["1"]), of: process)
        #expect(change?["result"] == [:] && fixture.names() == ["n2"])
    }

    @Test("before it has answered source.open it is not open")
    func beforeOpen() throws {
        let fixture = try Fixture()
        fixture.openList()
        let process = try fixture.greet()
        let early = fixture.ask(
            "source.reset", Fixture.reset(rev: 7, put: Fixture.items(["1"])), of: process)
        #expect(
            early?["error"]?["message"] == "the source is not open: answer source.open first")
        #expect(fixture.names().isEmpty)
        try fixture.answerOpen(process, rev: 7)
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 7, put: Fixture.items(["2"])), of: process)
        #expect(fixture.state == .watching && fixture.names() == ["n2"])
    }

    @Test(
        "an item that is faulty is left out, and the answer says why",
        arguments: [
            (#"{"name":"x"}"#, "'put[1].id' is missing"),
            (#"{"id":"x"}"#, "'put[1].name' is missing"),
            (#"{"id":"","name":"x"}"#, "'put[1].id' must be 1 to 1024 bytes long"),
            (#"{"id":"x","name":1}"#, "'put[1].name' must be a string"),
            (#"{"id":"x","name":"x","size":-1}"#, "'put[1].size' must be"),
            (#"{"id":"x","name":"x","size":1.5}"#, "'put[1].size' must be"),
            (
                #"{"id":"x","name":"x","modified":1e300}"#,
                "'put[1].modified' must be seconds since 1970"
            ),
            (#"{"id":"x","name":"x","modified":"now"}"#, "'put[1].modified' must be"),
            (#"{"id":"x","name":"x","uri":7}"#, "'put[1].uri' must be a string"),
            (#"{"id":"x","name":"x","type":7}"#, "'put[1].type' must be a string"),
            (#"{"id":"x","name":"x","id":"y"}"#, "'id'"), ("7", "'put[1]' must be an object"),
        ])
    func faultyItems(item: String, reason: String) throws {
        let fixture = try Fixture()
        let process = try fixture.watching()
        // Two members of one name are sent as they are.
        let line = """
            {"id":"q","method":"source.change","params":{"source":"albums","from":7,"to":8,"put":\
            [{"id":"3","name":"n3"},\(item),{"id":"4","name":"n4"},7]}}
            """
        process.send(text: line)
        let result = fixture.answer(to: "q", of: process)?["result"]
        #expect(result?["leftOut"] == 2)
        #expect(result?["reason"]?.stringValue?.contains(reason) == true, "\(result ?? .null)")
        #expect(fixture.names() == ["n1", "n2", "n3", "n4"], "the others are taken")
        let change = fixture.ask(
            "source.change", Fixture.change(from: 8, to: 9, removed: ["3"]), of: process)
        #expect(change?["result"] == [:])
        #expect(fixture.house.reports.filter { $0.level == .warning }.count == 1)
    }

    @Test("the longest parts of an item that are taken, and those that are longer")
    func longItems() throws {
        let fixture = try Fixture()
        let process = try fixture.watching([])
        func text(_ count: Int) -> JSONValue { .string(String(repeating: "x", count: count)) }
        let item: JSONObject = ["id": "1", "name": "n"]
        func reason(_ member: String, _ value: JSONValue) -> JSONValue? {
            var changed = item
            changed[member] = value
            let rev =
                (fixture.ask(
                    "source.reset", Fixture.reset(rev: 8, put: .array([.object(changed)])),
                    of: process))
            return rev?["result"]?["reason"]
        }
        #expect(reason("id", text(1024)) == nil && fixture.names().count == 1)
        #expect(
            reason("id", text(1025))?.stringValue?.hasPrefix(
                "'put[0].id' must be 1 to 1024 bytes long") == true)
        #expect(reason("uri", text(8192)) == nil && fixture.names().count == 1)
        #expect(
            reason("uri", text(8193))?.stringValue?.hasPrefix(
                "'put[0].uri' must be at most 8192 bytes long") == true)
        #expect(reason("x", text(65_000)) == nil)
        #expect(
            reason("x", text(65_536))?.stringValue?.hasSuffix("; 65536 at most") == true)
        #expect(reason("name", text(5000)) == nil && fixture.names().first?.utf8.count == 255)
    }

    @Test("an edit is that of its parts in their order: what is removed is removed first")
    func removedAndPut() throws {
        let fixture = try Fixture()
        let ids = (0..<200).map { "\($0)" }
        let process = try fixture.watching(ids)
        let change = fixture.ask(
            "source.change",
            Fixture.change(
                from: 7, to: 8, removed: ids, put: Fixture.items(["150", "a"], ["size": 9])),
            of: process)
        #expect(change?["result"] == [:] && fixture.names() == ["n150", "na"])
    }

    @Test("changes are taken in slices, between which others are served")
    func slices() throws {
        let fixture = try Fixture()
        let process = try fixture.watching([])
        let ids = (0..<2000).map { "\($0)" }
        let put = fixture.post(
            "source.change", Fixture.change(from: 7, to: 8, put: Fixture.items(ids)), from: process)
        func most() -> Int {
            var most = 0
            var before = fixture.documents.sources.count
            while fixture.loop.runOne() {
                let now = fixture.documents.sources.count
                most = max(most, abs(now - before))
                before = now
            }
            return most
        }
        #expect(most() == HostedSource.itemsAtOnce)
        #expect(
            fixture.answer(to: put, of: process)?["result"] == [:] && fixture.names().count == 2000)
        // A reset that has none of them.
        let reset = fixture.post("source.reset", Fixture.reset(rev: 9), from: process)
        #expect(most() == HostedSource.itemsAtOnce)
        #expect(fixture.answer(to: reset, of: process)?["result"] == [:] && fixture.names().isEmpty)
        fixture.documents.checkInvariants()
    }

    @Test("a change that all sources together have no room for is refused")
    func limits() throws {
        let fixture = try Fixture()
        let process = try fixture.watching()
        var limits = DocumentSources.Limits()
        limits.items = 3
        fixture.documents.sources.limit(to: limits)
        let error = fixture.ask(
            "source.change", Fixture.change(from: 7, to: 8, put: Fixture.items(["3", "4"])),
            of: process)?["error"]
        #expect(error?["code"] == 1008 && error?["data"]?["limit"] == 3)
        #expect(
            error?["message"]
                == "all sources together may have 3 items: this one has too many")
        #expect(fixture.names() == ["n1", "n2"])
        let reset = fixture.ask(
            "source.reset", Fixture.reset(rev: 9, put: Fixture.items(["1", "2", "3"])), of: process)
        #expect(reset?["result"] == [:] && fixture.names() == ["n1", "n2", "n3"])
        limits.items = 10
        limits.bytes = 1000
        fixture.documents.sources.limit(to: limits)
        let bytes = fixture.ask(
            "source.change",
            Fixture.change(
                from: 9, to: 10,
                put: Fixture.items(["4"], ["uri": .string(String(repeating: "u", count: 900))])),
            of: process)?["error"]
        #expect(bytes?["code"] == 1008 && bytes?["data"]?["limit"] == 1000)
        #expect(
            bytes?["message"]
                == "what all sources together have takes more than 1000 bytes: send fewer items")
    }

    @Test("the facts of an item, and its values of attributes that somebody offers")
    func items() throws {
        let fixture = try Fixture()
        let process = try fixture.watching([])
        _ = fixture.ask(
            "source.change",
            Fixture.change(
                from: 7, to: 8,
                put: [
                    [
                        "id": "1", "name": "a/b", "uri": "https://example.org/", "size": 12,
                        "modified": 1_700_000_000.25, "type": "Inode/Directory", "image.width": 40,
                        "image.height": 7, "other": [],
                    ],
                    [
                        "id": "2", "name": "b.md", "uri": .null, "type": "no/such",
                        "image.width": "wide",
                    ],
                ]), of: process)
        let answer = fixture.house.call(
            "items.get",
            [
                "in": ["image:albums"],
                "fields": ["name", "size", "modified", "type", "image.width", "uri"],
                "sort": ["image.width", "uri"],
            ])
        let items = answer?["result"]?["items"]?.arrayValue?.filter { $0["name"] != nil } ?? []
        try #require(items.count == 2, "\(answer ?? .null)")
        #expect(items[0]["name"] == "a\u{2215}b" && items[0]["size"] == 12)
        #expect(items[0]["type"] == "inode/directory" && items[0]["image.width"] == 40)
        #expect(
            items[0]["uri"] == "https://example.org/" && items[0]["modified"] == 1_700_000_000.25)
        #expect(items[1]["type"] == "text/markdown" && items[1]["size"] == 0)
        #expect(items[1]["image.width"] == nil && items[1]["uri"] == nil)
    }
}
