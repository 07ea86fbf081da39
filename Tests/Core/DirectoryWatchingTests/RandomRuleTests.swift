// Random edits under random rules. After each burst the store is compared with a plain walk that reads the ignore files
// of each folder, and asks the rules for each name on the way down.

import DirectoryWatching
import FileRules
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Random edits under rules")
struct RandomRuleTests {
    @Test("The documents are what a walk by the same rules finds", arguments: [false, true])
    func edits(byThreads: Bool) throws {
        try withSeed { random in
            for _ in 0..<testRounds(12) {
                var limits = WatchLimits()
                if random.chance(0.5) {
                    limits = WatchFixture.smallSlices.committing(3)
                    limits.eventsPerTurn = 20
                }
                let fixture = try WatchFixture(limits: limits)
                if byThreads { fixture.access.useThreads() }
                var editor = RuleEditor(fixture.root)
                var rules = Self.rules(&random)
                for _ in 0..<30 { editor.edit(&random) }
                try fixture.watcher.setRoots([RootToWatch(fixture.root.bytes, rules)])
                for _ in 0..<testRounds(12) {
                    for _ in 0..<Int.random(in: 0...25, using: &random) {
                        editor.edit(&random)
                        while random.chance(0.3) { fixture.loop.runOne() }
                    }
                    if random.chance(0.02) { fixture.access.loseQueue = true }
                    if random.chance(0.15) {
                        rules = Self.rules(&random)
                        try fixture.watcher.setRoots([RootToWatch(fixture.root.bytes, rules)])
                    }
                    fixture.settleWithThreads()
                    let found = PlainRuleWalk.names(in: fixture.root, rules)
                    if fixture.names == found { continue }
                    Issue.record(
                        """
                        by \(rules): listed, and not found: \
                        \(Set(fixture.names).subtracting(found).sorted()); not listed: \
                        \(Set(found).subtracting(fixture.names).sorted())
                        \(editor.log.suffix(60).joined(separator: "\n"))
                        """)
                    return
                }
            }
        }
    }

    private static func rules(_ random: inout SeededRandom) -> DocumentRules {
        var rules = DocumentRules()
        rules.hidden = random.chance(0.5) ? .skip : .keep
        rules.readsIgnoreFiles = random.chance(0.7)
        rules.usesBuiltIns = random.chance(0.8)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            rules.ignore.append(RuleEditor.pattern(&random))
        }
        return rules
    }
}

extension WatchFixture {
    /// The same while threads read folders.
    func settleWithThreads() {
        watcher.drainNow()
        let isSettled = loop.run {
            loop.spend(.milliseconds(1))
            if !watcher.isSettled { watcher.drainNow() }
            return watcher.isSettled
        }
        #expect(isSettled)
    }
}

/// Makes, moves and removes files, folders and ignore files with few names.
private struct RuleEditor {
    private let disk: Disk
    private(set) var log: [String] = []

    init(_ disk: Disk) {
        self.disk = disk
    }

    private static let folders = [
        "", "a", "b", ".h", "node_modules", "target", "a/b", "a/.h", "a/target", "b/a", "a/b/a",
    ]
    private static let files = [
        "a.md", "b.o", ".e", "b.md~", "c", "target", "Cargo.toml", "d.md", "x.o",
    ]

    static func pattern(_ random: inout SeededRandom) -> String {
        let patterns = [
            "*.o", "/a/b", "b/", "!b.o", "a/**/a", "c", "*.md", "!*.md", "/target", "!.e", "a/*.md",
            ".*", "!.h/", "a",
        ]
        return patterns.randomElement(using: &random) ?? "a"
    }

    private func folder(_ random: inout SeededRandom) -> String {
        Self.folders.randomElement(using: &random) ?? ""
    }

    private func file(_ random: inout SeededRandom) -> String {
        join(folder(&random), Self.files.randomElement(using: &random) ?? "c")
    }

    private func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : "\(folder)/\(name)"
    }

    private func isFolder(_ path: String) -> Bool {
        guard let raw = RawPath(bytes: disk.bytes + [47] + Array(path.utf8)) else { return false }
        return (try? FileStatus.of(raw))?.kind == .directory
    }

    private func parentExists(_ path: String) -> Bool {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        return parent.isEmpty || isFolder(parent)
    }

    mutating func edit(_ random: inout SeededRandom) {
        let path = file(&random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<3:
            if parentExists(path), !isFolder(path) {
                log.append("write \(path)")
                disk.write(path, path)
            }
        case 3..<5:
            let folder = folder(&random)
            let parts = folder.split(separator: "/")
            let blocked = (1...max(1, parts.count)).contains { count in
                let above = parts.prefix(count).joined(separator: "/")
                return !above.isEmpty && disk.exists(above) && !isFolder(above)
            }
            if !folder.isEmpty, !blocked {
                log.append("mkdir -p \(folder)")
                disk.makeFolders(folder)
            }
        case 5..<7:
            let name = join(folder(&random), random.chance(0.7) ? ".gitignore" : ".ignore")
            if parentExists(name) {
                let lines = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    Self.pattern(&random)
                }
                log.append("write \(name): \(lines)")
                disk.write(name, lines.map { $0 + "\n" }.joined())
            }
        case 7:
            let name = join(folder(&random), random.chance(0.5) ? ".gitignore" : ".ignore")
            if disk.exists(name) {
                log.append("remove \(name)")
                disk.remove(name)
            }
        case 8:
            if disk.exists(path), !isFolder(path) {
                log.append("remove \(path)")
                disk.remove(path)
            }
        default: move(&random)
        }
    }

    private mutating func move(_ random: inout SeededRandom) {
        let isOfFolder = random.chance(0.5)
        let from = isOfFolder ? folder(&random) : file(&random)
        let to = isOfFolder ? folder(&random) : file(&random)
        guard !from.isEmpty, !to.isEmpty, disk.exists(from), !(to + "/").hasPrefix(from + "/"),
            !(from + "/").hasPrefix(to + "/"), parentExists(to), isFolder(from) == isOfFolder
        else { return }
        if disk.exists(to) {
            guard isFolder(to) == isOfFolder else { return }
            log.append("rm -r \(to)")
            if isOfFolder { disk.removeTree(to) } else { disk.remove(to) }
        }
        log.append("move \(from) \(to)")
        disk.move(from, to)
    }
}

/// What a walk finds, without a watcher.
private struct PlainRuleWalk {
    private let disk: Disk
    private var names: [String] = []

    static func names(in disk: Disk, _ rules: DocumentRules) -> [String] {
        var walk = PlainRuleWalk(disk: disk)
        walk.visit([], FolderRules(rules))
        return walk.names.sorted()
    }

    private mutating func visit(_ folder: [UInt8], _ above: FolderRules) {
        guard let raw = RawPath(bytes: disk.bytes + [47] + folder),
            var reader = try? DirectoryReader(opening: raw)
        else { return }
        var entries: [[UInt8]] = []
        while (try? reader.readBatch { entries.append($0.name) }) == true {}
        var files: [(name: String, text: [UInt8])] = []
        for name in [".gitignore", ".ignore"] where entries.contains(Array(name.utf8)) {
            guard let path = RawPath(bytes: raw.bytes + [47] + Array(name.utf8)),
                let text = try? PrivateFile.contents(of: path, limit: 1 << 20)
            else { continue }
            files.append((name, text))
        }
        let rules = above.adding(files, at: folder)
        for name in entries {
            guard let status = try? FileStatus.of(name, in: reader.folder) else { continue }
            let isFolder = status.kind == .directory
            switch rules.verdict(name[...], isFolder: isFolder, in: { folder }) {
            case .kept: break
            case .ignored: continue
            case .ignoredBeside(let markers, _):
                let isBeside = markers.contains { marker in
                    let status = try? FileStatus.of(marker, in: reader.folder)
                    return status?.kind == .regular
                }
                if isBeside { continue }
            }
            let path = folder.isEmpty ? name : folder + [47] + name
            if isFolder {
                visit(path, rules)
            } else if status.kind == .regular {
                names.append(String(decoding: path, as: UTF8.self))
            }
        }
    }

    private init(disk: Disk) {
        self.disk = disk
    }
}
