import Foundation
import MediaTypes
import PickerModel
import Testing

extension Document {
    /// A document of which only the name matters.
    init(_ path: String, key: String? = nil, size: UInt64 = 0, seconds: Int64 = 0) {
        self.init(
            key: key ?? "f-" + path, root: "/home/ada/Documents", path: FileName(path),
            size: size, modified: FileTime(seconds: seconds))
    }
}

@Suite struct DocumentTests {
    @Test("a UTF-8 name is kept as text alone, any other as its bytes too")
    func names() {
        let good = FileName(bytes: Array("drafts/Übersicht.md".utf8))
        #expect(good.text == "drafts/Übersicht.md")
        #expect(good.rawBytes == nil)
        #expect(good.lastComponent.text == "Übersicht.md")

        let bytes: [UInt8] = Array("drafts/caf".utf8) + [0xE9] + Array(".txt".utf8)
        let bad = FileName(bytes: bytes)
        #expect(bad.text == "drafts/caf\u{FFFD}.txt")
        #expect(bad.rawBytes == bytes)
        #expect(bad.bytes == bytes)
        #expect(bad.lastComponent.rawBytes == Array(bytes.dropFirst(7)))

        let mixed = FileName(bytes: [0xFF] + Array("/plain.txt".utf8))
        #expect(mixed.lastComponent == FileName("plain.txt"))
        #expect(mixed.lastComponent.rawBytes == nil)
    }

    @Test("canonically equivalent names with other bytes are other names")
    func nameEquality() {
        #expect(FileName("é") != FileName("e\u{301}"))
        #expect(FileName(bytes: [0xFF]) != FileName(bytes: [0xFE]))
        #expect(FileName(bytes: [0xFF]) != FileName("\u{FFFD}"))
        #expect(FileName(bytes: [0xFF]) == FileName(bytes: [0xFF]))
    }

    @Test("a document is eight bytes, and an item of a list four")
    func size() {
        #expect(MemoryLayout<Document>.size == 8)
        #expect(MemoryLayout<Document?>.size == 8)
        #expect(MemoryLayout<PickerItem>.size == 4)
    }

    @Test("an item has its document's row, and the offer of a new document has none")
    func items() throws {
        let store = DocumentStore(epoch: "e")
        let document = Document("a.md", key: "f0")
        store.apply(inserted: [document])
        let row = try #require(store.row(key: "f0"))
        #expect(PickerItem(row).row == row)
        #expect(PickerItem.newDocument.row == nil && PickerItem(row) != .newDocument)
        #expect(store.table.content(of: PickerItem(row)) == .document(document))
        #expect(store.table.content(of: .newDocument) == .newDocument)
        #expect(ItemContent.newDocument.key == "new" && ItemContent.document(document).key == "f0")
    }

    @Test("equality compares each part of a document, the hash only the key")
    func equality() {
        let document = Document("a/b.md", key: "f1", size: 3, seconds: 9)
        let same = Document("a/b.md", key: "f1", size: 3, seconds: 9)
        #expect(document == same)
        let time = FileTime(seconds: 9)
        let others = [
            document.with(size: 4, modified: time),
            document.with(size: 3, modified: FileTime(seconds: 9, nanoseconds: 1)),
            document.with(size: 3, modified: time, device: 0, inode: 1),
            document.with(size: 3, modified: time, device: 1, inode: 0),
            document.with(root: "/home/ada/Documents", path: FileName("a/c.md")),
            document.with(root: "/home/ada", path: FileName("a/b.md")),
        ]
        for other in others {
            #expect(other != document)
            #expect(other.hashValue == document.hashValue)
        }
        #expect(Document("a/b.md", key: "f2", size: 3, seconds: 9) != document)
    }

    @Test("a moved document keeps its identity, and gets its new name's type and folding")
    func moves() throws {
        let document = Document("a/Old.md", key: "f1", size: 3, seconds: 9)
        let moved = document.with(root: "/r", path: FileName("b/Néw.PDF"))
        #expect(moved.key == "f1")
        #expect(moved.size == 3)
        #expect(moved.root == "/r")
        #expect(moved.name.text == "Néw.PDF")
        #expect(moved.type.text == "application/pdf")
        #expect(moved.foldedName == FoldedName("Néw.PDF"))
        let up = moved.with(root: "/r", path: FileName("Néw.PDF"))
        #expect(up.foldedName == moved.foldedName)
    }

    @Test("times keep their nanoseconds, and convert to seconds with a fraction")
    func times() {
        let time = FileTime(seconds: 1_763_690_101, nanoseconds: 250_000_000)
        #expect(time.secondsSince1970 == 1_763_690_101.25)
        #expect(time < FileTime(seconds: 1_763_690_101, nanoseconds: 250_000_001))
        #expect(FileTime(seconds: -2, nanoseconds: 500_000_000).secondsSince1970 == -1.5)
        #expect(FileTime(seconds: 1, nanoseconds: 2_000_000_003).seconds == 3)
        #expect(FileTime(seconds: .max, nanoseconds: .max).seconds == .max)
    }

    @Test(
        "a type comes from the suffix, in any case",
        arguments: [
            ("a.md", "text/markdown"), ("A.MD", "text/markdown"), ("a.pdf", "application/pdf"),
            ("a.tar.gz", "application/x-compressed-tar"), ("a.b.gz", "application/gzip"),
            ("b.2024.Txt", "text/plain"), ("a.jpeg", "image/jpeg"), ("a.swift", "text/x-swift"),
            ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            ("a", "application/octet-stream"), ("", "application/octet-stream"),
            (".md", "text/markdown"), ("md", "application/octet-stream"),
            ("a.", "application/octet-stream"), ("a.ÄÖ", "application/octet-stream"),
            (".tar.gz", "application/x-compressed-tar"), ("a.md/b", "application/octet-stream"),
        ])
    func types(name: String, type: String) {
        #expect(MediaType(forName: name).text == type)
    }

    @Test("lists that are given before the first name come before the built-in one")
    func givenTypes() async {
        await #expect(processExitsWith: .success) {
            MediaType.use {
                MediaTypeTable.Files(
                    globs: [Array("50:text/x-own:*.own\n60:text/x-other:*.md\nnonsense\n".utf8)],
                    genericIcons: [Array("text/x-own:x-office-document\n".utf8)])
            }
            let names = ["a.own", "a.md", "a.pdf", "a"].map { MediaType(forName: $0) }
            let texts = [
                "text/x-own", "text/x-other", "application/pdf", "application/octet-stream",
            ]
            precondition(names.map(\.text) == texts && names[2] < names[1])
            precondition(names[0].icon == "text-x-own")
            precondition(names[0].genericIcon == "x-office-document")
            precondition(MediaType.leftOut.total == 1)
        }
        #expect(MediaType(forName: "a.own") == .unknown, "nothing is given here")
    }

    @Test("lists that come when types are in use are a mistake")
    func lateTypes() async {
        await #expect(processExitsWith: .failure) {
            _ = MediaType.unknown
            MediaType.use { MediaTypeTable.Files() }
        }
    }

    @Test("icons are named as their types")
    func icons() {
        let type = MediaType(forName: "a.md")
        #expect(type.icon == "text-markdown" && type.genericIcon == "text-x-generic")
    }

    @Test("types compare by text")
    func typeOrder() {
        let names = ["a.md", "a.pdf", "a.zip", "a.c", "a.cpp", "a.h", "a.xml", "a.svg", "a"]
        let types = names.map(MediaType.init(forName:)).sorted()
        #expect(
            types.map(\.text)
                == types.map(\.text).sorted {
                    Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
                })
    }
}
