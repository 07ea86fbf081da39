import Foundation
import Glibc
import Picking
import Previews
import SystemInterface
import TestSupport
import Testing

@Suite("Reading of folders, while the loop runs on")
struct FolderReaderTests {
    @Test("Folders come first, and links to them, each without regard to case")
    func order() throws {
        let scene = try FolderScene()
        for name in ["b", "C/x"] { try scene.disk.makeFolder(name) }
        for name in ["Z", "y", "a.txt"] { try scene.disk.write(name) }
        try scene.disk.makeLink("a link", to: "C")
        try scene.disk.makeLink("broken", to: "nowhere")
        try scene.disk.makeLink("circle", to: "circle")
        scene.disk.makePipe("pipe")
        scene.follow()
        #expect(
            scene.shows(["a link/", "b/", "C/", "a.txt", "broken", "circle", "pipe", "y", "Z"]))
        #expect(scene.listings.last?.isLive == true && scene.listings.last?.isCut == false)
        scene.follow(withFiles: false)
        #expect(scene.shows(["a link/", "b/", "C/"]))
    }

    @Test("What is made, renamed and removed is told, in each folder that is shown")
    func live() throws {
        let scene = try FolderScene()
        try scene.disk.makeFolder("one")
        try scene.disk.makeFolder("two")
        for folder in ["one", "two", "one"] {
            scene.follow(folder)
            #expect(scene.shows([]))
            try scene.disk.makeFolder(folder + "/x")
            #expect(scene.shows(["x/"]))
            try scene.disk.write(folder + "/file")
            #expect(scene.shows(["x/", "file"]))
            try scene.disk.move(folder + "/x", to: folder + "/y")
            #expect(scene.shows(["y/", "file"]))
            try scene.disk.remove(folder + "/y")
            try scene.disk.remove(folder + "/file")
            #expect(scene.shows([]))
        }
    }

    @Test("A burst of changes is told of seldom, and its end is told")
    func burst() throws {
        let scene = try FolderScene()
        scene.follow()
        #expect(scene.shows([]))
        let names = (0..<400).map { "f\(1000 + $0)" }
        let start = ContinuousClock.now
        for name in names {
            try scene.disk.write(name)
            scene.turn()
        }
        #expect(scene.shows(names))
        let passed = (ContinuousClock.now - start) / .milliseconds(20)
        #expect(Double(scene.listings.count) < passed + 3)
    }

    @Test("A folder that vanishes, or becomes a file, is said to be gone")
    func vanished() throws {
        let scene = try FolderScene()
        try scene.disk.makeFolder("a")
        scene.follow("a")
        #expect(scene.shows([]))
        try scene.disk.remove("a")
        #expect(scene.reach { scene.listings.last?.isGone == true })
        scene.follow("never")
        #expect(scene.first()?.isGone == true)
        try scene.disk.write("file")
        scene.follow("file")
        #expect(scene.first()?.isGone == true)
        try scene.disk.makeFolder("b")
        scene.follow("b")
        #expect(scene.shows([]))
        try scene.disk.move("b", to: "c")
        #expect(scene.reach { scene.listings.last?.isGone == true })
    }

    @Test("A circle of links, a path that is too long and one with a NUL say what is wrong")
    func bad() throws {
        let scene = try FolderScene()
        try scene.disk.makeLink("circle", to: "circle")
        scene.follow("circle")
        #expect(scene.first()?.fault == "Its links lead in a circle")
        #expect(scene.listings.last?.isGone == false)
        scene.follow("x/" + String(repeating: "abcdefgh/", count: 500))
        #expect(scene.first()?.fault == "Its path is too long")
        scene.follow([0x2F, 0, 0x61])
        #expect(scene.first()?.fault?.contains("NUL") == true)
    }

    private func setMode(_ path: String, _ mode: mode_t) {
        // The path is a C string for the length of the call.
        #expect(unsafe chmod(path, mode) == 0)
    }

    @Test(
        "A folder that may not be read says so, and is read when it may",
        .enabled(if: getuid() != 0))
    func permission() throws {
        let scene = try FolderScene()
        try scene.disk.makeFolder("a")
        setMode(scene.disk.path("a"), 0)
        scene.follow("a")
        #expect(scene.first()?.fault == "You may not read this folder")
        setMode(scene.disk.path("a"), 0o700)
        #expect(scene.reach { scene.listings.last?.fault == nil })
    }

    @Test("Of 20,001 names one is left out, and that is said; folders are kept")
    func many() throws {
        let scene = try FolderScene()
        for number in 0..<FolderListing.mostNames { try scene.disk.write("\(number)") }
        scene.follow()
        _ = scene.first()
        #expect(scene.listings.last?.isCut == false)
        #expect(scene.listings.last?.entries.count == FolderListing.mostNames)
        try scene.disk.makeFolder("folder")
        #expect(scene.reach { scene.listings.last?.isCut == true })
        #expect(scene.listings.last?.entries.count == FolderListing.mostNames)
        #expect(scene.listings.last?.entries.first?.text == "folder")
        try scene.disk.remove("folder")
        #expect(scene.reach { scene.listings.last?.isCut == false })
    }

    @Test("Names of any bytes are told as they are")
    func hostile() throws {
        let scene = try FolderScene()
        let names: [[UInt8]] = [[0xFF, 0xFE], Array("a\nb".utf8), Array("\u{1B}[2J".utf8), [0x20]]
        for name in names {
            let path = try #require(scene.disk.rawPath(name))
            _ = try OwnedDescriptor.open(path, flags: O_WRONLY | O_CREAT)
        }
        scene.follow()
        let found = try #require(scene.first()).entries.map(\.name)
        #expect(Set(found) == Set(names))
    }

    @Test("It is told whether a file may be written")
    func places() throws {
        let scene = try FolderScene()
        try scene.disk.makeFolder("folder")
        try scene.disk.write("file")
        scene.disk.makePipe("pipe")
        for (link, target) in [
            ("to folder", "folder"), ("to file", "file"), ("to nowhere", "nowhere"),
            ("to pipe", "pipe"), ("circle", "circle"),
        ] { try scene.disk.makeLink(link, to: target) }
        scene.follow()
        func place(_ name: String) -> FolderAnswer? { scene.answer(.findPlace(Array(name.utf8))) }
        #expect(place("new") == .free)
        #expect(place("file") == .file && place("to file") == .file && place("to nowhere") == .file)
        #expect(place("folder") == .folder && place("to folder") == .folder)
        #expect(place("pipe")?.isRefusal == true && place("to pipe")?.isRefusal == true)
        #expect(place("circle") == .refused("Its links lead in a circle"))
        #expect(place(String(repeating: "x", count: 256))?.isRefusal == true)
        #expect(scene.answer(.find) == .done)
        #expect(scene.answer(.findFolder(Array("folder".utf8))) == .done)
        #expect(scene.answer(.findFolder(Array("file".utf8)))?.isRefusal == true)
        #expect(scene.answer(.findFolder(Array("none".utf8)))?.isRefusal == true)
    }

    @Test("A folder that may not be written says so", .enabled(if: getuid() != 0))
    func closed() throws {
        let scene = try FolderScene()
        try scene.disk.makeFolder("a")
        try scene.disk.write("a/file")
        setMode(scene.disk.path("a/file"), 0o400)
        setMode(scene.disk.path("a"), 0o500)
        scene.follow("a")
        let refusal = FolderAnswer.refused("You may not write in this folder")
        #expect(scene.answer(.findPlace([0x78]), in: "a") == refusal)
        #expect(scene.answer(.makeFolder([0x78]), in: "a") == refusal)
        #expect(scene.answer(.findPlace(Array("file".utf8)), in: "a")?.isRefusal == true)
        setMode(scene.disk.path("a"), 0o700)
    }

    @Test("A folder is made, and told; one that is there is not")
    func makes() throws {
        let scene = try FolderScene()
        scene.follow()
        #expect(scene.answer(.makeFolder(Array("new one".utf8))) == .done)
        #expect(scene.shows(["new one/"]))
        #expect(
            scene.answer(.makeFolder(Array("new one".utf8)))
                == .refused("'new one' is there already"))
    }

    @Test("Nothing is told of a folder that was left, and nothing is left behind")
    func left() throws {
        let scene = try FolderScene()
        func descriptors() -> Int? {
            try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        scene.follow()
        #expect(scene.shows([]))
        let before = try #require(descriptors())
        for _ in 0..<50 { scene.follow() }
        #expect(scene.shows([]))
        #expect(scene.listings.count == 1)
        scene.leave()
        scene.reader.close()
        #expect(scene.reach { (descriptors() ?? .max) < before + 20 })
        try scene.disk.write("file")
        #expect(scene.listings.isEmpty)
    }
}

extension FolderAnswer {
    fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
}
