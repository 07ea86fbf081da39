// Random edits with symbolic links, inside and outside the root. After each burst the store is compared with a plain walk
// that follows the links level by level, in the order of their paths, and none twice.

import DirectoryWatching
import FileRules
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Random edits with links")
struct RandomLinkTests {
    @Test("The documents are what a walk along the links finds", arguments: [false, true])
    func edits(byThreads: Bool) throws {
        try withSeed { random in
            for _ in 0..<testRounds(15) {
                var limits = WatchLimits()
                if random.chance(0.5) {
                    limits = WatchFixture.smallSlices.committing(3)
                    limits.eventsPerTurn = 20
                }
                limits.linkLevels = random.chance(0.5) ? 2 : 8
                let fixture = try WatchFixture(limits: limits)
                if byThreads { fixture.access.useThreads() }
                var editor = LinkEditor(Disk(fixture.folder.path))
                editor.makeFirst()
                var rules = Self.rules(&random)
                for _ in 0..<30 { editor.edit(&random) }
                try fixture.watcher.setRoots([RootToWatch(fixture.root.bytes, rules)])
                for _ in 0..<testRounds(15) {
                    for _ in 0..<Int.random(in: 0...25, using: &random) {
                        editor.edit(&random)
                        while random.chance(0.3) { fixture.loop.runOne() }
                    }
                    if random.chance(0.03) { fixture.access.loseQueue = true }
                    if random.chance(0.1) {
                        rules = Self.rules(&random)
                        editor.log.append("rules \(rules.symlinks) \(rules.hidden) \(rules.ignore)")
                        try fixture.watcher.setRoots([RootToWatch(fixture.root.bytes, rules)])
                    }
                    fixture.settleWithThreads()
                    let found = PlainLinkWalk.files(
                        in: fixture.root, rules, levels: limits.linkLevels)
                    let listed = Set(fixture.store.documents.map { Truth($0) })
                    if listed == found, fixture.store.documents.count == listed.count { continue }
                    Issue.record(
                        """
                        by \(rules): listed, and not found: \
                        \(listed.subtracting(found).map(\.description).sorted()); not listed: \
                        \(found.subtracting(listed).map(\.description).sorted())
                        \(editor.log.suffix(80).joined(separator: "\n"))
                        """)
                    return
                }
            }
        }
    }

    private static func rules(_ random: inout SeededRandom) -> DocumentRules {
        var rules = DocumentRules(usesBuiltIns: false)
        rules.symlinks = random.chance(0.7) ? .follow : random.chance(0.7) ? .report : .ignore
        rules.hidden = random.chance(0.5) ? .skip : .keep
        if random.chance(0.3) {
            rules.ignore = [["l1", "b/", "!.h/", "m*"].randomElement(using: &random) ?? "l1"]
        }
        return rules
    }
}

/// Makes, moves and removes files, folders and links with few names.
private struct LinkEditor {
    private let disk: Disk
    var log: [String] = []

    init(_ disk: Disk) {
        self.disk = disk
    }

    private static let folders = [
        "root", "out", "root/a", "root/b", "root/.h", "root/a/b", "out/a", "out/b", "out/a/b",
        "out/.h", "out/b/a", "root/b/a",
    ]
    private static let names = ["a", "b", ".h", "l1", "l2", "m.md", ".n", "o"]
    private static let targets = [
        "a", "b", "../a", "..", ".", "l1", "l2", "m.md", "../m.md", "../l1/a", "l2/b", "nothing",
        "/proc/self/root", "/dev/null",
    ]

    mutating func makeFirst() {
        for folder in ["out", "out/a", "out/b", "out/a/b"] { disk.makeFolder(folder) }
    }

    private func path(_ random: inout SeededRandom) -> String {
        let folder = Self.folders.randomElement(using: &random) ?? "root"
        return folder + "/" + (Self.names.randomElement(using: &random) ?? "a")
    }

    private func kind(_ path: String) -> FileKind? {
        (try? FileStatus.of(RawPath("\(disk.path)/\(path)")))?.kind
    }

    /// Whether the folder of a path is one, and none on the way is a link.
    private func hasRealFolder(_ path: String) -> Bool {
        let parts = path.split(separator: "/").dropLast()
        return (1...parts.count).allSatisfy {
            kind(parts.prefix($0).joined(separator: "/")) == .directory
        }
    }

    mutating func edit(_ random: inout SeededRandom) {
        let path = path(&random)
        guard hasRealFolder(path) else { return }
        let kind = kind(path)
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<3:
            guard kind == nil || kind == .regular else { return }
            let text = String(repeating: "x", count: Int.random(in: 0...9, using: &random))
            log.append("write \(path) \(text.count)")
            disk.write(path, text)
        case 3..<5:
            if kind != nil { return }
            log.append("mkdir \(path)")
            disk.makeFolder(path)
        case 5..<9:
            if kind != nil { return }
            var target = Self.targets.randomElement(using: &random) ?? "a"
            if random.chance(0.6) { target = disk.path + "/" + self.path(&random) }
            if random.chance(0.2) {
                target = disk.path + "/" + (Self.folders.randomElement(using: &random) ?? "out")
            }
            log.append("ln -s \(target) \(path)")
            disk.symlink(target, path)
        case 9..<11: remove(path, kind)
        case 11: if kind == .symbolicLink { remove(path, kind) }
        default: move(path, kind, to: self.path(&random))
        }
    }

    private mutating func remove(_ path: String, _ kind: FileKind?) {
        guard let kind else { return }
        log.append("rm -r \(path)")
        if kind == .directory { disk.removeTree(path) } else { disk.remove(path) }
    }

    private mutating func move(_ from: String, _ kind: FileKind?, to: String) {
        guard let kind, hasRealFolder(to), !(to + "/").hasPrefix(from + "/"),
            !(from + "/").hasPrefix(to + "/")
        else { return }
        if let there = self.kind(to) {
            guard (there == .directory) == (kind == .directory) else { return }
            if there == .directory { remove(to, there) }
        }
        log.append("mv \(from) \(to)")
        disk.move(from, to)
    }
}

/// What a walk finds, without a watcher.
private struct PlainLinkWalk {
    private struct Link {
        /// As it is listed.
        let path: [UInt8]
        /// Of the folder to which it leads.
        let place: [UInt8]
    }

    private let root: String
    private let rules: FolderRules
    private var found: Set<Truth> = []
    private var links: [Link] = []

    static func files(in disk: Disk, _ rules: DocumentRules, levels: Int) -> Set<Truth> {
        var walk = PlainLinkWalk(root: disk.path, rules: FolderRules(rules))
        guard let top = try? RawPath(disk.path).resolved().bytes else { return [] }
        walk.visit([], at: top)
        var places = [top]
        for _ in 0..<levels {
            let links = walk.links.sorted { $0.path.lexicographicallyPrecedes($1.path) }
            walk.links = []
            var followed: [Link] = []
            for link in links where !places.contains(where: { overlap($0, link.place) }) {
                places.append(link.place)
                followed.append(link)
            }
            for link in followed { walk.visit(link.path, at: link.place) }
        }
        return walk.found
    }

    private static func overlap(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let (one, other) = (one + [47], other + [47])
        return one.starts(with: other) || other.starts(with: one) || one == [47, 47]
            || other == [47, 47]
    }

    private mutating func visit(_ folder: [UInt8], at place: [UInt8]) {
        guard let raw = RawPath(bytes: place),
            var reader = try? DirectoryReader(opening: raw, followingLinks: false)
        else { return }
        var entries: [[UInt8]] = []
        while (try? reader.readBatch { entries.append($0.name) }) == true {}
        for name in entries {
            guard let status = try? FileStatus.of(name, in: reader.folder),
                isKept(name, isFolder: status.kind == .directory, in: folder)
            else { continue }
            let path = folder.isEmpty ? name : folder + [47] + name
            let inside = place + [47] + name
            switch status.kind {
            case .regular: found.insert(Truth(root: root, path: path, status: status))
            case .directory: visit(path, at: inside)
            case .symbolicLink: visit(link: name, in: folder, path, inside)
            case .socket, .other: break
            }
        }
    }

    private mutating func visit(
        link name: [UInt8], in folder: [UInt8], _ path: [UInt8], _ inside: [UInt8]
    ) {
        guard rules.symlinks != .ignore, let raw = RawPath(bytes: inside),
            let target = try? FileStatus.of(raw, followingLinks: true)
        else { return }
        if target.kind == .regular {
            found.insert(Truth(root: root, path: path, status: target))
        } else if target.kind == .directory, rules.symlinks == .follow,
            isKept(name, isFolder: true, in: folder), let place = try? raw.resolved().bytes
        {
            links.append(Link(path: path, place: place))
        }
    }

    private func isKept(_ name: [UInt8], isFolder: Bool, in folder: [UInt8]) -> Bool {
        if case .kept = rules.verdict(name[...], isFolder: isFolder, in: { folder }) {
            true
        } else {
            false
        }
    }

    private init(root: String, rules: FolderRules) {
        self.root = root
        self.rules = rules
    }
}
