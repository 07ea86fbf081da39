import JSONText
import PickerModel
import PluginInterface
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("Files for plugins")
struct ExtractionTests {
    private let fixture: ExtractionFixture

    init() throws { fixture = try ExtractionFixture() }

    private func values(
        _ answer: ReadingOutcome.Answer
    ) throws -> (values: [String: AttributeValue], seen: ReadingOutcome.Seen?) {
        guard case .values(let values, let seen) = answer else {
            Issue.record("\(answer)")
            return ([:], nil)
        }
        return (values, seen)
    }

    private var warnings: [String] {
        fixture.house.reports.filter { $0.level == .warning }.map(\.message)
    }

    @Test(
        "A batch starts the process, which is sent its paths, what is wanted, and how urgent it is"
    )
    func wire() throws {
        #expect(fixture.house.state() == "waiting")
        let number = try fixture.read(
            [Array("/r/ä b.jpg".utf8), [0x2F, 0x72, 0x2F, 0xFF]], isUrgent: true)
        let process = try fixture.ready()
        let request = try #require(fixture.asked(process).first)
        let expected: JSONValue = [
            "group": "header", "want": ["image.width"], "priority": 0,
            "files": [
                ["key": "f0", "path": "/r/ä b.jpg", "type": "image/jpeg", "size": 7],
                ["key": "f1", "pathB64": "L3Iv/w==", "type": "image/jpeg", "size": 7],
            ],
        ]
        #expect(request["params"] == expected)
        fixture.answer(
            request, [["values": ["image.width": 4], "seen": [1, 2, 3, 4]], ["none": true]],
            of: process)
        #expect(fixture.outcomes[number]?.answers.count == 2)
        _ = try fixture.read(1)
        #expect(fixture.asked(process).first?["params"]?["priority"] == 1)
        #expect(warnings.isEmpty)
    }

    @Test("Values of all types are taken, and what the process has seen")
    func types() throws {
        let long = String(repeating: "x", count: 1024)
        let found = try values(
            fixture.answer(
                """
                {"values":{"image.width":-9223372036854775808,"image.ratio":1,"image.taken":1.5,\
                "image.camera":"\(long)","image.gps":false},\
                "seen":[18446744073709551615,7,-3,999999999]}
                """))
        #expect(
            found.values == [
                "image.width": .integer(.min), "image.ratio": .number(1),
                "image.taken": .time(1.5), "image.camera": .text(long),
                "image.gps": .boolean(false),
            ])
        #expect(
            found.seen
                == ReadingOutcome.Seen(
                    inode: .max, size: 7,
                    modified: PickerModel.FileTime(seconds: -3, nanoseconds: 999_999_999)))
        #expect(warnings.isEmpty)
    }

    @Test(
        "A value of another type or of another name, or one too long, is left out, and told once",
        arguments: [
            #""image.width":1.5"#, #""image.width":"4""#, #""image.width":9223372036854775808"#,
            #""image.ratio":"x""#, #""image.ratio":true"#, #""image.taken":{}"#,
            #""image.camera":5"#, "LONG", #""image.gps":1"#, #""image.height":5"#,
            #""image.faces":5"#, #""":1"#,
        ])
    func liars(_ member: String) throws {
        let member =
            member == "LONG"
            ? "\"image.camera\":\"\(String(repeating: "é", count: 512))x\"" : member
        let right = member.contains("image.gps") ? #""image.width":3"# : #""image.gps":true"#
        for _ in 0..<2 {
            let found = try values(
                fixture.answer(#"{"values":{\#(member),\#(right)},"seen":[1,2,3,4]}"#))
            #expect(found.values.count == 1)
            #expect(found.values["image.gps"] == .boolean(true) || right.contains("width"))
        }
        #expect(warnings.count == 1, "\(warnings)")
        #expect(warnings.first?.contains("as its manifest says") == true)
    }

    @Test("A value that is null is none, without a word")
    func null() throws {
        #expect(
            try values(fixture.answer(#"{"values":{"image.width":null},"seen":[1,2,3,4]}"#)).values
                == [:])
        #expect(warnings.isEmpty)
    }

    @Test(
        "An answer for a file that is no answer is a failure",
        arguments: [
            "5", "null", "[]", "{}", #"{"values":5}"#, #"{"values":[]}"#, #"{"none":false}"#,
            #"{"retry":"yes"}"#, #"{"error":7}"#,
        ])
    func noAnswer(_ text: String) throws {
        guard case .failed = try fixture.answer(text) else {
            Issue.record("it was taken")
            return
        }
        #expect(warnings.count == 1)
    }

    @Test("'error', 'retry' and 'none' are what they say")
    func others() throws {
        guard case .failed("truncated") = try fixture.answer(#"{"error":"truncated"}"#),
            case .later = try fixture.answer(#"{"retry":true}"#),
            case .none(let seen) = try fixture.answer(#"{"none":true,"seen":[1,2,3,4]}"#)
        else {
            Issue.record("one is taken for something else")
            return
        }
        #expect(seen?.inode == 1)
        #expect(warnings.isEmpty)
    }

    @Test(
        "Without 'seen', or with one that is none, what is at the path counts: here nothing",
        arguments: [
            "", #","seen":null"#, #","seen":[1,2,3]"#, #","seen":[1,2,3,4,5]"#,
            #","seen":[-1,2,3,4]"#, #","seen":[1,2,3,1000000000]"#, #","seen":[1,2,3,-1]"#,
            #","seen":[1.5,2,3,4]"#, #","seen":["1",2,3,4]"#, #","seen":{"inode":1}"#,
        ])
    func unseen(_ seen: String) throws {
        let found = try values(fixture.answer(#"{"values":{"image.width":1}\#(seen)}"#))
        #expect(found.seen == nil)
    }

    @Test("Without 'seen' the file at the path is looked at")
    func looked() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.jpg", "1234567")
        folder.setModified("a.jpg", seconds: 77, nanoseconds: 5)
        let number = try fixture.read([Array(folder.path("a.jpg").utf8)])
        let process = try fixture.ready()
        fixture.answer(try #require(fixture.asked(process).first), [["none": true]], of: process)
        guard case .none(let seen)? = fixture.outcomes[number]?.answers.first else {
            Issue.record("it was not taken")
            return
        }
        #expect(seen?.size == 7)
        #expect(seen?.modified == PickerModel.FileTime(seconds: 77, nanoseconds: 5))
    }

    @Test(
        "An answer for another number of files, or without any, refuses the batch",
        arguments: [
            #"{"files":[]}"#, #"{"files":[{"none":true}]}"#,
            #"{"files":[{"none":true},{"none":true},{"none":true}]}"#, "{}", "[]", "null", "7",
            #"{"files":{"0":{"none":true},"1":{"none":true}}}"#,
        ])
    func count(_ result: String) throws {
        let number = try fixture.read(2)
        let process = try fixture.ready()
        let request = try #require(fixture.asked(process).first)
        process.send([
            "id": request["id"] ?? .null, "result": try JSONValue(parsing: Array(result.utf8)),
        ])
        fixture.house.loop.turn()
        #expect(fixture.outcomes[number]?.isRefused == true)
        #expect(warnings.count == 1)
        #expect(fixture.house.state() == "ready")
    }

    @Test("An answer that comes too late refuses the batch, and is not taken for another")
    func late() throws {
        let first = try fixture.read(1)
        let process = try fixture.ready()
        let request = try #require(fixture.asked(process).first)
        fixture.house.loop.advance(by: .milliseconds(2100))
        #expect(fixture.outcomes[first]?.isRefused == true)
        let second = try fixture.read(1)
        let next = try #require(fixture.asked(process).first)
        fixture.answer(
            request, [["values": ["image.width": 1], "seen": [1, 2, 3, 4]]], of: process)
        #expect(fixture.outcomes[second] == nil)
        fixture.answer(next, [["none": true]], of: process)
        #expect(fixture.outcomes[second]?.answers.count == 1)
        #expect(fixture.house.state() == "ready")
    }

    @Test("An error of the plugin refuses a batch, and so does one that is too long for a line")
    func refused() throws {
        let first = try fixture.read(1)
        let process = try fixture.ready()
        let request = try #require(fixture.asked(process).first)
        process.send(["id": request["id"] ?? .null, "error": ["code": -1, "message": "no"]])
        fixture.house.loop.turn()
        #expect(fixture.outcomes[first]?.isRefused == true)
        let long = try fixture.read(
            (0..<64).map { _ in [UInt8](repeating: 1, count: 4096) })
        #expect(fixture.outcomes[long]?.isRefused == true)
        #expect(fixture.house.state() == "ready")
    }
}
