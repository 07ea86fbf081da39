// Changes between commits, without a watcher, compared with their folder.

import EventLoops
import PickerModel
import SystemInterface
import TestSupport
import Testing

@testable import DirectoryWatching

/// A folder whose files change by simulated events, and the documents that commits create from it.
private final class Bench {
    let store = DocumentStore(epoch: "e")
    let root = WatchedRoot(path: Array("/root".utf8))
    let folder = WatchedFolder(name: [])
    var changes: PendingChanges
    /// Files that left by the first half of a move.
    var halfMoved: [FileEntry] = []
    private var nextIdentity: UInt64 = 0
    private var lastPart = 0

    init() {
        changes = PendingChanges(remembering: KeyMemory(limit: 100, span: .seconds(1)))
        folder.root = root
        root.state = .present(folder)
    }

    func facts(_ size: UInt64) -> FileFacts {
        FileFacts(size: size, modified: FileTime(seconds: 0))
    }

    func make(_ name: [UInt8]) {
        if folder.files[name] != nil { return }
        nextIdentity += 1
        let key = store.mintKeyNumber()
        folder.files[name] = FileEntry(key: key, identity: nextIdentity)
        changes.add(key, folder, name, facts(1))
    }

    /// Adds files that a scan found in what was read of the folder, if there are none of these names.
    func find(_ names: [[UInt8]], _ status: FileStatus) throws {
        lastPart += 1
        let scan = RunningScan(
            folder, isRecursive: false, reader: try DirectoryReader(opening: RawPath("/")))
        for name in names { scan.batch.append(name[...], .status(status)) }
        var scratch = PreparedNames.Scratch()
        scan.names = PreparedNames(of: scan.batch, &scratch)
        scan.part = lastPart
        for (place, name) in names.enumerated() {
            nextIdentity += 1
            let (_, key) = folder.files.add(name[...], identity: nextIdentity) {
                store.mintKeyNumber()
            }
            if let key { changes.add(key, at: place, of: scan) }
        }
        changes.checkInvariants()
    }

    func write(_ name: [UInt8], _ size: UInt64) {
        if let entry = folder.files[name] {
            changes[entry.key] = .present(folder, name, facts(size))
        }
    }

    func remove(_ name: [UInt8]) {
        if let entry = folder.files.removeValue(forKey: name) { changes.setGone(entry) }
    }

    func moveOut(_ name: [UInt8]) {
        guard let entry = folder.files.removeValue(forKey: name) else { return }
        changes[entry.key] = .halfMoved
        halfMoved.append(entry)
    }

    func moveIn(_ name: [UInt8]) {
        guard let entry = halfMoved.popLast() else { return }
        remove(name)
        folder.files[name] = entry
        // A new file that was not checked yet has no facts.
        let isKnown = store.has(entry.key)
        changes[entry.key] = .present(folder, name, isKnown ? nil : facts(1))
    }

    func text(_ key: DocumentKey) -> String { store.table.text(of: key) }

    func document(_ key: DocumentKey) -> Document? { store[key: text(key)] }

    /// Commits at most `limit` changes.
    /// - Returns: whether decided changes are left.
    func commit(atMost limit: Int?) -> Bool {
        let before = changes.count
        if let runs = changes.takeNewFiles(atMost: limit) {
            #expect(changes.count == max(0, before - (limit ?? .max)))
            store.edit { edits in
                for run in runs {
                    guard let number = try? edits.folder(root: root.text, path: []) else {
                        Issue.record("there is no folder")
                        continue
                    }
                    edits.add(from: run.firstKey, in: number, named: run.names, run.places) {
                        run.facts($0)
                    }
                }
            }
            changes.checkInvariants()
            return changes.count > 0
        }
        let (part, isCut) = changes.takeDecided(atMost: limit, from: store)
        let keys = part.map(\.key)
        #expect(keys == keys.sorted())
        var removed: [Document] = []
        var inserted: [Document] = []
        for (key, change) in part {
            let old = document(key)
            if let old { removed.append(old) }
            guard case .present(_, let name, let facts) = change else { continue }
            let size = facts?.size ?? old?.size ?? 0
            let path = FileName(bytes: name)
            inserted.append(
                Document(
                    key: text(key), root: root.text, path: path, size: size,
                    modified: FileTime(seconds: 0)))
        }
        let change = store.apply(removed: removed, inserted: inserted)
        if halfMoved.isEmpty {
            // No document has lost its path unless requested.
            let asked = Set(removed.map(\.key))
            #expect(change?.removed.allSatisfy { asked.contains($0.key) } != false)
        }
        changes.checkInvariants()
        return isCut
    }
}

@Suite("Pending changes")
struct PendingChangesTests {
    @Test("What was read is kept with new files only as long as they are no small part of it")
    func held() throws {
        let status = try FileStatus.of(RawPath("/proc/self/exe"), followingLinks: true)
        let known = (0..<99).map { Array("known\($0)".utf8) }
        for (new, isKept) in [(1, false), (20, false), (21, true), (99, true)] {
            let bench = Bench()
            for name in known { bench.make(name) }
            while bench.commit(atMost: nil) {}
            var most = 0
            for batch in 0..<500 {
                let names = (0..<new).map { Array("\(batch) \($0)".utf8) }
                try bench.find(names + known.prefix(100 - new), status)
                let held = bench.changes.entriesHeld
                most = max(most, held)
                #expect(held <= NewFiles.entriesForOne * (batch + 1) * new + 8192 + 100)
            }
            #expect((most == 50_000) == isKept, "\(new) new files of 100")
            #expect(bench.changes.count == 500 * new)
            while bench.commit(atMost: 5000) {}
            #expect(bench.changes.entriesHeld == 0)
            #expect(bench.store.documents.count == 99 + 500 * new)
        }
    }

    @Test("Random changes committed in parts end with the documents of the folder")
    func random() throws {
        let status = try FileStatus.of(RawPath("/proc/self/exe"), followingLinks: true)
        var runs = 0
        try withSeed { random in
            for limit in [1, 2, 5, nil] {
                let bench = Bench()
                for step in 0..<1500 {
                    let name = [UInt8.random(in: 97..<105, using: &random)]
                    switch Int.random(in: 0..<10, using: &random) {
                    case 9:
                        let first = UInt8.random(in: 97..<105, using: &random)
                        try bench.find((first..<first + 4).map { [$0] }, status)
                        if bench.changes.hasNewKeys { runs += 1 }
                    case 0...1: bench.make(name)
                    case 2: bench.write(name, UInt64.random(in: 1..<9, using: &random))
                    case 3: bench.remove(name)
                    case 4: bench.moveOut(name)
                    case 5...6: bench.moveIn(name)
                    default: _ = bench.commit(atMost: limit)
                    }
                    if !random.chance(0.02) { continue }
                    while !bench.halfMoved.isEmpty { bench.moveIn(name) }
                    let most = bench.changes.count
                    var parts = 0
                    while parts <= most, bench.commit(atMost: limit) { parts += 1 }
                    #expect(parts <= most)
                    #expect(bench.changes.isEmpty && !bench.changes.hasNewKeys)
                    let listed = bench.store.documents.map { "\($0.key) \($0.path.text)" }
                    let files = bench.folder.files.map { name, entry in
                        "\(bench.text(entry.key)) \(FileName(bytes: name).text)"
                    }
                    #expect(
                        Set(listed) == Set(files) && listed.count == files.count, "step \(step)")
                }
            }
        }
        #expect(runs > 0)
    }

    @Test("Undecided changes wait, and decided ones do not wait for them")
    func undecided() {
        let bench = Bench()
        for name in [[97], [98]] as [[UInt8]] { bench.make(name) }
        #expect(!bench.commit(atMost: nil))
        bench.moveOut([97])
        bench.write([98], 5)
        #expect(bench.changes.hasDecided && bench.changes.count == 2)
        #expect(!bench.commit(atMost: 1))
        #expect(!bench.changes.hasDecided && bench.changes.count == 1)
        // A folder without a root has no path.
        bench.folder.root = nil
        bench.write([98], 6)
        #expect(!bench.changes.hasDecided && bench.changes.count == 2)
        let (none, isCut) = bench.changes.takeDecided(atMost: nil, from: bench.store)
        #expect(none.isEmpty && !isCut)
        bench.folder.root = bench.root
        #expect(bench.changes.hasDecided)
    }

    @Test("A part of many saved files is taken without a look for other documents at their paths")
    func savedFiles() {
        let bench = Bench()
        let names = (0..<400).map { Array("file \($0).txt".utf8) }
        for name in names { bench.make(name) }
        #expect(!bench.commit(atMost: nil))
        func save() { for name in names { bench.write(name, 2) } }
        save()
        #expect(bench.commit(atMost: 200))
        #expect(!bench.commit(atMost: 200))
        save()
        var taken = 0
        let cost = Cost.of {
            taken = bench.changes.takeDecided(atMost: 200, from: bench.store).part.count
        }
        // In a debug build, 32 for each file; with the look 74.
        #expect(taken == 200 && cost.retains < 200 * 50, "\(cost)")
    }

    @Test("The key of a vanished file returns to the same file only, and once")
    func vanished() {
        let bench = Bench()
        let now = MonotonicInstant(nanoseconds: 0)
        bench.make([97])
        _ = bench.commit(atMost: nil)
        guard let entry = bench.folder.files[[97]], let document = bench.document(entry.key)
        else {
            Issue.record("there is no document")
            return
        }
        bench.changes.vanish(entry.key, entry.identity, isKnown: true, now: now)
        // The key is in use.
        let early = bench.changes.takeVanished(entry.identity, now: now, unlessIn: bench.store)
        #expect(early == nil)
        bench.store.apply(removed: [document])
        bench.changes.vanish(entry.key, entry.identity, isKnown: true, now: now)
        let other = bench.changes.takeVanished(99, now: now, unlessIn: bench.store)
        let found = bench.changes.takeVanished(entry.identity, now: now, unlessIn: bench.store)
        let again = bench.changes.takeVanished(entry.identity, now: now, unlessIn: bench.store)
        #expect(other == nil && found == entry.key && again == nil)
        // A key that nobody knows is not remembered.
        bench.changes.vanish(DocumentKey(minted: 77), 77, isKnown: false, now: now)
        let never = bench.changes.takeVanished(77, now: now, unlessIn: bench.store)
        #expect(never == nil)
    }
}
