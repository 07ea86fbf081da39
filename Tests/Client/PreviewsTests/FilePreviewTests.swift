import Foundation
import Glibc
import Picking
import Previews
import SystemInterface
import TerminalCells
import TestSupport
import Testing

@Suite("The preview of a file")
struct FilePreviewTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ bytes: [UInt8]) throws -> String {
        let path = folder.path("file")
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func lines(_ bytes: [UInt8]) throws -> [String]? {
        FilePreview.content(of: try write(bytes)).text
    }

    @Test("A text is shown line by line")
    func text() throws {
        #expect(try lines(Array("one\ntwo\r\n\nfour".utf8)) == ["one", "two", "", "four"])
        #expect(try lines(Array("\n".utf8)) == [""])
    }

    @Test("A tab leads to the next fourth column, behind wide characters too")
    func tabs() throws {
        #expect(
            try lines(Array("\tx\na\tb\nabcd\te\n日\tx".utf8)) == [
                "    x", "a   b", "abcd    e", "日  x",
            ])
    }

    @Test("What a terminal would obey is spelled out")
    func controls() throws {
        let shown = try lines(Array("\u{1B}[2J\u{7}\u{9B}1m\u{202E}\u{7F}\ra".utf8))
        #expect(shown == ["\\x1b[2J\\x07\\x9b1m\\u{202e}\\x7f\\ra"])
    }

    @Test("Bytes that are not UTF-8 are replaced, and the rest stays")
    func invalid() throws {
        #expect(
            try lines([0x61, 0xFF, 0x62, 0x0A, 0xC3, 0x0A, 0xC3, 0xA4]) == [
                "a\u{FFFD}b", "\u{FFFD}", "ä",
            ])
    }

    @Test("UTF-16 is told by its mark, in both orders")
    func utf16() throws {
        let units = Array("ab→𝄞\nx".utf16)
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(try lines([0xFF, 0xFE] + little) == ["ab→𝄞", "x"])
        #expect(try lines([0xFE, 0xFF] + big) == ["ab→𝄞", "x"])
        #expect(try lines([0xFF, 0xFE] + little + [0x61]) == ["ab→𝄞", "x\u{FFFD}"])
        #expect(try lines([0xFF, 0xFE]) == [])
    }

    @Test("A mark of UTF-8 is not shown")
    func mark() throws {
        #expect(try lines([0xEF, 0xBB, 0xBF, 0x61]) == ["a"])
    }

    @Test("Words of the query are marked without regard to case; the first line with one is told")
    func words() throws {
        try folder.write("file", "none\nÄrger, ärger\tTODOtodo\nİstanbul i\n")
        let content = FilePreview.content(of: folder.path("file"), terms: ["ÄRGER", "todo", ""])
        guard case .text(let lines, let firstMatch, _) = content else {
            Issue.record("\(content)")
            return
        }
        #expect(firstMatch == 1)
        let marked = lines[1].runs.filter { $0.style != .plain }.map(\.text)
        #expect(marked == ["Ärger", "ärger", "TODOtodo"])
        #expect(lines[1].text == "Ärger, ärger    TODOtodo")
        #expect(lines[0].runs.count == 1)
    }

    @Test("Without a word of the query no line is told")
    func noWords() throws {
        try folder.write("file", "text\n")
        for terms in [[], ["absent"], [""]] {
            let content = FilePreview.content(of: folder.path("file"), terms: terms)
            #expect(content == .text([StyledText(escaping: "text")], firstMatch: nil, isCut: false))
        }
    }

    @Test("Of a long text the first part is shown, without half a character at its end")
    func long() throws {
        // The limit is within the two bytes of an ä.
        let line = "x" + String(repeating: "ä", count: 511) + "\n"
        let content = FilePreview.content(
            of: try write(Array(String(repeating: line, count: 400).utf8)))
        #expect(content.isCut)
        #expect(content.text?.count == 256)
        #expect(content.text?.allSatisfy { !$0.contains("\u{FFFD}") } == true)
    }

    @Test("Too many lines, and what is too long of one, are left out")
    func limits() throws {
        let many = FilePreview.content(of: try write([UInt8](repeating: 0x0A, count: 2001)))
        #expect(many.isCut)
        #expect(many.text?.count == 2000)
        let enough = FilePreview.content(of: try write([UInt8](repeating: 0x0A, count: 2000)))
        #expect(!enough.isCut)
        let long = try #require(try lines([UInt8](repeating: 0x61, count: 10_000)))
        #expect(long == [String(repeating: "a", count: 4096) + "…"])
    }

    @Test("Of a file with a NUL facts and its first bytes are shown")
    func binary() throws {
        let path = try write(
            [0x7F, 0x45, 0x4C, 0x46, 0, 0xFF] + [UInt8](repeating: 0x41, count: 1000))
        folder.setModified("file", seconds: 1_000_000_000)
        let shown = try #require(
            FilePreview.content(of: path, type: "application/x-executable").text)
        #expect(shown[0] == "Not a text")
        #expect(shown[1] == "Type:     application/x-executable")
        #expect(shown[2] == "Size:     1,006 bytes")
        #expect(shown[3].hasPrefix("Modified: 2001-09-0"))
        #expect(
            shown[5] == "0000  7f 45 4c 46 00 ff 41 41 41 41 41 41 41 41 41 41  .ELF..AAAAAAAAAA")
        #expect(shown.count == 5 + 16)
        let narrow = try #require(FilePreview.content(of: path, columns: 40).text)
        #expect(narrow[4] == "0000  7f 45 4c 46 00 ff 41 41  .ELF..AA")
    }

    @Test("A large file without content on the disk is read only at its start")
    func sparse() throws {
        let file = try OwnedDescriptor.open(folder.rawPath("file"), flags: O_RDWR | O_CREAT)
        try file.truncate(to: 10_000_000_000)
        let empty = try #require(FilePreview.content(of: folder.path("file")).text)
        #expect(empty[1] == "Size:     10,000,000,000 bytes")
        try file.writeAll(Array(String(repeating: "some text\n", count: 30_000).utf8))
        let content = FilePreview.content(of: folder.path("file"))
        #expect(content.text?.first == "some text")
        #expect(content.isCut)
    }

    @Test("Names of a folder are shown in order, those of folders with a slash")
    func folders() throws {
        try folder.makeFolder("f/b")
        try folder.write("f/c\u{1B}")
        try folder.write("f/a")
        let shown = FilePreview.content(of: folder.path("f")).text
        #expect(shown == ["Folder of 3 entries:", "a", "b/", "c\\x1b"])
    }

    @Test("Of a folder with too many names some are shown")
    func fullFolder() throws {
        try folder.makeFolder("f")
        for number in 0..<2100 { try folder.write("f/\(number)") }
        let content = FilePreview.content(of: folder.path("f"))
        #expect(content.isCut)
        #expect(content.text?.count == 2001)
    }

    @Test("Why nothing is shown is said in a sentence")
    func nothing() throws {
        try folder.write("empty")
        try folder.makeFolder("none")
        try folder.makeLink("gone", to: "nowhere")
        try folder.makeLink("circle", to: "circle")
        let socket = try UnixSocket.listen(at: folder.rawPath("socket"))
        withExtendedLifetime(socket) {}
        for (name, why) in [
            ("empty", "The file is empty"), ("none", "The folder is empty"),
            ("absent", "The file is not there any more"),
            ("gone", "The file is not there any more"),
            ("empty/below", "The file is not there any more"),
            ("circle", "Its links lead in a circle"),
            ("socket", "A socket, which has no content"),
            ("n\0l", "Its path has a NUL byte: there is no such file"),
        ] {
            #expect(FilePreview.content(of: folder.path(name)) == .failed(why), "\(name)")
        }
    }

    @Test("A file that can't be read says so")
    func unreadable() throws {
        // Its first page is never there.
        let content = FilePreview.content(of: "/proc/self/mem")
        #expect(content == .failed("The file can't be read: Input/output error (EIO)"))
    }

    @Test("A file that may not be read says so", .enabled(if: getuid() != 0))
    func forbidden() throws {
        try folder.write("file", "x")
        #expect(unsafe chmod(folder.path("file"), 0) == 0)
        #expect(
            FilePreview.content(of: folder.path("file")) == .failed("You may not read this file"))
    }

    @Test(
        "Pipes and devices are neither waited for nor read, through links either",
        arguments: ["pipe", "link", "/dev/zero", "/dev/full", "/dev/tty"])
    func special(name: String) throws {
        let bench = try PreviewBench()
        bench.folder.makePipe("pipe")
        try bench.folder.makeLink("link", to: "pipe")
        bench.show(name)
        #expect(bench.content() == .failed("A pipe or a device, from which nothing is read"))
    }
}
