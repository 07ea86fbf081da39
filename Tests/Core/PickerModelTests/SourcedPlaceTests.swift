import Testing

@testable import PickerModel

@Suite("Where an item of a source stands")
struct SourcedPlaceTests {
    private func place(_ name: String, uri: String? = nil) -> SourcedPlace {
        SourcedPlace(of: SourcedItem(id: "i", name: name, uri: uri))
    }

    private func name(_ name: String) -> String {
        String(decoding: place(name).name, as: UTF8.self)
    }

    @Test(
        "A name is one that a document can have",
        arguments: [
            ("Rome", "Rome"), ("", "-"), ("/", "\u{2215}"),
            ("a/b//c", "a\u{2215}b\u{2215}\u{2215}c"),
            ("a\0b", "a\u{FFFD}b"), (".", "."), ("..", ".."), (" ", " "),
            ("\u{1F1E9}\u{1F1EA}e\u{301}", "\u{1F1E9}\u{1F1EA}e\u{301}"), ("a\nb", "a\nb"),
        ])
    func names(given: String, expected: String) {
        #expect(name(given) == expected)
        // Precomposed and decomposed letters are equal as texts.
        #expect(place(given).name == Array(expected.utf8))
    }

    @Test("A long name is cut at 255 bytes, and never within a character's bytes")
    func longNames() {
        for (text, bytes) in [
            (String(repeating: "a", count: 255), 255), (String(repeating: "a", count: 256), 255),
            (String(repeating: "é", count: 200), 254),
            ("a" + String(repeating: "é", count: 200), 255),
            (String(repeating: "漢", count: 200), 255),
            ("a" + String(repeating: "漢", count: 200), 253),
            (String(repeating: "😀", count: 100), 252), (String(repeating: "/", count: 100), 255),
        ] {
            let name = place(text).name
            #expect(name.count == bytes, "\(text.prefix(3))")
            #expect(String(validating: name, as: UTF8.self) != nil)
        }
    }

    @Test(
        "A file of this machine stands in its folder",
        arguments: [
            ("file:///home/ann/a.txt", "home/ann/"), ("file:///a.txt", ""), ("file:/b/a.txt", "b/"),
            ("file://localhost/b/a.txt", "b/"), ("FILE:///b/a.txt", "b/"),
            ("file:///b/c%20d/a.txt", "b/c d/"), ("file:///b//c/a.txt", "b/c/"),
            ("file:///b/", ""), ("file:///", ""),
        ])
    func files(uri: String, folder: String) {
        #expect(place("n", uri: uri).folder == Array(folder.utf8))
        #expect(place("n", uri: uri).name == Array("n".utf8), "the name is what the source says")
    }

    @Test(
        "What is no file here stands in the root",
        arguments: [
            "https://example.org/a/b", "file://elsewhere/a/b", "file:///a%2Fb/c", "file:///a%00b/c",
            "file:///a%zz/c", "file:///a%", "file:a/b", "a/b", "", ":", "smb://host/a/b",
            "file:///a/b#c",
            "file:///" + String(repeating: "n", count: 256) + "/a",
            "file:///" + String(repeating: "d/", count: 64) + "d/a",
            "file:///" + String(repeating: "dddddddd/", count: 1000) + "a",
        ])
    func others(uri: String) {
        #expect(place("n", uri: uri).folder.isEmpty)
    }

    @Test("The deepest and the longest folder that there is place for")
    func limits() {
        let deep = String(repeating: "d/", count: SourcedPlace.deepest)
        #expect(place("n", uri: "file:///\(deep)a").folder == Array(deep.utf8))
        let long = String(repeating: "n", count: 255) + "/"
        #expect(place("n", uri: "file:///\(long)a").folder == Array(long.utf8))
    }

    @Test("Bytes that are no UTF-8 stay as they are in the names of folders")
    func bytes() {
        #expect(
            place("n", uri: "file:///b/%FFc/a").folder == Array("b/".utf8) + [0xFF, 0x63, 0x2F])
    }

    @Test("Aside of a place, which is another for each identifier, and the same at each start")
    func aside() {
        let place = place("n", uri: "file:///b/a")
        let first = place.aside("one", attempt: 0)
        #expect(first.name == place.name && first.folder.starts(with: place.folder))
        #expect(first.folder.last == UInt8(ascii: "/"))
        #expect(first.folder.dropFirst(2).split(separator: UInt8(ascii: "/")).count == 1)
        #expect(first.folder != place.aside("one", attempt: 1).folder)
        #expect(first.folder != place.aside("two", attempt: 0).folder)
        #expect(String(decoding: first.folder, as: UTF8.self) == "b/~e937wp46pxnz/")
    }
}
