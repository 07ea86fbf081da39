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
            try run(&random, limits, rounds: testRounds(25))
            try run(&random, limits.committing(2), rounds: testRounds(15))
            // Whatever can be left to the next turn is.
            limits.turnTime = .zero
            try run(&random, limits, rounds: testRounds(3))
            try run(&random, WatchLimits(), rounds: testRounds(25))
        }
    }

    @Test(
        "Files that are moved, saved and moved with folders keep their keys, however commits are cut"
    )
    func keys() throws {
        try withSeed { random in
            for most in [1, 3, 8, 1024] {
                var limits = WatchLimits().committing(most)
                limits.entriesInline = 40
                limits.entriesPerSlice = 15
                limits.eventsPerTurn = most == 1024 ? 1024 : 30
                if random.chance(0.1) { limits.turnTime = .zero }
                for _ in 0..<testRounds(15) {
                    let fixture = try WatchFixture(limits: limits)
                    var burst = try KeptKeys(fixture, &random)
                    for _ in 0..<Int.random(in: 1...80, using: &random) {
                        burst.edit(&random)
                        while random.chance(0.4) { fixture.loop.runOne() }
                        if random.chance(0.1) { fixture.store.releaseFreedRows() }
                    }
                    fixture.settle()
                    fixture.expectTruth()
                    for (path, key) in burst.keys where fixture.key(path) != key {
                        Issue.record(
                            """
                            \(most) in a commit: '\(path)' had the key \(key), now \
                            \(fixture.key(path) ?? "none"):
                            \(burst.log.joined(separator: "\n"))
                            """)
                        return
                    }
                }
            }
        }
    }

    private func run(
        _ random: inout SeededRandom, _ limits: WatchLimits, rounds: Int
    ) throws {
        let fixture = try WatchFixture(limits: limits)
        var editor = Editor(fixture)
        try fixture.start()
        for _ in 0..<rounds {
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
            fixture.expectTruth()
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

/// A burst of edits that let the files that were there at first keep their keys.
private struct KeptKeys {
    /// The keys of the files that were there at first, by where they are now.
    private(set) var keys: [String: String] = [:]
    private(set) var log: [String] = []
    private let disk: Disk
    private var folders: [String]
    /// Paths that were left, by files and folders.
    private var free: [String] = []
    private var next = 0

    init(_ fixture: WatchFixture, _ random: inout SeededRandom) throws {
        disk = fixture.root
        folders = ["", "one", "two", "two/three", "two/three/four", "five"]
        for folder in folders.dropFirst() { disk.makeFolders(folder) }
        var files: [String] = []
        for number in 0..<Int.random(in: 1...30, using: &random) {
            let folder = folders.randomElement(using: &random) ?? ""
            files.append(Self.join(folder, "f\(number)"))
        }
        for file in files { disk.write(file, file) }
        try fixture.start()
        for file in files { keys[file] = fixture.key(file) }
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : "\(folder)/\(name)"
    }

    /// A path where nothing is: one that was left, if possible.
    private mutating func place(_ random: inout SeededRandom) -> String {
        next += 1
        if random.chance(0.5), let place = free.randomElement(using: &random), isFree(place) {
            return place
        }
        return Self.join(folders.randomElement(using: &random) ?? "", "n\(next)")
    }

    private func isFree(_ place: String) -> Bool {
        guard !disk.exists(place) else { return false }
        let parent = place.split(separator: "/").dropLast().joined(separator: "/")
        // Of a new folder, the watcher may know nothing when its files are moved again.
        return folders.contains(parent)
    }

    mutating func edit(_ random: inout SeededRandom) {
        guard let file = keys.keys.sorted().randomElement(using: &random) else { return }
        let place = place(&random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3:
            log.append("move \(file) \(place)")
            disk.move(file, place)
            keys[place] = keys.removeValue(forKey: file)
            free.append(file)
        case 3..<6:
            log.append("save \(file)")
            disk.save(file, "saved \(next)")
        case 6..<8:
            log.append("create \(place)")
            disk.write(place, "new")
        default:
            guard let folder = folders.dropFirst().randomElement(using: &random) else { return }
            if place == folder || place.hasPrefix(folder + "/") { return }
            log.append("move \(folder) \(place)")
            disk.move(folder, place)
            func moved(_ path: String) -> String {
                path == folder || path.hasPrefix(folder + "/")
                    ? place + path.dropFirst(folder.count) : path
            }
            free +=
                folders.filter { moved($0) != $0 } + keys.keys.sorted().filter { moved($0) != $0 }
            folders = folders.map(moved)
            keys = Dictionary(uniqueKeysWithValues: keys.map { (moved($0.key), $0.value) })
        }
    }
}

/// Makes random valid edits.
struct Editor {
    let fixture: WatchFixture
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
                fixture.watcher.drainNow()
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
