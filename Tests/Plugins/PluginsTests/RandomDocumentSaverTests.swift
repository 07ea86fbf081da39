// Random files, kills, ends and restarts: nobody is told what does not hold later.

import JSONText
import PickerModel
import TestSupport
import Testing

@Suite struct RandomDocumentSaverTests {
    /// What a client knows that was sent all up to a revision.
    private struct Client {
        let epoch: String
        let rev: Int
        let known: Set<KnownDocument>
    }

    /// The files below a folder, and a run of the daemon.
    private final class Model {
        let folder: TemporaryFolder
        let root: String
        var run: DocumentRun
        var files: Set<String> = []
        var folders: Set<String> = [""]
        private var names = 0
        private var manyPlace = "many"
        private var epochs = 0
        private var clients: [Client] = []
        /// What may be there after a kill.
        private var candidates: [Set<KnownDocument>] = []
        /// The thread may have something to write.
        private var mayLag = false
        /// By epoch.
        private var greatestRev: [String: Int] = [:]
        private var nextKey: UInt64 = 0
        var restarts = 0
        var restored = 0

        init(many: Int) throws {
            folder = try TemporaryFolder()
            try folder.makeFolder("r")
            try folder.makeFolder("many")
            for number in 0..<many {
                try folder.write("many/\(number)" + String(repeating: "x", count: 80))
            }
            root = folder.path("r")
            run = try DocumentRun(root, epoch: "e0")
        }

        // MARK: Edits

        private func newName(_ random: inout SeededRandom) -> String {
            names += 1
            return (folders.sorted().randomElement(using: &random) ?? "") + "n\(names)"
        }

        func edit(_ random: inout SeededRandom) throws {
            // Of all that is there, in an order that the seed decides.
            let file = files.sorted().randomElement(using: &random)
            let name = newName(&random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<4:
                try folder.write("r/" + name, name)
                files.insert(name)
            case 4..<6:
                guard let file else { return }
                try folder.write("r/" + file, name + name)
            case 6:
                guard let file else { return }
                try folder.remove("r/" + file)
                files.remove(file)
            case 7:
                guard let file else { return }
                try folder.move("r/" + file, to: "r/" + name)
                files.remove(file)
                files.insert(name)
            case 8:
                // Saved by a rename.
                guard let file else { return }
                try folder.write("r/" + name, name)
                try folder.remove("r/" + file)
                try folder.move("r/" + name, to: "r/" + file)
            case 9:
                try folder.makeFolder("r/" + name)
                folders.insert(name + "/")
            case 10:
                guard
                    let old = folders.subtracting([""]).sorted().randomElement(using: &random),
                    !name.hasPrefix(old)
                else { return }
                try folder.move("r/" + old.dropLast(), to: "r/" + name)
                folders = Set(folders.map { Self.moved($0, old, name + "/") })
                files = Set(files.map { Self.moved($0, old, name + "/") })
            default:
                guard let old = folders.subtracting([""]).sorted().randomElement(using: &random)
                else { return }
                try folder.remove("r/" + old.dropLast())
                folders = folders.filter { !$0.hasPrefix(old) }
                files = files.filter { !$0.hasPrefix(old) }
            }
        }

        private static func moved(_ path: String, _ old: String, _ new: String) -> String {
            path.hasPrefix(old) ? new + path.dropFirst(old.count) : path
        }

        /// Moves a folder with many files to another place, in the root or out of it.
        func moveMany(_ random: inout SeededRandom) throws {
            names += 1
            let place = random.chance(0.3) ? "many" : "r/many\(names)"
            if place == manyPlace { return }
            try folder.move(manyPlace, to: place)
            manyPlace = place
            mayLag = true
        }

        // MARK: Steps

        /// Says what the daemon may tell of from now on.
        func note() {
            let known = run.known
            if candidates.last != known { candidates.append(known) }
            let (epoch, rev) = (run.documents.epoch, run.documents.rev)
            #expect(rev >= greatestRev[epoch] ?? 0, "a revision is there once")
            greatestRev[epoch] = rev
            nextKey = max(nextKey, run.documents.nextKey)
        }

        /// Sends a client all.
        func output() {
            note()
            run.flush()
            if !mayLag { candidates = [run.known] }
            let client = Client(
                epoch: run.documents.epoch, rev: run.documents.rev, known: run.known)
            if clients.last?.rev != client.rev { clients.append(client) }
            if clients.count > 24 { clients.removeFirst() }
        }

        func sync() throws {
            #expect(run.settle())
            note()
        }

        func beginSync() {
            _ = run.session.call("sync", ["timeoutMs": 0])
            note()
        }

        func turn() {
            run.loop.turn()
            note()
            if !mayLag { candidates = [run.known] }
        }

        func restart(isKill: Bool) throws {
            restarts += 1
            epochs += 1
            if !isKill { note() }
            let (old, rev) = (run, run.documents.rev)
            let (isStored, expected) = (run.info["stored"] == true, run.known)
            let oldEpoch = run.documents.epoch
            let disk = isKill ? old.killed() : old.end()
            run = try DocumentRun(root, disk, epoch: "e\(epochs)")
            run.documents.table.checkInvariants()
            if isStored || run.documents.epoch == oldEpoch {
                #expect(run.documents.epoch == oldEpoch)
                restored += 1
                #expect(run.documents.nextKey >= old.documents.nextKey)
                if isKill {
                    #expect(candidates.contains(run.known), "of \(candidates.count)")
                    #expect(run.documents.rev >= rev)
                } else {
                    #expect(run.known == expected && run.documents.rev == rev)
                }
                let texts = Set(run.known.map(\.key))
                #expect(texts.count == run.known.count)
            } else {
                #expect(run.documents.count == 0)
                nextKey = 0
            }
            candidates = [run.known]
            mayLag = false
            note()
        }

        /// Compares all with the disk, and what clients would learn now with what is there.
        func check() throws {
            try sync()
            #expect(Set(run.known.map(\.path).filter { !$0.contains("many") }) == files)
            for client in clients where client.epoch == run.documents.epoch {
                guard let changed = run.documents.keysChanged(after: client.rev) else { continue }
                let old = client.known.filter { !changed.contains($0.key) }
                let new = run.known.filter { !changed.contains($0.key) }
                #expect(old == new, "a client of \(client.rev), now \(run.documents.rev)")
            }
        }
    }

    private func go(_ random: inout SeededRandom, steps: Int, many: Int) throws -> Model {
        let model = try Model(many: many)
        for _ in 0..<steps {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8: try model.edit(&random)
            case 8..<11: model.beginSync()
            case 11..<13: model.output()
            case 13: model.turn()
            case 14: try model.check()
            case 15:
                #expect(model.run.settle() && model.run.store())
                model.note()
            case 16, 17: try model.restart(isKill: true)
            case 18: try model.restart(isKill: false)
            default: if many > 0 { try model.moveMany(&random) }
            }
            model.note()
        }
        try model.check()
        return model
    }

    @Test("after any edits, kills and ends, all that clients know holds")
    func random() throws {
        try withSeed { random in
            var restored = 0
            for _ in 0..<testRounds(12) {
                restored += try go(&random, steps: 120, many: 0).restored
            }
            #expect(restored > 0)
        }
    }

    @Test("the same with changes that go by the thread, and several snapshots")
    func randomLarge() throws {
        try withSeed { random in
            for _ in 0..<testRounds(1) {
                _ = try go(&random, steps: 150, many: 1500)
            }
        }
    }
}
