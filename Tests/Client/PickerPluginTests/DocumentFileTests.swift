import Glibc
import JSONText
import PickerClient
import PickerPlugin
import SystemInterface
import TestSupport
import Testing

@Suite struct DocumentFileTests {
    /// What a reader does with a file that begins with a word.
    @Sendable static func parts() -> PluginParts {
        PluginParts(
            groups: [
                Group("text") { file in
                    let bytes = try file.read(upTo: 65_536)
                    let text = String(decoding: bytes, as: UTF8.self)
                    if text.hasPrefix("replace") {
                        // Another file takes its place meanwhile.
                        _ = unsafe rename(file.path + ".new", file.path)
                        _ = try file.read(upTo: 1)
                        if text.hasPrefix("replace again") { _ = try file.descriptor() }
                        return ["sample.length": bytes.count]
                    }
                    switch text {
                    case "retry": return .retry
                    case "retried": throw PluginError.retry
                    case "error":
                        throw PluginError("cut short:\n" + String(repeating: "ä", count: 300))
                    case "fault": throw PluginWireTests.Fault()
                    case "ask": try file.daemon.call("documents.get", RawJSON("{}"))
                    case "unknown": return ["sample.other": 1]
                    default: break
                    }
                    return bytes.isEmpty
                        ? .none : ["sample.first": text.prefix(9), "sample.length": bytes.count]
                },
                Group("any") { file, want in
                    let words = String(decoding: try file.read(upTo: 2000), as: UTF8.self)
                        .split(separator: " ", maxSplits: 2)
                    guard words.count > 2 else { return ["sample.words": want.sorted().joined()] }
                    let name = "sample.\(words[0])"
                    switch words[1] {
                    case "bool": return [name: words[2] == "true"]
                    case "int": return [name: Int(words[2])]
                    case "double": return [name: Double(words[2])]
                    default: return [name: String(words[2])]
                    }
                },
                Group("long") { _, want in
                    var attributes = Attributes()
                    for name in want {
                        attributes[name] = String(repeating: "\u{1}", count: 1024)
                    }
                    return attributes
                },
                Group(together: "batch") { files, _, answer in
                    for file in files {
                        switch file.name {
                        case "fail": try answer(file, .failure(PluginError("no good")))
                        case "end": throw PluginError("the disk is gone")
                        case "unmentioned": continue
                        default: try answer(file, .success(["sample.even": true]))
                        }
                    }
                },
            ], methods: [Method("sample.echo") { $0.parameters }])
    }

    private let folder: TemporaryFolder
    private let daemon: ScriptedDaemon

    init() throws {
        folder = try TemporaryFolder()
        daemon = try ScriptedDaemon(parts: Self.parts)
    }

    private func file(_ name: String, _ content: String) throws -> RawPath {
        try folder.write(name, content)
        return folder.rawPath(name)
    }

    private func seen(_ path: RawPath) throws -> JSONValue {
        let status = try FileStatus.of(path, followingLinks: true)
        return [
            .integer(Int64(status.inode)), .integer(Int64(status.size)),
            .integer(status.modified.seconds), .integer(Int64(status.modified.nanoseconds)),
        ]
    }

    @Test("values have what was opened, and only those that are wanted are sent")
    func values() throws {
        let one = try file("one", "text of one")
        let empty = try file("empty", "")
        try folder.makeLink("link", to: folder.path("one"))
        let answers = try daemon.extract("text", [one, empty, folder.rawPath("link")])
        #expect(
            answers[0] == [
                "values": ["sample.first": "text of o", "sample.length": 11], "seen": try seen(one),
            ])
        #expect(answers[1] == ["none": true, "seen": try seen(empty)])
        #expect(answers[2] == answers[0])
        let wanted = try daemon.extract("text", [one], want: ["sample.length", "other.thing"])
        #expect(wanted[0]["values"] == ["sample.length": 11])
        #expect(try daemon.extract("text", [one], want: ["other.thing"]) == [["none": true]])
        let any = try daemon.extract("any", [empty], want: ["sample.words", "sample.flag"])
        #expect(any[0]["values"] == ["sample.words": "sample.flagsample.words"])
    }

    @Test("a file of any kind costs at most its own answer")
    func hostile() throws {
        let good = try file("good", "good")
        let sparse = try file("sparse", "")
        let large = try OwnedDescriptor.open(sparse, flags: O_RDWR)
        try large.truncate(to: 5 << 30)
        #expect(unsafe mkfifo(folder.path("fifo"), 0o600) == 0)
        let listener = try UnixSocket.listen(at: folder.rawPath("socket"))
        let raw = try #require(folder.rawPath([0x66, 0xFF, 0x80]))
        _ = try OwnedDescriptor.open(raw, flags: O_CREAT | O_RDWR)
        try folder.makeLink("dangling", to: "nowhere")
        try folder.makeLink("round", to: "round")
        let paths = [
            good, folder.rawPath("missing"), sparse, folder.rawPath("fifo"),
            folder.rawPath("socket"), folder.rawPath, raw, folder.rawPath("dangling"),
            folder.rawPath("round"), RawPath("/dev/zero"), RawPath("/proc/self/status"),
            RawPath("relative"), good,
        ]
        let answers = try daemon.extract("text", paths)
        #expect(answers.count == paths.count)
        #expect(answers[0]["values"]?["sample.first"] == "good")
        #expect(answers[1]["error"] == "No such file or directory (ENOENT)")
        #expect(answers[2]["values"]?["sample.length"] == 65_536)
        #expect(answers[3]["error"] == "it is a named pipe or a device, not a file")
        #expect(answers[4]["error"] == "it is a socket, not a file")
        #expect(answers[5]["error"] == "it is a folder, not a file")
        #expect(answers[6]["none"] == true)
        #expect(answers[7]["error"] == "No such file or directory (ENOENT)")
        #expect(answers[8]["error"]?.stringValue?.contains("ELOOP") == true)
        #expect(answers[9]["error"] == "it is a named pipe or a device, not a file")
        #expect(answers[10]["values"]?["sample.first"]?.stringValue?.hasPrefix("Name:") == true)
        #expect(answers[11]["error"] == "a file of the request has no absolute path")
        #expect(answers[12] == answers[0])
        withExtendedLifetime(listener) {}
    }

    @Test("an unreadable file is an error of its own", .enabled(if: getuid() != 0))
    func unreadable() throws {
        let path = try file("secret", "x")
        _ = unsafe chmod(folder.path("secret"), 0)
        let answers = try daemon.extract("text", [path])
        #expect(answers[0]["error"]?.stringValue?.contains("EACCES") == true)
    }

    @Test("entries that name no file are errors of their own")
    func noFiles() throws {
        let good = ScriptedDaemon.file(try file("good", "good"))
        let files: [JSONValue] = [
            1, ["key": 2], ["path": 3], ["pathB64": "!"], ["pathB64": "L2EAYg=="], good,
        ]
        let answers = try daemon.request(
            "attributes.extract", ["group": "text", "files": .array(files)])["files"]
        for index in 0..<5 { #expect(answers?[index]?["error"] != nil, "\(index)") }
        #expect(answers?[5]?["values"] != nil)
        #expect(try daemon.error("attributes.extract", ["group": "none"])["code"] == -32602)
        #expect(
            try daemon.error("attributes.extract", ["group": "text", "files": 1])["code"] == -32602)
    }

    @Test("of a file that is replaced meanwhile, what was opened is told")
    func replaced() throws {
        let path = try file("a", "replace me")
        let before = try seen(path)
        _ = try file("a.new", "another one")
        #expect(
            try daemon.extract("text", [path])
                == [["values": ["sample.length": 10], "seen": before]])
        let again = try file("b", "replace again")
        _ = try file("b.new", "another one")
        #expect(try daemon.extract("text", [again]) == [["retry": true]])
    }

    @Test("an error is that of one file, in one line of 200 bytes")
    func errors() throws {
        let words = ["retry", "retried", "error", "fault", "unknown", "fine"]
        let answers = try daemon.extract("text", try words.map { try file($0, $0) })
        #expect(answers[0] == ["retry": true])
        #expect(answers[1] == ["retry": true])
        let text = try #require(answers[2]["error"]?.stringValue)
        #expect(text.hasPrefix("cut short: ää"))
        #expect(text.utf8.count == 199)
        #expect(answers[2]["seen"] != nil)
        #expect(answers[3]["error"] == "Fault()")
        #expect(answers[4]["error"] == "'sample.other' is no attribute of the manifest")
        #expect(answers[5]["values"] != nil)
    }

    @Test(
        "values are of their types",
        arguments: [
            ("flag bool true", true), ("count int -9", -9), ("share double 0.5", 0.5),
            ("share int 3", 3), ("when int 1763690000", 1_763_690_000),
            ("when double 1763690000.25", 1_763_690_000.25), ("words text é \"x\"", "é \"x\""),
            ("count double 1.0", nil), ("flag int 1", nil), ("share double nan", nil),
            ("when double inf", nil), ("words int 1", nil), ("count bool true", nil),
            ("share text 1", nil),
        ] as [(String, JSONValue?)])
    func types(_ content: String, _ value: JSONValue?) throws {
        let answer = try daemon.extract("any", [try file("x", content)])[0]
        let name = "sample." + content.prefix { $0 != " " }
        #expect(answer["values"]?[name] == value)
        if value == nil {
            #expect(answer["error"]?.stringValue?.contains(", and must be ") == true, "\(answer)")
        }
    }

    @Test("a long text is cut at a character")
    func longText() throws {
        let long = String(repeating: "x", count: 1023) + "é"
        let answer = try daemon.extract("any", [try file("x", "words text \(long)")])[0]
        #expect(answer["values"]?["sample.words"]?.stringValue?.utf8.count == 1023)
    }

    @Test("answers that do not fit into a line are asked for again, in their order")
    func manyAnswers() throws {
        let paths = try (0..<8).map { try file("f\($0)", "x") }
        let answers = try daemon.extract("long", paths)
        let full = answers.prefix { $0["values"] != nil }
        // 50 texts of 1,024 bytes, each byte six as JSON.
        #expect(full.count == 3)
        #expect(answers.dropFirst(full.count) == Array(repeating: ["retry": true], count: 5)[...])
    }

    @Test("a batch is answered by file, and an error is that of those not got to")
    func together() throws {
        let names = ["even", "fail", "unmentioned", "end", "after"]
        var paths = try names.map { try file($0, "x") }
        paths.insert(folder.rawPath("missing"), at: 1)
        let answers = try daemon.extract("batch", paths)
        #expect(answers[0]["values"] == ["sample.even": true])
        #expect(answers[1]["values"] == ["sample.even": true], "it opens no file")
        #expect(answers[2]["error"] == "no good")
        for index in 3...5 { #expect(answers[index]["error"] == "the disk is gone") }
    }

    @Test("a cancelled batch is given up, also within a call")
    func cancelled() throws {
        let paths = [try file("one", "one"), try file("ask", "ask"), try file("two", "two")]
        let id = try daemon.ask(
            "attributes.extract",
            ["group": "text", "files": .array(paths.map(ScriptedDaemon.file))])
        _ = try daemon.hears("documents.get")
        try daemon.send(#"{"method":"$/cancel","params":{"id":\#(id)}}"#)
        #expect(try daemon.error(of: id)["code"] == 1002)
        #expect(try daemon.extract("text", [paths[0]])[0]["values"] != nil)
    }

    @Test("a call that is refused is the error of its file")
    func refused() throws {
        let path = try file("ask", "ask")
        let id = try daemon.ask(
            "attributes.extract", ["group": "text", "files": [ScriptedDaemon.file(path)]])
        let call = try #require(try daemon.hears("documents.get")["id"])
        try daemon.send(#"{"id":\#(call),"error":{"code":1011,"message":"gone"}}"#)
        #expect(try daemon.result(of: id)["files"]?[0]?["error"] == "gone")
    }
}
