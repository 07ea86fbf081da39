import EventLoops
import Foundation
import PickerClient
import TestSupport
import Testing

@Suite struct QueryBuilderTests {
    private func recent(onlyLiked: Bool) -> PickerQuery {
        PickerQuery {
            Search("report")
            Where { $0.size > 1_000_000 && $0.type == .pdf && !$0.path.matches("drafts/**") }
            if onlyLiked { Where { $0.liked } }
            Sort(.modified, .descending)
            Window(0..<50)
        }
    }

    @Test("a query is its parts, as `where` and as text")
    func parts() {
        let query = recent(onlyLiked: true)
        #expect(
            query
                == ListQuery(
                    sort: ["-modified"], search: "report",
                    filter: .all([
                        .size(.greater, 1_000_000), .suffix(["pdf"]), !.path("drafts/**"), .liked,
                    ]), count: 50))
        #expect(
            query.filter?.json.text
                == #"["allof",["size","gt",1000000],["suffix","pdf"],"#
                + #"["not",["path","drafts/**"]],["liked"]]"#)
        #expect(
            query.text
                == "report size:>1M type:pdf -path:drafts/** is:liked sort:-modified limit:50")
        #expect(recent(onlyLiked: false).filter?.text == "size:>1M type:pdf -path:drafts/**")
    }

    @Test("of the members that items carry, the last list counts, and a query without one keeps it")
    func members() {
        let base = PickerQuery { Fields("name") }
        let query = PickerQuery {
            base
            Fields("name", "size")
            PickerQuery { Sort(.size) }
        }
        #expect(query == ListQuery(sort: ["size"], fields: ["name", "size"]))
        #expect(base.fields == ["name"])
    }

    @Test("of several texts the last counts, with how it matches; highlights are asked for once")
    func searches() {
        let base = PickerQuery {
            Search("rep", match: .fuzzy)
            Highlights()
            Sort(.score)
        }
        #expect(
            base == ListQuery(sort: ["score"], search: "rep", match: .fuzzy, highlights: true))
        let words = PickerQuery {
            base
            Search("report 2026", match: .words)
        }
        #expect(words.search == "report 2026" && words.match == .words && words.highlights)
        let plain = PickerQuery {
            base
            ListQuery(search: "x")
        }
        #expect(plain.search == "x" && plain.match == nil && plain.sort == ["score"])
        let ranked = PickerQuery {
            Search("y")
            ListQuery(match: .fuzzy)
        }
        #expect(ranked == ListQuery(search: "y", match: .fuzzy))
    }

    private enum Kind { case papers, pictures, all }

    private func query(_ kind: Kind, without folders: [String], newestFirst: Bool) -> PickerQuery {
        PickerQuery {
            switch kind {
            case .papers: Where { $0.type.isOne(of: [.pdf, .markdown]) }
            case .pictures: Where { $0.type == .image }
            case .all: Where(true)
            }
            for folder in folders { Where { !$0.path.matches("\(folder)/**") } }
            if newestFirst {
                Sort(.modified, .descending)
            } else {
                Sort(.name)
            }
        }
    }

    @Test("switch, for and if with else choose the parts")
    func control() {
        #expect(
            query(.papers, without: ["a", "b"], newestFirst: true)
                == ListQuery(
                    sort: ["-modified"],
                    filter: .all([
                        .suffix(["pdf", "md", "markdown"]), !.path("a/**"), !.path("b/**"),
                    ])))
        #expect(
            query(.pictures, without: [], newestFirst: false)
                == ListQuery(sort: ["name"], filter: .suffix(DocumentType.image.suffixes)))
        #expect(query(.all, without: [], newestFirst: false) == ListQuery(sort: ["name"]))
    }

    @Test("a query is a part of another: conditions and keys add up, of the rest the last counts")
    func composed() {
        let base = PickerQuery {
            Search("a")
            Where { $0.liked }
            Sort(.size)
            Window(10..<20)
        }
        let query = PickerQuery {
            base
            Search("b")
            Where { $0.liked && $0.name != "x" }
            Sort(.name, .descending)
        }
        #expect(
            query
                == ListQuery(
                    sort: ["size", "-name"], search: "b", filter: .all([.liked, !.name("x")]),
                    start: 10, count: 10))
        let last = PickerQuery {
            query
            Window(5...)
            Search("")
            ListQuery(sort: ["date"], fields: ["name"])
        }
        #expect(last.start == 5 && last.count == nil && last.search == nil)
        #expect(last.sort == ["size", "-name", "date"] && last.fields == ["name"])
        #expect(PickerQuery {} == ListQuery())
        let dated = PickerQuery {
            Sort(.liked, .descending)
            Sort(.date)
        }
        #expect(dated.sort == ["-liked", "date"])
    }

    @Test("every field, with what it can be compared with")
    func fields() {
        func made(_ condition: (DocumentFields) -> PickerFilter) -> String? {
            PickerQuery { Where(condition) }.filter?.text
        }
        let limit = 5
        #expect(made { $0.size >= limit && $0.size != 7 } == "size:>=5 size:!=7")
        #expect(
            made { $0.size == 5 || $0.size < 2 || $0.size <= 1 }
                == "(size:5 or size:<2 or size:<=1)")
        #expect(made { $0.size > -1 } == nil)
        #expect(made { $0.size < -1 } == "-is:any")
        let moment = Timestamp(100)
        #expect(
            made { $0.modified > moment && $0.modified != Timestamp(0) }
                == "modified:>1970-01-01T00:01:40Z modified:!=1970-01-01T00:00:00Z")
        #expect(made { $0.modified < moment - .seconds(40) } == "modified:<1970-01-01T00:01:00Z")
        #expect(made { $0.type != "tex" } == "-type:tex")
        #expect(
            made { $0.name == "a" || $0.name.matches("*.B", ignoringCase: true) }
                == "(name:a or imatch:*.B)")
        #expect(made { $0.attribute("pdf.pages") >= 10 } == "attr:pdf.pages>=10")
        #expect(made { $0[.imageWidth] > 4000 } == "attr:image.width>4000")
        #expect(made { $0["pdf.title"].contains("a b") } == #"attr:pdf.title~"a b""#)
        #expect(made { $0["pdf.title"].hasPrefix("a") } == #"attr:pdf.title^"a""#)
        #expect(made { $0[.gitState].isKnown } == "attr:git.state=*")
        #expect(made { true && $0.liked } == "is:liked")
        #expect(made { !(!$0.liked) || false } == "is:liked")
    }

    @Test("ages count back from the clock")
    func ages() throws {
        let before = Timestamp.now
        guard
            case .modified(.greater, let seconds)? = PickerQuery({
                Where { $0.modified > .daysAgo(7) }
            }).filter?.node
        else {
            Issue.record("not a comparison of times")
            return
        }
        let age = Timestamp.now.seconds - seconds
        #expect(age >= 7 * 86_400 && age <= 7 * 86_400 + Timestamp.now.seconds - before.seconds)
        #expect(Timestamp.ago(.seconds(60)) < .now)
    }
}

/// The compiler's word on conditions: with the control that it knows the modules at all.
@Suite struct QueryCompilerTests {
    private struct Compiler {
        let program: String
        let arguments: [String]
        let folder: TemporaryFolder

        init() throws {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let candidates = path.split(separator: ":").map { "\($0)/swiftc" }
            program = try #require(
                candidates.first { FileManager.default.isExecutableFile(atPath: $0) },
                "no swiftc in PATH")
            let products = URL(fileURLWithPath: try SpawnedProcess.built("pickerctl"))
                .resolvingSymlinksInPath().deletingLastPathComponent().path
            let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../Sources").standardizedFileURL.path
            // The modules in C that the library's own files use: one of the system, two of the package.
            let modules = [
                "\(sources)/System/CJSONC/module.modulemap",
                "\(products)/CLinux.build/module.modulemap",
                "\(sources)/Libraries/CSwiftRuntime/include/module.modulemap",
            ]
            arguments =
                ["-typecheck", "-swift-version", "6", "-I", products + "/Modules"]
                + modules.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
            folder = try TemporaryFolder()
        }

        /// Whether the compiler takes it, and what it says.
        func takes(_ body: String) throws -> (isTaken: Bool, words: String) {
            let file = folder.path("snippet.swift")
            try "import PickerClient\nlet onlyLiked = true\n\(body)\n"
                .write(toFile: file, atomically: true, encoding: .utf8)
            let process = try SpawnedProcess(
                program, arguments + [file],
                environment: ProcessInfo.processInfo.environment)
            let exit = process.waitForExit()
            return (exit == .exited(code: 0), process.standardError)
        }
    }

    private func query(_ condition: String) -> String {
        "let query = PickerQuery { Where { \(condition) } }"
    }

    @Test("valid comparisons compile, and the compiler rejects invalid ones")
    func comparisons() throws {
        let compiler = try Compiler()
        let good = """
            let query = PickerQuery {
                Search("report")
                Where { $0.size > 1_000_000 && $0.type == .pdf && !$0.path.matches("drafts/**") }
                if onlyLiked { Where { $0.liked } }
                Sort(.modified, .descending)
                Window(0..<50)
            }
            """
        let control = try compiler.takes(good)
        try #require(control.isTaken, "the control does not compile: \(control.words)")
        // What the compiler says names what it is about.
        let bad: [(String, says: String)] = [
            (query("$0.size > \"x\""), "DocumentField<Int>"),
            (query("$0.size > 1.5"), "DocumentField<Int>"),
            (query("$0.size > $0.modified"), "DocumentField<Timestamp>"),
            (query("$0.modified < 5"), "DocumentField<Timestamp>"),
            (query("$0.type == 5"), "DocumentField<DocumentType>"),
            (query("$0.type > .pdf"), "DocumentField<DocumentType>"),
            (query("$0.name < \"a\""), "DocumentField<DocumentName>"),
            (query("$0.path == 3"), "DocumentField<DocumentPath>"),
            (query("$0.liked == 3"), "PickerFilter"), (query("$0.size > 5 && 3"), "PickerFilter"),
            (query("$0.size"), "PickerFilter"), (query("$0.sise > 5"), "sise"),
            (query("$0.size.matches(\"*\")"), "matches"),
            ("let query = PickerQuery { 5 }", "QueryPart"),
            ("let query = PickerQuery { Sort(.colour) }", "colour"),
            ("let query = PickerQuery { Window(\"a\"..<\"b\") }", "Range<String>"),
        ]
        for (body, says) in bad {
            let result = try compiler.takes(body)
            #expect(!result.isTaken, "it compiles: \(body)")
            #expect(
                result.words.contains("snippet.swift:3:") && result.words.contains(says),
                "\(body): \(result.words)")
        }
    }
}
