import Glibc
import MediaTypes
import SystemInterface
import TestSupport
import Testing

@testable import ActionsPlugin

@Suite struct TrashCanTests {
    private let place: TemporaryFolder
    private let can: TrashCan

    init() throws {
        place = try TemporaryFolder()
        try place.makeFolder("root")
        try place.makeFolder("data/Trash/files")
        try place.makeFolder("data/Trash/info")
        can = TrashCan(["XDG_DATA_HOME": place.path("data"), "HOME": "/nowhere"])
    }

    /// What GLib does: moves a file, and writes where it was.
    private func trash(_ path: String, as name: String, origin: String? = nil) throws {
        try place.write(
            "data/Trash/info/\(name).trashinfo",
            "[Trash Info]\nPath=\(origin ?? place.path(path))\nDeletionDate=2026-11-27T08:00:00\n")
        try place.move(path, to: "data/Trash/files/\(name)")
    }

    private func uri(_ name: String) -> String {
        "file://" + place.path("data/Trash/files/\(name)")
    }

    private func refusal(_ uri: String, below roots: [String]? = nil) -> String? {
        do throws(TrashError) {
            let roots = roots ?? [place.path("root")]
            _ = try can.restore(uri, below: roots.map { Array($0.utf8) })
            return nil
        } catch { return error.description }
    }

    @Test("A file is found under whatever name it has in the trash, and goes back to where it was")
    func there() throws {
        for (number, name) in ["a.tar.gz", "a.2.tar.gz", "a.3.tar.gz", "odd"].enumerated() {
            try place.write("root/a.tar.gz", "\(number)")
            let file = try can.look(at: place.rawPath("root/a.tar.gz"), time: 0)
            #expect(can.find(file) == nil)
            try trash("root/a.tar.gz", as: name)
            #expect(can.find(file) == place.rawPath("data/Trash/files/\(name)"))
        }
        #expect(refusal(uri("a.3.tar.gz")) == nil)
        #expect(try place.contents(of: "root/a.tar.gz") == "2")
        #expect((try? place.contents(of: "data/Trash/info/a.3.tar.gz.trashinfo")) == nil)
        #expect(try place.contents(of: "data/Trash/files/odd") == "3")
    }

    @Test("A file that is there by now is not replaced, and the other stays in the trash")
    func taken() throws {
        try place.write("root/a", "old")
        try trash("root/a", as: "a")
        try place.write("root/a", "new")
        #expect(refusal(uri("a"))?.contains("another file") == true)
        #expect(try place.contents(of: "root/a") == "new")
        #expect(try place.contents(of: "data/Trash/files/a") == "old")
        #expect(try place.contents(of: "data/Trash/info/a.trashinfo").hasPrefix("[Trash Info]"))
    }

    @Test("A file whose folder is gone, or that was in none of the daemon's folders, stays")
    func elsewhere() throws {
        try place.makeFolder("root/sub")
        try place.makeFolder("other")
        for path in ["root/sub/a", "other/b"] { try place.write(path, path) }
        try trash("root/sub/a", as: "a")
        try trash("other/b", as: "b")
        try place.remove("root/sub")
        #expect(refusal(uri("a"))?.contains("stays in the trash") == true)
        #expect(refusal(uri("b"))?.contains("none of the daemon's folders") == true)
        #expect(refusal(uri("b"), below: ["/"]) == nil)
    }

    @Test(
        "A text that lies about the place moves nothing",
        arguments: [
            "/ROOT/../data/x", "/ROOT//x", "/ROOT/./x", "/ROOT/", "/ROOT", "relative", "", "%00",
            "/ROOT/%00", "/ROOT/%2", "/ROOT/%zz", "/ROOTx/y",
        ])
    func lies(_ origin: String) throws {
        try place.write("root/a", "kept")
        let root = place.path("root").dropFirst()
        try trash("root/a", as: "a", origin: origin.replacing("ROOT", with: root))
        #expect(refusal(uri("a")) != nil)
        #expect(try place.contents(of: "data/Trash/files/a") == "kept")
    }

    @Test("What is not in the user's trash is not touched")
    func foreign() throws {
        try place.makeFolder("root/files")
        try place.makeFolder("root/info")
        try place.write("root/files/a", "kept")
        try place.write("root/info/a.trashinfo", "[Trash Info]\nPath=\(place.path("root/b"))\n")
        try place.write("data/Trash/files/b", "no text")
        let user = CurrentProcess.uid
        let root = "file://" + place.path("root")
        for uri in [
            root + "/files/a", uri("b"), uri("b") + "/..", uri(""), uri("none"), "a", "",
            "trash:///a", "file://host/a", root + "/.Trash-\(user + 1)/files/a",
            root + "/.Trash-\(user)/files/a", String(repeating: "x", count: 100_000),
        ] {
            #expect(refusal(uri) != nil, "\(uri.prefix(99))")
        }
        #expect(try place.contents(of: "root/files/a") == "kept")
    }

    @Test("A trash at the top of a file system names places from there")
    func top() throws {
        let user = CurrentProcess.uid
        for trash in [".Trash-\(user)", ".Trash/\(user)"] {
            try place.makeFolder("root/\(trash)/files")
            try place.makeFolder("root/\(trash)/info")
            try place.write("root/\(trash)/files/n%41", "x")
            try place.write("root/\(trash)/info/n%41.trashinfo", "[Trash Info]\nPath=a%0Ab\n")
            let uri = "file://" + place.path("root/\(trash)/files/n%2541")
            #expect(refusal(uri) == nil)
            #expect(try place.contents(of: "root/a\nb") == "x")
            try place.remove("root/a\nb")
        }
    }

    @Test("Of a link or a folder in the trash nothing goes back")
    func kinds() throws {
        try place.makeFolder("data/Trash/files/folder")
        try place.makeLink("data/Trash/files/link", to: "/etc/passwd")
        for name in ["folder", "link"] {
            try place.write(
                "data/Trash/info/\(name).trashinfo",
                "[Trash Info]\nPath=\(place.path("root/x"))\n")
            #expect(refusal(uri(name)) != nil)
        }
    }

    @Test("Where a file was is written if GLib has left that out")
    func mended() throws {
        let name = "%\n" + String(repeating: "x", count: 238)
        try place.write("root/" + name, "kept")
        let file = try can.look(at: place.rawPath("root/" + name), time: 1_763_690_101)
        try place.write("data/Trash/info/\(name).trashinfo")
        try place.move("root/" + name, to: "data/Trash/files/" + name)
        let found = try #require(can.find(file))
        let text = try place.contents(of: "data/Trash/info/\(name).trashinfo")
        #expect(
            text.hasSuffix("/%25%0A\(name.dropFirst(2))\nDeletionDate=2025-11-21T01:55:01\n"))
        let uri = FileURI.text(ofPath: found.bytes.span)
        #expect(refusal(try #require(uri)) == nil)
        #expect(try place.contents(of: "root/" + name) == "kept")
        for (time, date) in [
            (0, "1970-01-01T00:00:00"), (951_782_399, "2000-02-28T23:59:59"),
            (951_782_400, "2000-02-29T00:00:00"), (951_868_800, "2000-03-01T00:00:00"),
            (4_107_542_400, "2100-03-01T00:00:00"), (1_798_761_599, "2026-12-31T23:59:59"),
        ] as [(Int64, String)] {
            #expect(TrashInfo.date(time) == date)
        }
    }

    @Test("Texts are read as the specification has them")
    func texts() {
        func path(_ text: String) -> String? {
            TrashInfo.path(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(path("[Trash Info]\r\nPath=/a%20b\r\n") == "/a b")
        #expect(path("[Trash Info]\nDeletionDate=x\nPath=/a") == "/a")
        for wrong in [
            "", "Path=/a", "[Other]\nPath=/a", "[Trash Info]\n[Other]\nPath=/a", "[Trash Info]\n",
            "[Trash Info]\nPath=\n", "[Trash Info]\nPath=/a%", "[Trash Info]\nPath=/a%1",
        ] {
            #expect(path(wrong) == nil, "\(wrong)")
        }
    }
}
