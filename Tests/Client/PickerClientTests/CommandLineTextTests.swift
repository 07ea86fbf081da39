import JSONText
import PickerClient
import TerminalCells
import Testing
import WireProtocol
import pickerctl

/// What is typed to pickerctl, before anything is asked of the daemon.
@Suite struct CommandLineTextTests {
    private static let commands = ["list", "watch", "feed", "get", "layout", "stats"]

    @Test(
        "A mistyped command gets a suggestion",
        arguments: [
            (["lst"], "'list'"), (["--socket", "list", "wach", "-n", "3"], "'watch'"),
            (["help", "gte"], "'get'"), (["frobnicate"], "'frobnicate': 'pickerctl --help'"),
            (["help", "frobnicate"], "'frobnicate': 'pickerctl --help'"),
        ])
    func commands(_ arguments: [String], _ hint: String) throws {
        let error = #expect(throws: UnknownCommand.self) {
            try CommandNames.check(arguments, among: Self.commands)
        }
        #expect(error?.description.contains(hint) == true)
    }

    @Test(
        "Possibly valid arguments are left to the parser",
        arguments: [
            [], ["--help"], ["help"], ["help", "list"], ["list", "lst"],
            ["--color=auto", "get", "x"],
        ])
    func sound(_ arguments: [String]) throws {
        try CommandNames.check(arguments, among: Self.commands)
    }

    @Test("A condition may begin with a hyphen, where no option has it as its value")
    func negations() {
        func spelled(_ arguments: String...) -> [String] {
            CommandNames.spellingOutNegations(arguments)
        }
        #expect(spelled("list", "-type:pdf", "--json") == ["list", "not:type:pdf", "--json"])
        #expect(spelled("stats", "-(is:liked or x:y)") == ["stats", "not:(is:liked or x:y)"])
        #expect(spelled("list", "-s", "-a:b", "-n", "3") == ["list", "-s", "-a:b", "-n", "3"])
        #expect(spelled("list", "--", "-a:b") == ["list", "--", "-a:b"])
        #expect(spelled("get", "-a:b") == ["get", "-a:b"])
        #expect(spelled("list", "--sort=-a:b", "-3") == ["list", "--sort=-a:b", "-3"])
    }

    @Test("Arguments that are not UTF-8 keep their bytes")
    func rawArguments() {
        for bytes: [UInt8] in [
            [], [0x61], [0x61, 0xFF, 0x62], [0x80], Array("é\u{10FFFE}".utf8),
            [0xC3, 0x28, 0xC3, 0xA9],
            Array(1...255),
        ] {
            #expect(RawArguments.bytes(of: RawArguments.text(of: bytes)) == bytes)
        }
    }

    @Test("Paths are resolved from the current folder, then from each watched folder")
    func candidates() {
        let finder = DocumentFinder(
            roots: [
                .init("/home/u/Documents", alsoCalled: [Array("/data/docs".utf8)]), .init("/srv"),
            ], folders: [Array("/data/docs/Work".utf8)])
        func candidates(_ path: String) -> [[String]] {
            finder.candidates(for: Array(path.utf8)).map { group in
                group.map { String(decoding: $0, as: UTF8.self) }
            }
        }
        #expect(
            candidates("a.ods") == [
                ["/home/u/Documents/Work/a.ods"], ["/home/u/Documents/a.ods", "/srv/a.ods"],
            ])
        #expect(candidates("../b") == [["/home/u/Documents/b"], []])
        #expect(candidates("/srv//x/./y/../z") == [["/srv/x/z"]])
        #expect(candidates("/etc/passwd") == [[]] && candidates("/srv") == [[]])
        #expect(candidates("../../../..") == [[], []])
    }

    private static let item = ListItem(
        ItemRecord(
            DocumentRecord(
                key: "f1", name: WireName(text: "a\u{FFFD}", bytes: [0x61, 0xFF]),
                path: WireName(text: "b/a\u{FFFD}", bytes: [0x62, 0x2F, 0x61, 0xFF]),
                root: "/", size: 5, modified: 1.5, type: "text/plain", liked: true)))

    @Test("A format's members are filled in byte by byte")
    func format() throws {
        func row(_ format: String) throws -> [UInt8] {
            try RowFormat(format, endingWith: 0).bytes(of: Self.item)
        }
        #expect(try row("{root}{path}") == Array("/b/a".utf8) + [0xFF])
        #expect(try row("{absolutePath}") == Array("/b/a".utf8) + [0xFF])
        #expect(
            try row("{{{key}}} {size}\\t{modified}\\n{type}\\\\ {liked}{dropped}é")
                == Array("{f1} 5\t1.5\ntext/plain\\ truefalseé".utf8))
        for wrong in ["{", "{}", "{nme}", "x{name"] {
            #expect(throws: CommandError.self) { _ = try RowFormat(wrong, endingWith: 0) }
        }
    }

    @Test("Notifications of a watch have absolute paths, and no row for a new document")
    func notifications() throws {
        func text(_ line: String, _ edits: [ListEdit] = [], hidingNew: Bool = true) throws
            -> JSONValue
        {
            let shown = WatchedNotifications(hidingNew: hidingNew, from: 0)
                .text(Array(line.utf8), edits)
            return try JSONValue(parsing: shown)["params"] ?? .null
        }
        let row = #"{"kind":"document","key":"f1","path":"a","root":"/r"}"#
        let reset =
            #"{"method":"items.reset","params":{"total":3,"start":0,"items":[{"kind":"new","key":"new"},\#(row)]}}"#
        let shown = try text(reset)
        #expect(shown["total"] == 2 && shown["items"]?.arrayValue?.count == 1)
        #expect(shown["items"]?[0]?["absolutePath"] == "/r/a")
        #expect(try text(reset, hidingNew: false)["total"] == 3)
        let delta =
            #"{"method":"items.delta","params":{"total":3,"start":0,"deleted":[1],"moved":[[2,1]],"inserted":[[3,\#(row)]],"updated":[[2,{"path":"b"}],[1,{"size":1}]]}}"#
        let moved = ListItem(
            ItemRecord(
                DocumentRecord(
                    key: "f2", name: WireName("b"), path: WireName("b"), root: "/other", size: 0,
                    modified: 0, type: "")))
        let change = try text(delta, [.updated(moved, at: 2, before: moved)])
        #expect(change["deleted"] == [0] && change["moved"] == [[1, 0]])
        #expect(change["inserted"]?[0]?[0] == 2)
        #expect(change["inserted"]?[0]?[1]?["absolutePath"] == "/r/a")
        #expect(change["updated"]?[0] == [1, ["path": "b", "absolutePath": "/other/b"]])
        #expect(change["updated"]?[1] == [0, ["size": 1]])
        let other = #"{"method":"x" ,"params":{"items":[]}}"#
        #expect(WatchedNotifications(hidingNew: true, from: 0).text(Array(other.utf8), []) == other)
    }

    @Test("JSON for terminals has escaped control characters")
    func json() throws {
        let text = "{\"a\":\"é\u{9B}\u{7F}\u{202E}\u{200D}\u{E0001}日\"}"
        let spelled = VisibleText.escaped(json: text)
        #expect(spelled == "{\"a\":\"é\\u009b\\u007f\\u202e\u{200D}\\udb40\\udc01日\"}")
        #expect(try JSONValue(parsing: spelled) == JSONValue(parsing: text))
    }

    @Test("One long name shifts only its own line")
    func columns() {
        var table = Table([Table.Column(flexible: true), Table.Column()])
        let long = String(repeating: "x", count: 240)
        table.add([long, "1"])
        table.add(["a", "2"])
        let lines = table.takeLines()
        #expect(lines == [long + "  1", "a" + String(repeating: " ", count: 41) + "2"])
        table.add(["b", "3"])
        #expect(table.takeLines() == ["b" + String(repeating: " ", count: 41) + "3"])
    }
}
