// Random edits of a real folder, as programs and people make them.

import Glibc
import TestSupport

/// Makes random edits that are possible, and knows which files must keep their keys.
struct RandomEditor {
    let folder: RealFolder
    /// A place outside the folder, on the same file system.
    let outside: String
    /// The keys that files must have after the round; files that aren't named may have any.
    private(set) var keys: [Path: String] = [:]

    /// What was done in this round, for people.
    private(set) var log: [String] = []

    private var files: [Path] = []
    private var folders: [Path] = [[]]
    /// Files with several names: which name is renamed then is for the watcher to guess.
    private var linked: Set<Path> = []
    /// A file got another name since the daemon was last known to have seen it all. What is written through a name that
    /// another file has before the daemon looks is a documented blind spot.
    private var hasUnseenLinks = false
    private var gone: [Path] = []
    /// Folders made, and files saved atomically, since the daemon was last known to have seen it
    /// all. A file that is saved and moved where nobody looks yet can't be known again.
    private var unseenFolders: [Path] = []
    private var unseenSaves: Set<Path> = []
    private var next = 0

    init(folder: RealFolder, outside: String) {
        self.folder = folder
        self.outside = outside
    }

    /// Starts a round with what is on disk, and the key that each file has.
    mutating func begin(_ contents: RealFolder.Contents, keys known: [Path: String]) {
        files = contents.files.map(\.path).sorted { $0.lexicographicallyPrecedes($1) }
        folders = contents.folders.sorted { $0.lexicographicallyPrecedes($1) }
        linked = Set(contents.files.filter { $0.linkCount > 1 }.map(\.path))
        keys = known.filter { !linked.contains($0.key) }
        gone = Array(gone.suffix(20))
        log = []
        unseenFolders = []
        unseenSaves = []
        hasUnseenLinks = false
    }

    /// The daemon has seen all there is.
    mutating func noteSync(_ rev: Int) {
        log.append("sync: revision \(rev)")
        unseenFolders = []
        unseenSaves = []
        hasUnseenLinks = false
    }

    private func isUnseen(_ file: Path) -> Bool {
        unseenFolders.contains { isInside(file, $0) }
    }

    private mutating func note(_ what: String, _ path: Path, _ target: Path? = nil) {
        func shown(_ path: Path) -> String {
            String(decoding: path, as: UTF8.self).debugDescription
        }
        log.append(what + " " + shown(path) + (target.map { " → " + shown($0) } ?? ""))
    }

    // MARK: Names

    private static let stems: [[UInt8]] =
        [
            "notes", "Bericht", "a", "Ärger", "résumé", "日本語", "two\nlines", "it's \"quoted\"",
            "back\\slash", "tab\there", " spaced ", ".hidden", "emoji 👍🏽", "Straße", "ﬁn", "\u{1}",
        ].map { Array($0.utf8) } + [
            [0xFF, 0xFE, 0x61], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0x80],
        ]
    private static let suffixes = ["", ".md", ".txt", ".PDF", ".tar.gz", ".md~"]

    /// A name that nothing here has.
    private mutating func newName(_ random: inout SeededRandom, forFolder: Bool = false) -> Path {
        next += 1
        let number = Array(String(next).utf8)
        let stem = Self.stems.randomElement(using: &random) ?? []
        if forFolder { return stem + number }
        if random.chance(0.03) {
            return number + Path(repeating: UInt8(ascii: "L"), count: 255 - number.count)
        }
        let suffix = Self.suffixes.randomElement(using: &random) ?? ""
        return stem + number + Array(suffix.utf8)
    }

    private func join(_ parent: Path, _ name: Path) -> Path {
        parent.isEmpty ? name : parent + [UInt8(ascii: "/")] + name
    }

    private func parent(of path: Path) -> Path {
        path.lastIndex(of: UInt8(ascii: "/")).map { Path(path[..<$0]) } ?? []
    }

    private func isInside(_ path: Path, _ parent: Path) -> Bool {
        path == parent || path.starts(with: parent + [UInt8(ascii: "/")])
    }

    private mutating func newPlace(_ random: inout SeededRandom, forFolder: Bool = false) -> Path {
        // Not too deep, so that paths stay shorter than the kernel lets them be.
        let parent = folders.filter { $0.count < 300 }.randomElement(using: &random) ?? []
        return join(parent, newName(&random, forFolder: forFolder))
    }

    // MARK: Edits

    mutating func edit(_ random: inout SeededRandom) {
        let isCrowded = files.count > 250
        let file = files.randomElement(using: &random)
        let written = file.flatMap { hasUnseenLinks && linked.contains($0) ? nil : $0 }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<18 where !isCrowded: create(&random)
        case 0..<18, 18..<25: if let file { remove(file) }
        case 25..<34:
            if let written { folder.append(written, Int.random(in: 1...99, using: &random)) }
        case 34..<37:
            if let written { folder.write(written, Int.random(in: 0...9, using: &random)) }
        case 37..<48: if let file { saveAtomically(file, &random) }
        case 48..<58:
            if let file { rename(file, to: join(parent(of: file), newName(&random))) }
        case 58..<68: if let file { rename(file, to: newPlace(&random)) }
        case 68..<74: makeDeepFolder(&random)
        case 74..<79: moveFolder(&random)
        case 79..<82: removeFolder(&random)
        case 82..<84: makeLink(&random)
        case 84..<87:
            if let file, !isCrowded {
                let place = newPlace(&random)
                note("link", file, place)
                folder.link(file, place)
                forget(file)
                hasUnseenLinks = true
                linked.formUnion([file, place])
                files.append(place)
            }
        case 87..<90: renameOver(&random)
        case 90..<92: if let file { saveWithBackup(file) }
        case 92..<94: moveOutAndPerhapsBack(&random)
        case 94..<96:
            if let file {
                folder.setModified(
                    file, Int.random(in: -5...2_000_000_000, using: &random),
                    Int.random(in: 0..<1_000_000_000, using: &random))
            }
        case 96..<97: if let file { folder.setMode(file, random.chance(0.5) ? 0o600 : 0o644) }
        case 97..<98: replaceFileByFolder(&random)
        default:
            let place = newPlace(&random, forFolder: true)
            note("mkdir", place)
            folder.makeFolder(place)
            folders.append(place)
            unseenFolders.append(place)
        }
    }

    private mutating func create(_ random: inout SeededRandom) {
        var place = newPlace(&random)
        // Now and then where something was before.
        if random.chance(0.2), let old = gone.popLast(), folders.contains(parent(of: old)),
            !files.contains(old), !folders.contains(old)
        {
            place = old
        }
        note("create", place)
        folder.write(place, Int.random(in: 0...50, using: &random))
        forget(place)
        files.append(place)
    }

    private mutating func remove(_ file: Path) {
        note("remove", file)
        folder.remove(file)
        drop(file)
        gone.append(file)
    }

    private mutating func drop(_ file: Path) {
        files.removeAll { $0 == file }
        forget(file)
        linked.remove(file)
    }

    private mutating func forget(_ file: Path) { keys[file] = nil }

    /// Writes beside and renames over: the key stays.
    private mutating func saveAtomically(_ file: Path, _ random: inout SeededRandom) {
        next += 1
        let beside = join(parent(of: file), Array(".save\(next)".utf8))
        note("save", file)
        folder.write(beside, Int.random(in: 0...80, using: &random))
        folder.move(beside, file)
        linked.remove(file)
        unseenSaves.insert(file)
        if isUnseen(file) { forget(file) }
    }

    private mutating func rename(_ file: Path, to place: Path) {
        note("rename", file, place)
        folder.move(file, place)
        let isSaved = unseenSaves.remove(file) != nil
        let key = isSaved && isUnseen(place) ? nil : keys[file]
        let isLinked = linked.contains(file)
        drop(file)
        files.append(place)
        keys[place] = key
        if isSaved { unseenSaves.insert(place) }
        if isLinked { linked.insert(place) }
        gone.append(file)
    }

    /// One document in the place of another: which of the two keys stays is open.
    private mutating func renameOver(_ random: inout SeededRandom) {
        guard let file = files.randomElement(using: &random),
            let target = files.randomElement(using: &random), file != target
        else { return }
        // Two names of one file: rename does nothing then.
        guard !linked.contains(file), !linked.contains(target) else { return }
        note("rename over", file, target)
        folder.move(file, target)
        drop(file)
        forget(target)
    }

    /// As some editors save: the old file is moved aside, and removed in the end.
    private mutating func saveWithBackup(_ file: Path) {
        next += 1
        let backup = join(parent(of: file), Array("backup\(next)".utf8))
        note("save with backup", file)
        folder.move(file, backup)
        folder.write(file, 7)
        folder.remove(backup)
        forget(file)
        linked.remove(file)
    }

    private mutating func makeDeepFolder(_ random: inout SeededRandom) {
        guard files.count < 250 else { return }
        var place = newPlace(&random, forFolder: true)
        let top = place
        for name in ["e", "f"] where random.chance(0.8) { place = join(place, Array(name.utf8)) }
        note("mkdir -p", place)
        folder.makeFolders(place)
        var made = top
        folders.append(top)
        unseenFolders.append(top)
        while made != place {
            made = Path(place[..<(place[(made.count + 1)...].firstIndex(of: 47) ?? place.count)])
            folders.append(made)
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let file = join(random.chance(0.5) ? place : top, newName(&random))
            note("create", file)
            folder.write(file, Int.random(in: 0...20, using: &random))
            files.append(file)
        }
        // Straight away something that is known goes into it.
        if random.chance(0.4), let file = files.randomElement(using: &random),
            !isInside(file, top)
        {
            rename(file, to: join(place, newName(&random)))
        }
    }

    private mutating func moveFolder(_ random: inout SeededRandom) {
        guard let old = folders.dropFirst().randomElement(using: &random) else { return }
        let targets = folders.filter { !isInside($0, old) && $0.count < 200 }
        guard let target = targets.randomElement(using: &random) else { return }
        let new = join(target, newName(&random, forFolder: true))
        // The kernel takes no path of 4096 bytes.
        let longest = (files + folders).filter { isInside($0, old) }.map(\.count).max() ?? 0
        guard longest - old.count + new.count < 2000 else { return }
        note("move folder", old, new)
        folder.move(old, new)
        reroot(old, new)
    }

    private mutating func reroot(_ old: Path, _ new: Path) {
        func moved(_ path: Path) -> Path {
            isInside(path, old) ? new + path[old.count...] : path
        }
        files = files.map(moved)
        folders = folders.map(moved)
        linked = Set(linked.map(moved))
        unseenFolders = unseenFolders.map(moved) + (isUnseen(old) ? [new] : [])
        unseenSaves = Set(unseenSaves.map(moved))
        keys = Dictionary(keys.map { (moved($0.key), $0.value) }) { one, _ in one }
    }

    private mutating func removeFolder(_ random: inout SeededRandom) {
        // Leaves mostly, so that the tree stays a tree.
        let leaves = folders.dropFirst().filter { path in
            !folders.contains { $0 != path && isInside($0, path) }
        }
        let chosen =
            random.chance(0.8)
            ? leaves.randomElement(using: &random)
            : folders.dropFirst().randomElement(using: &random)
        guard let chosen else { return }
        note("rm -r", chosen)
        folder.removeTree(chosen)
        forgetFolder(chosen)
    }

    private mutating func forgetFolder(_ chosen: Path) {
        for file in files where isInside(file, chosen) { drop(file) }
        folders = folders.filter { !isInside($0, chosen) }
    }

    private mutating func makeLink(_ random: inout SeededRandom) {
        let place = newPlace(&random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: folder.makeSymbolicLink(to: "nowhere", place)
        case 1: folder.makeSymbolicLink(to: folder.text, place)
        case 2: folder.makeSymbolicLink(to: ".", place)
        default: folder.makePipe(place)
        }
    }

    private mutating func moveOutAndPerhapsBack(_ random: inout SeededRandom) {
        next += 1
        let away = "\(outside)/out\(next)"
        let isFolder = random.chance(0.5)
        let chosen =
            isFolder
            ? folders.dropFirst().randomElement(using: &random)
            : files.randomElement(using: &random)
        guard let chosen else { return }
        let source = String(decoding: chosen, as: UTF8.self)
        // Only names that are text have a path as one.
        guard Array(source.utf8) == chosen else { return }
        note("move out", chosen)
        folder.move(outside: folder.path(source), away)
        if isFolder { forgetFolder(chosen) } else { drop(chosen) }
        guard random.chance(0.6) else { return }
        let back = newName(&random, forFolder: true)
        let name = String(decoding: back, as: UTF8.self)
        guard Array(name.utf8) == back else { return }
        note("move in again", back)
        folder.move(outside: away, folder.path(name))
        if isFolder {
            folders.append(back)
            unseenFolders.append(back)
        } else {
            files.append(back)
        }
    }

    private mutating func replaceFileByFolder(_ random: inout SeededRandom) {
        guard let file = files.randomElement(using: &random) else { return }
        remove(file)
        folder.makeFolder(file)
        folders.append(file)
        unseenFolders.append(file)
        let inside = join(file, newName(&random))
        guard inside.count < 900 else { return }
        folder.write(inside, 3)
        files.append(inside)
    }

    // MARK: Renames alone

    /// Renames some files and saves some atomically, and nothing else.
    mutating func onlyRenameAndSave(_ count: Int, _ random: inout SeededRandom) {
        for _ in 0..<count {
            guard let file = files.randomElement(using: &random) else { return }
            if random.chance(0.3) {
                saveAtomically(file, &random)
            } else if random.chance(0.2) {
                moveFolder(&random)
            } else {
                rename(file, to: newPlace(&random))
            }
        }
    }
}
