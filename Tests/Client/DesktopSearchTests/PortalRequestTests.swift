import DesktopSearch
import Testing

@Suite struct PortalRequestTests {
    private let conditions = FilterConditions(MediaGlobs(globs: []))

    private func arguments(_ request: PortalRequest) -> [String] {
        request.arguments(socket: "/s", conditions)
    }

    @Test("what is asked for is a picker's arguments")
    func opening() {
        var request = PortalRequest(.openFile)
        #expect(
            arguments(request) == [
                "pick", "--portal", "/s", "--header", "Open", "--in", "documents", "--", "", "",
            ])
        request.title = "-Title\u{1B}"
        request.application = "org.app"
        request.isMultiple = true
        request.folder = Array("/a b".utf8)
        request.filters = [
            PortalFilter(name: "Texts", rules: [PortalFilter.Rule(kind: 0, text: "*.txt")])
        ]
        let words = arguments(request)
        #expect(words[4] == "-Title\\x1b · org.app · Texts")
        #expect(words[5...] == ["--multi", "--in", "documents", "--", "type:txt ", "/a b"])
        request.isFolder = true
        #expect(arguments(request)[5...] == ["--directory", "--", "/a b"])
        #expect(arguments(request)[4] == "-Title\\x1b · org.app")
    }

    @Test("a file is saved under the name, or in the place, of the one that there is")
    func saving() {
        var request = PortalRequest(.saveFile)
        request.name = "a/new.txt"
        request.folder = Array("/f".utf8)
        #expect(arguments(request)[5...] == ["--save", "new.txt", "--", "/f"])
        request.file = Array("/g/old.txt".utf8)
        #expect(arguments(request)[5...] == ["--save", "old.txt", "--", "/g"])
        request.kind = .saveFiles
        #expect(arguments(request)[5...] == ["--directory", "--", "/f"])
    }

    @Test(
        "a folder that can't be opened is left out",
        arguments: [[], Array("/".utf8), Array("//".utf8), Array("a".utf8), [0x2F, 0xFF]])
    func folders(_ folder: [UInt8]) {
        var request = PortalRequest(.openFile)
        request.folder = folder
        #expect(arguments(request).last?.isEmpty == true)
    }

    @Test("a choice that nobody is asked for has its default")
    func choices() {
        func answer(_ options: [String], _ selected: String) -> String {
            PortalRequest.Choice(id: "c", options: options, selected: selected).answer
        }
        #expect(answer(["a", "b"], "b") == "b")
        #expect(answer(["a", "b"], "") == "a")
        #expect(answer([], "true") == "true")
        #expect(answer([], "") == "false")
    }

    @Test("files that are saved together overwrite nothing, not even one another")
    func names() {
        var request = PortalRequest(.saveFiles)
        let names = ["a.txt", "a.txt", "b", "b", ".c", ".c", "x/y", "..", "", "a (1).txt"]
        request.files = names.map { Array($0.utf8) }
        let taken: Set<[UInt8]> = [Array("/f/b".utf8)]
        let paths = request.paths(in: Array("/f".utf8)) { taken.contains($0) }
        #expect(
            paths.map { String(decoding: $0, as: UTF8.self) } == [
                "/f/a.txt", "/f/a (1).txt", "/f/b (1)", "/f/b (2)", "/f/.c", "/f/.c (1)", "/f/y",
                "/f/file", "/f/file (1)", "/f/a (1) (1).txt",
            ])
        request.files = [Array("a".utf8)]
        #expect(request.paths(in: [0x2F]) { _ in false } == [Array("/a".utf8)])
    }
}
