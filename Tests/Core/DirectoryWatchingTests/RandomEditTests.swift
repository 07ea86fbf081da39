import DirectoryWatching
import Glibc
import PickerModel
import TestSupport
import Testing

@Suite("Random edits")
struct RandomEditTests {
    @Test("After bursts of random edits the store equals a walk, and keys follow renames")
    func edits() throws {
        try withSeed { random in
            var limits = WatchLimits()
            // Small, so that every limit is reached.
            limits.entriesInline = 40
            limits.entriesPerSlice = 15
            limits.eventsPerTurn = 60
            limits.changesPerTransaction = 50
            try run(&random, limits, rounds: 25)
            try run(&random, WatchLimits(), rounds: 25)
        }
    }

    private func run(
        _ random: inout SeededRandom, _ limits: WatchLimits, rounds: Int
    ) throws {
        let fixture = try WatchFixture(limits: limits)
        var editor = Editor(fixture)
        try fixture.start()
        for round in 0..<rounds {
            let before = fixture.store.rev
            let count = Int.random(in: 1...100, using: &random)
            for _ in 0..<count {
                editor.edit(&random)
                if random.chance(0.05) { fixture.loop.runOne() }
                if random.chance(0.2) { fixture.store.releaseFreedRows() }
                if random.chance(0.002) { fixture.access.loseQueue = true }
                if random.chance(0.02) { fixture.loop.advance(by: .milliseconds(3)) }
            }
            fixture.settle()
            #expect(fixture.store.rev >= before)
            let failures = editor.failures
            fixture.expectTruth()
            for (path, key) in editor.renamed {
                #expect(fixture.key(path) == key, "round \(round): \(path)")
            }
            editor.renamed = [:]
            if failures > 0 { Issue.record("round \(round)") }
        }
        // Keys follow pure renames: a burst without other edits.
        for _ in 0..<10 {
            let pairs = editor.renameOnly(&random)
            let keys = pairs.map { fixture.key($0.from) }
            for pair in pairs { fixture.root.move(pair.from, pair.to) }
            fixture.settle()
            #expect(pairs.map { fixture.key($0.to) } == keys)
            fixture.expectTruth()
        }
    }
}

/// Makes random valid edits.
struct Editor {
    let fixture: WatchFixture
    var renamed: [String: String?] = [:]
    let failures = 0
    private var next = 0

    init(_ fixture: WatchFixture) {
        self.fixture = fixture
    }

    private var disk: Disk { fixture.root }

    mutating func edit(_ random: inout SeededRandom) {
        let file = disk.files.randomElement(using: &random)
        let folders = disk.folders
        if folders.count > 60, let folder = folders.last(where: { !$0.contains("/") }) {
            disk.removeTree(folder)
            return
        }
        guard let folder = folders.randomElement(using: &random) else { return }
        let other = folders.randomElement(using: &random) ?? folder
        next += 1
        let new =
            (folder.isEmpty ? "" : folder + "/") + "n\(Int.random(in: 0..<40, using: &random))"
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25:
            if !disk.isFolder(new) { disk.write(new, String(repeating: "x", count: next % 50)) }
        case 25..<35: if let file { disk.append(file, "more") }
        case 35..<45:
            if let file, !disk.isFolder(file + ".tmp") { disk.save(file, "saved \(next)") }
        case 45..<60: if let file, !disk.isFolder(new) { disk.move(file, new) }
        case 60..<70: if let file { disk.remove(file) }
        case 70..<76:
            let deep = "d\(next)/e/f"
            disk.makeFolders(folder.isEmpty ? deep : "\(folder)/\(deep)")
            disk.write((folder.isEmpty ? deep : "\(folder)/\(deep)") + "/g", "deep")
        case 76..<84:
            let inside = other == folder || other.hasPrefix(folder + "/")
            if !folder.isEmpty, !inside {
                disk.move(folder, (other.isEmpty ? "" : other + "/") + "m\(next)")
            }
        case 84..<87: if !folder.isEmpty { disk.removeTree(folder) }
        case 87..<91:
            if let file {
                disk.link(file, (other.isEmpty ? "" : other + "/") + "l\(next)")
                // A write through a link that is removed before it is seen goes unnoticed.
                fixture.loop.turn()
            }
        case 91..<94: disk.symlink("n1", (other.isEmpty ? "" : other + "/") + "s\(next)")
        case 94..<96: if let file { disk.setModified(file, next, 5) }
        case 96..<97:
            Disk(fixture.folder.path).move("root", "away")
            if random.chance(0.5) { fixture.loop.turn() }
            Disk(fixture.folder.path).move("away", "root")
        case 97..<98:
            if let file { disk.move(file, outTo: fixture.folder.path("out\(next)")) }
            if !folder.isEmpty, disk.exists(folder) {
                disk.move(folder, outTo: fixture.folder.path("outfolder"))
                if random.chance(0.5) { fixture.loop.turn() }
                disk.move(from: fixture.folder.path("outfolder"), "back\(next)")
            }
        default:
            if let file {
                // As in some editors' saves.
                disk.move(file, file + "~")
                disk.write(file, "kept \(next)")
                disk.remove(file + "~")
            }
        }
    }

    /// Renames without common names.
    mutating func renameOnly(_ random: inout SeededRandom) -> [(from: String, to: String)] {
        var pairs: [(String, String)] = []
        for file in disk.files.shuffled(using: &random).prefix(20) {
            next += 1
            let folder = disk.folders.randomElement(using: &random) ?? ""
            pairs.append((file, (folder.isEmpty ? "" : folder + "/") + "r\(next)"))
        }
        return pairs
    }
}

extension Disk {
    var files: [String] { list { $0 == UInt8(DT_REG) } }
    var folders: [String] { [""] + list { $0 == UInt8(DT_DIR) } }

    func isFolder(_ name: String) -> Bool {
        guard let stream = unsafe opendir("\(path)/\(name)") else { return false }
        unsafe closedir(stream)
        return true
    }

    private func list(_ isWanted: (UInt8) -> Bool) -> [String] {
        var found: [String] = []
        var waiting = [""]
        while let folder = waiting.popLast() {
            guard let stream = unsafe opendir("\(path)/\(folder)") else { continue }
            while let entry = unsafe readdir(stream) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe String(
                        cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                }
                if name == "." || name == ".." { continue }
                let whole = folder.isEmpty ? name : "\(folder)/\(name)"
                let type = unsafe entry.pointee.d_type
                if isWanted(type) { found.append(whole) }
                if type == UInt8(DT_DIR) { waiting.append(whole) }
            }
            unsafe closedir(stream)
        }
        return found.sorted()
    }
}
