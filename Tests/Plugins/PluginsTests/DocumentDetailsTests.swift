// What `documents.get` says of a document beyond its row, and the URIs in events: of real files.

import DataBus
import DocumentsPlugin
import EventLoops
import Glibc
import JSONText
import MediaTypes
import PickerModel
import PluginInterface
import SystemInterface
import TestSupport
import Testing

@Suite struct DocumentDetailsTests {
    private let folder: TemporaryFolder
    private let loop = FakeLoop()
    private let store = DocumentStore(epoch: "e")
    private let bus = EventBus(limits: .init(count: 1000))
    private let registry = MethodRegistry()
    private let session: FakeSession
    private let plugin = DocumentsPlugin()

    init() throws {
        folder = try TemporaryFolder()
        session = FakeSession(registry: registry)
        try folder.makeFolder("root/sub folder")
        try folder.makeFolder("cache/thumbnails")
    }

    private func start() throws {
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: loop, bus: bus, documents: store,
                settings: PluginSettings(
                    roots: [folder.path("root")], cacheFolder: folder.path("cache")),
                registry: registry, report: { _ in }))
        loop.turn()
    }

    private func get(_ path: String) throws -> JSONValue {
        try session.call("documents.get", ["path": JSONValue(path)]).get()
    }

    /// Writes a file, whose name may be no UTF-8.
    private func write(_ name: [UInt8], _ text: String = "x") throws {
        let path = try #require(folder.rawPath(name))
        let file = try OwnedDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
        try file.writeAll(Array(text.utf8))
    }

    // MARK: URIs and icons

    @Test(
        "a document has the URI of its path, and icons",
        arguments: [
            ("a.md", "a.md", "text-markdown", "text-x-generic"),
            (
                "sub folder/100% é.png", "sub%20folder/100%25%20%C3%A9.png", "image-png",
                "image-x-generic"
            ),
            ("none", "none", "application-octet-stream", "application-x-generic"),
        ])
    func names(path: String, uri: String, icon: String, generic: String) throws {
        try folder.write("root/" + path, "x")
        try start()
        let found = try get(path)
        #expect(found["uri"]?.stringValue == "file://" + folder.path("root/" + uri))
        #expect(found["icon"]?.stringValue == icon)
        #expect(found["genericIcon"]?.stringValue == generic)
    }

    @Test("the URI of a name that is not UTF-8 has its bytes")
    func bytes() throws {
        try write(Array("root/sub folder/a".utf8) + [0xFF] + Array("#.txt".utf8))
        try start()
        let document = try #require(store.documents.first)
        let found = try session.call("documents.get", ["key": JSONValue(document.key)]).get()
        #expect(
            found["uri"]?.stringValue == "file://" + folder.path("root/sub%20folder/a%FF%23.txt"))
    }

    @Test("a new document is answered like one that is asked for")
    func others() throws {
        try start()
        let made = try session.call("documents.create", ["name": "a.md"]).get()
        #expect(made["uri"] != nil && made["icon"] != nil)
        #expect(try get("a.md") == made)
    }

    // MARK: The time of birth

    @Test("a document has the time when its file was made, if the file system knows it")
    func created() throws {
        try folder.write("root/a.md", "x")
        folder.setModified("root/a.md", seconds: 1_000_000_000)
        try start()
        let status = try FileStatus.of(folder.rawPath("root/a.md"))
        let expected = status.born.map { Double($0.seconds) + Double($0.nanoseconds) / 1e9 }
        let found = try get("a.md")
        #expect(found["created"]?.doubleValue == expected)
        #expect(found["modified"] == 1_000_000_000)
    }

    @Test("nothing behind a link is looked at, nor what is no file, and a root may be gone")
    func links() throws {
        try folder.write("root/sub folder/a.md", "x")
        try folder.write("root/b.md", "x")
        try folder.makeFolder("outside")
        try folder.write("outside/a.md", "x")
        try start()
        try makeThumbnail(of: "root/sub folder/a.md", in: "normal", seconds: 5)
        folder.setModified("outside/a.md", seconds: 5)
        try folder.remove("root/sub folder")
        try folder.makeLink("root/sub folder", to: folder.path("outside"))
        try folder.remove("root/b.md")
        try folder.makeFolder("root/b.md")
        // The loop has not turned, so both are documents still.
        for path in ["sub folder/a.md", "b.md"] {
            let found = try get(path)
            #expect(found["uri"] != nil && found["created"] == nil && found["thumbnail"] == nil)
        }
        try folder.move("root", to: "was")
        #expect(try get("b.md")["created"] == nil)
    }

    // MARK: Thumbnails

    /// Writes a thumbnail of a file, with the time in it.
    private func makeThumbnail(
        of file: String, in size: String, seconds: Int, more: [(String, String)] = []
    ) throws {
        let file = folder.path(file)
        let uri = FileURI.text(ofPath: file.utf8Span.span) ?? ""
        let texts = [("Thumb::URI", uri), ("Thumb::MTime", "\(seconds)")] + more
        try folder.makeFolder("cache/thumbnails/" + size)
        let digest = MD5.text(of: uri.utf8Span.span)
        try PrivateFile.replace(
            folder.rawPath("cache/thumbnails/\(size)/\(digest).png"), with: SmallImage.png(texts))
    }

    private func thumbnail(_ path: String) throws -> String? {
        let found = try get(path)["thumbnail"]?.stringValue
        return found.map { String($0.dropFirst(folder.path("cache/thumbnails/").utf8.count)) }
    }

    @Test("a thumbnail fits while it shows the file as it is, and the best one is told")
    func thumbnails() throws {
        try folder.write("root/sub folder/a b.png", "12345")
        folder.setModified("root/sub folder/a b.png", seconds: 1_700_000_000, nanoseconds: 5)
        try start()
        let (name, file) = ("sub folder/a b.png", "root/sub folder/a b.png")
        #expect(try thumbnail(name) == nil)
        try makeThumbnail(of: file, in: "normal", seconds: 1_700_000_000)
        #expect(try thumbnail(name)?.hasPrefix("normal/") == true)
        try makeThumbnail(of: file, in: "large", seconds: 1_699_999_999)
        #expect(try thumbnail(name)?.hasPrefix("normal/") == true, "the large one is old")
        try makeThumbnail(
            of: file, in: "large", seconds: 1_700_000_000, more: [("Thumb::Size", "4")])
        #expect(try thumbnail(name)?.hasPrefix("normal/") == true, "the large one has a wrong size")
        try makeThumbnail(
            of: file, in: "large", seconds: 1_700_000_000, more: [("Thumb::Size", "5")])
        #expect(try thumbnail(name)?.hasPrefix("large/") == true)
        // The file changes, and no event has been read.
        folder.setModified(file, seconds: 1_700_000_001)
        #expect(try thumbnail(name) == nil)
    }

    @Test("a pipe, a link or a folder in the place of a thumbnail is none, and blocks nothing")
    func noThumbnails() throws {
        try folder.write("root/a.md", "x")
        folder.setModified("root/a.md", seconds: 7)
        try start()
        try makeThumbnail(of: "root/a.md", in: "normal", seconds: 7)
        let name = try #require(try thumbnail("a.md")).dropFirst("normal".utf8.count)
        for size in ["x-large", "large", "xx-large"] {
            try folder.makeFolder("cache/thumbnails/" + size)
        }
        folder.makePipe("cache/thumbnails/x-large" + name)
        try folder.makeLink(
            "cache/thumbnails/large" + name, to: folder.path("cache/thumbnails/normal" + name))
        try folder.makeFolder("cache/thumbnails/xx-large" + name)
        #expect(try thumbnail("a.md")?.hasPrefix("normal/") == true)
        try folder.remove("cache/thumbnails/normal" + name)
        #expect(try thumbnail("a.md") == nil)
    }

    @Test("the folder for caches follows the settings")
    func settings() throws {
        try folder.write("root/a.md", "x")
        folder.setModified("root/a.md", seconds: 7)
        try start()
        try makeThumbnail(of: "root/a.md", in: "normal", seconds: 7)
        #expect(try thumbnail("a.md") != nil)
        try plugin.adopt(PluginSettings(roots: [folder.path("root")]))
        #expect(try thumbnail("a.md") == nil)
    }
}

/// An image of one pixel.
enum SmallImage {
    /// As a file in the format PNG, with texts.
    static func png(_ texts: [(String, String)]) -> [UInt8] {
        // One pixel, eight bits of grey.
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]
        // The bytes 0 and 0, stored.
        let pixel: [UInt8] = [0x78, 1, 1, 2, 0, 0xFD, 0xFF, 0, 0, 0, 2, 0, 1]
        var file: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
        file += chunk("IHDR", header)
        for (keyword, text) in texts {
            file += chunk("tEXt", Array(keyword.utf8) + [0] + Array(text.utf8))
        }
        return file + chunk("IDAT", pixel) + chunk("IEND", [])
    }

    private static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(kind.utf8) + data
        return bytes(UInt32(data.count)) + body + bytes(checksum(body))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }

    /// CRC-32.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
        }
        return ~sum
    }
}
