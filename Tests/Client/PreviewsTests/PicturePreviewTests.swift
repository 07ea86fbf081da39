import Foundation
import Picking
import Previews
import TerminalCells
import TestSupport
import Testing

@Suite("The preview of an image")
struct PicturePreviewTests {
    private let folder: TemporaryFolder
    private let cell = CellPixels(width: 8, height: 16)

    init() throws { folder = try TemporaryFolder() }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// A red image.
    private static func png(_ width: Int, _ height: Int) -> PNG {
        let pixels = (0..<width * height).flatMap { _ in [200, 10, 20] as [UInt8] }
        return PNG(width: width, height: height, pixels)
    }

    private func read(
        _ name: String, type: String? = "image/png", on terminal: TerminalFeatures,
        thumbnail: String? = nil, columns: Int = 20, searchPath: String = ""
    ) -> FileContent {
        request(
            name, type: type, on: terminal, thumbnail: thumbnail, columns: columns,
            searchPath: searchPath
        ).read()
    }

    private func request(
        _ name: String, type: String?, on terminal: TerminalFeatures, thumbnail: String?,
        columns: Int = 20, searchPath: String = ""
    ) -> FilePreview {
        var request = PreviewRequest(
            number: 1, path: Array(folder.path(name).utf8), size: nil, modified: nil, type: type,
            area: TerminalSize(rows: 5, columns: columns), terms: [], query: "", command: nil,
            terminal: terminal)
        request.thumbnail = thumbnail.map { Array(folder.path($0).utf8) }
        return FilePreview(of: request, searchPath: searchPath)
    }

    private func image(_ content: FileContent) -> PreviewImage? {
        if case .image(let image) = content.content { image } else { nil }
    }

    @Test("A PNG is drawn with half cells, as large as there is room")
    func blocks() throws {
        try Self.write(Self.png(100, 100).bytes, to: folder.path("a"))
        let content = read("a", on: TerminalFeatures()).content
        let red = CellStyle(background: .rgb(200, 10, 20))
        var line = StyledText()
        line.append(content: String(repeating: " ", count: 10), style: red)
        #expect(
            content
                == .text(Array(repeating: line, count: 5), firstMatch: nil, isCut: false))
    }

    @Test("A terminal with kitty's protocol reads the file, or is sent it, unless that is long")
    func kitty() throws {
        let png = Self.png(40, 32).bytes
        try Self.write(png, to: folder.path("a"))
        var terminal = TerminalFeatures(images: .kitty, cell: cell, readsFiles: true)
        let size = TerminalSize(rows: 2, columns: 5)
        let path = Array(folder.path("a").utf8)
        func image(_ content: ImageContent) -> PreviewImage {
            PreviewImage(content, size, isStretched: false)
        }
        #expect(self.image(read("a", on: terminal)) == image(.kittyFile(path)))
        terminal.readsFiles = false
        #expect(self.image(read("a", on: terminal)) == image(.kittyPNG(png)))
        try Self.write(Self.png(400, 100).bytes, to: folder.path("long"))
        #expect(read("long", on: terminal).content.text?.count == 3)
        terminal.readsFiles = true
        #expect(
            self.image(read("long", on: terminal))
                == PreviewImage(
                    .kittyFile(Array(folder.path("long").utf8)), TerminalSize(rows: 3, columns: 20))
        )
        // A damaged one would not be shown, and nobody would say why.
        try Self.write(Array(png.dropLast(30)), to: folder.path("a"))
        let lines = read("a", on: terminal).content.text ?? []
        #expect(lines.contains("The image can't be shown:") && lines.contains("it is cut off"))
    }

    @Test("A terminal with sixels gets them, and half cells if the size of its cells is not known")
    func sixels() throws {
        try Self.write(Self.png(300, 300).bytes, to: folder.path("a"))
        let terminal = TerminalFeatures(images: .sixel, cell: cell)
        let found = try #require(image(read("a", on: terminal)))
        // Of five rows one is left free.
        #expect(found.size == TerminalSize(rows: 5, columns: 8))
        guard case .sixel(let data) = found.content, let picture = SixelPicture(data) else {
            Issue.record("\(found)")
            return
        }
        #expect(picture.width == 64 && picture.height == 64)
        #expect(read("a", on: TerminalFeatures(images: .sixel)).content.text?.count == 5)
    }

    @Test("Without colors there are no images")
    func colorless() throws {
        try Self.write(Self.png(10, 10).bytes, to: folder.path("a"))
        let terminal = TerminalFeatures(hasColor: false, images: .kitty, readsFiles: true)
        #expect(read("a", on: terminal).content.text?.first == "Not a text")
    }

    @Test("Of another file the thumbnail is shown; without one, facts, and what would show it")
    func thumbnails() throws {
        try Self.write([0xFF, 0xD8, 0xFF, 0xE0, 0, 16], to: folder.path("a.jpg"))
        try Self.write(Self.png(4, 4).bytes, to: folder.path("t.png"))
        let terminal = TerminalFeatures()
        let shown = read("a.jpg", type: "image/jpeg", on: terminal, thumbnail: "t.png")
        #expect(shown.content.text?.count == 2 && !shown.isForImageProgram)
        for thumbnail in [nil, "absent", "a.jpg"] {
            let content = read("a.jpg", type: "image/jpeg", on: terminal, thumbnail: thumbnail)
            let lines = try #require(content.content.text)
            #expect(lines[0] == "Not a text" && lines[1] == "Type:     image/jpeg")
            let notes = ["chafa, or the plugin for thumbnails,", "would show the image"]
            #expect(Array(lines[4...5]) == notes)
        }
        let other = read("a.jpg", type: "application/zip", on: terminal)
        #expect(other.content.text?.contains("would show the image") == false)
    }

    @Test("What is known of the type says whether there may be a thumbnail")
    func wishes() {
        func wants(_ type: String?, command: String? = nil, hasColor: Bool = true) -> Bool {
            PreviewRequest(
                number: 1, path: [], size: nil, modified: nil, type: type,
                area: TerminalSize(rows: 1, columns: 1), terms: [], query: "", command: command,
                terminal: TerminalFeatures(hasColor: hasColor)
            ).wantsThumbnail
        }
        #expect(wants("image/jpeg") && wants("video/mp4") && wants("application/pdf"))
        #expect(!wants("text/plain") && !wants(nil) && !wants("application/zip"))
        #expect(!wants("image/jpeg", command: "cat {}") && !wants("image/jpeg", hasColor: false))
    }

    // MARK: chafa

    /// A bench on whose search path chafa is a script.
    private func bench(chafa script: String) throws -> PreviewBench {
        try folder.write("chafa", "#!/bin/sh\n\(script)\n")
        #expect(unsafe chmod(folder.path("chafa"), 0o755) == 0)
        let bench = try PreviewBench(environment: ["PATH": "\(folder.path("")):/usr/bin:/bin"])
        try Self.write([0xFF, 0xD8, 0xFF, 0xE0, 0, 16], to: bench.folder.path("a.jpg"))
        return bench
    }

    @Test("What can't be drawn is for chafa, which is told the place and the colors")
    func chafa() throws {
        let bench = try bench(chafa: "printf '%s\\n' \"$@\"")
        bench.showImage("a.jpg", type: "image/jpeg")
        #expect(
            bench.reach {
                bench.text == [
                    "--format=symbols", "--animate=off", "--colors=256", "--size=80x20",
                    bench.folder.path("a.jpg"),
                ]
            }, "\(bench.told)")
    }

    @Test("If chafa fails, there are facts")
    func failingChafa() throws {
        let bench = try bench(chafa: "echo oh; exit 3")
        bench.showImage("a.jpg", type: "image/jpeg")
        #expect(bench.reach { bench.text?.first == "Not a text" }, "\(bench.told)")
    }

    @Test("chafa ends when its image is no longer wanted")
    func endingChafa() throws {
        let bench = try bench(chafa: "echo $$; exec sleep 1000")
        bench.showImage("a.jpg", type: "image/jpeg")
        #expect(bench.reach { bench.text?.isEmpty == false })
        let group = try #require(bench.text?.first.flatMap { Int($0) })
        bench.showNone()
        #expect(bench.reach { livingProcesses(ofGroup: group).isEmpty })
    }

    @Test("A small picture is the thumbnail, or else a PNG itself, and never text")
    func small() throws {
        try Self.write(Self.png(40, 40).bytes, to: folder.path("a.png"))
        try Self.write(Self.png(20, 20).bytes, to: folder.path("thumbnail"))
        try Self.write([1, 2, 3], to: folder.path("b.jpg"))
        try folder.write("text.png", "hello\n")
        let terminal = TerminalFeatures(images: .kitty, cell: cell, readsFiles: true)
        func small(_ name: String, _ type: String, _ thumbnail: String? = nil) -> FileContent {
            request(name, type: type, on: terminal, thumbnail: thumbnail).readPicture()
        }
        func file(_ content: FileContent) -> ImageContent? { image(content)?.content }
        let thumbnail = ImageContent.kittyFile(Array(folder.path("thumbnail").utf8))
        #expect(file(small("a.png", "image/png", "thumbnail")) == thumbnail)
        #expect(file(small("b.jpg", "image/jpeg", "thumbnail")) == thumbnail)
        let itself = ImageContent.kittyFile(Array(folder.path("a.png").utf8))
        #expect(file(small("a.png", "image/png")) == itself)
        #expect(file(small("a.png", "image/png", "text.png")) == itself)
        for (name, type) in [
            ("b.jpg", "image/jpeg"), ("text.png", "image/png"), ("none.png", "image/png"),
            ("", "image/png"),
        ] {
            #expect(small(name, type).content == .failed("There is no picture of it"))
        }
    }
}
