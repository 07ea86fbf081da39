// Folders waiting for a scan, without reading any, compared with a plain table.

import SystemInterface
import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("Scan queue")
struct ScanQueueTests {
    /// The expected state of one folder.
    private struct Plain {
        var isWaiting = false
        var isRunning = false
        var isRecursive = false
        /// Queued again while it is being read.
        var again: Bool?
        var progress: ScanProgress?
    }

    private struct Counts: Equatable {
        var waiting = 0
        var scanned = 0
    }

    /// A present root with some folders.
    private func root(_ name: String) -> (root: WatchedRoot, folders: [WatchedFolder]) {
        let root = WatchedRoot(path: Array("/\(name)".utf8))
        let top = WatchedFolder(name: [])
        top.root = root
        root.state = .present(top)
        let inner = (0..<3).map { number in
            let folder = WatchedFolder(name: [])
            top.attach(folder, as: [UInt8(number)])
            return folder
        }
        return (root, [top] + inner)
    }

    private func scan(_ folder: WatchedFolder, isRecursive: Bool) throws -> RunningScan {
        let reader = try DirectoryReader(opening: RawPath("/"))
        return RunningScan(folder, isRecursive: isRecursive, reader: reader)
    }

    @Test(
        "Random folders are read as often as they were asked for, and counted as a plain table has it"
    )
    func random() throws {
        try withSeed { random in
            let (a, b) = (root("a"), root("b"))
            let folders = a.folders + b.folders
            var plain = [Plain](repeating: Plain(), count: folders.count)
            var counts: [ObjectIdentifier: Counts] = [:]
            // The counts of a lost root are kept, for folders still counted in them.
            var kept: [ScanProgress] = [a.root.progress, b.root.progress]
            var scans = ScanQueue()

            func count(_ index: Int, _ waiting: Int, _ scanned: Int) {
                guard let progress = plain[index].progress else { return }
                counts[ObjectIdentifier(progress), default: Counts()].waiting += waiting
                counts[ObjectIdentifier(progress), default: Counts()].scanned += scanned
            }
            func ask(_ index: Int, _ isRecursive: Bool) {
                if plain[index].isRunning {
                    plain[index].again = plain[index].again ?? false || isRecursive
                } else if plain[index].isWaiting {
                    plain[index].isRecursive = plain[index].isRecursive || isRecursive
                } else {
                    plain[index] = Plain(isWaiting: true, isRecursive: isRecursive)
                    plain[index].progress = folders[index].attachedRoot?.progress
                    count(index, 1, 0)
                }
            }
            func end(_ index: Int) {
                if !plain[index].isWaiting, !plain[index].isRunning { return }
                count(index, -1, 1)
                plain[index] = Plain()
            }

            for step in 0..<3000 {
                let index = Int.random(in: 0..<folders.count, using: &random)
                switch Int.random(in: 0..<12, using: &random) {
                case 0...3:
                    let isRecursive = random.chance(0.3)
                    scans.queueScan(folders[index], recursive: isRecursive)
                    ask(index, isRecursive)
                case 4...6:
                    if scans.running != nil { break }
                    guard let folder = scans.takeNext() else { break }
                    let taken = try #require(folders.firstIndex { $0 === folder })
                    let isRecursive = plain[taken].isWaiting ? plain[taken].isRecursive : nil
                    #expect(scans.isRecursive(folder) == isRecursive, "step \(step)")
                    guard let isRecursive else { break }
                    if random.chance(0.6) {
                        scans.begin(try scan(folder, isRecursive: isRecursive))
                        plain[taken].isWaiting = false
                        plain[taken].isRunning = true
                    } else if random.chance(0.5) {
                        scans.end(folder)
                        end(taken)
                    }
                case 7...8:
                    guard let running = plain.firstIndex(where: \.isRunning) else { break }
                    scans.finishRunning()
                    let again = plain[running].again
                    end(running)
                    if let again { ask(running, again) }
                case 9:
                    if !random.chance(0.3) { break }
                    scans.end(folders[index])
                    end(index)
                case 10:
                    scans.resume(folders[index])
                default:
                    if !random.chance(0.1) { break }
                    let root = random.chance(0.5) ? a.root : b.root
                    root.progress = ScanProgress()
                    kept.append(root.progress)
                }
                let running = plain.firstIndex(where: \.isRunning)
                #expect(scans.running?.folder === running.map { folders[$0] }, "step \(step)")
                for (folder, plain) in zip(folders, plain) {
                    #expect(folder.scan.isWaiting == plain.isWaiting, "step \(step)")
                }
                for progress in kept {
                    let counted = Counts(
                        waiting: progress.foldersWaiting, scanned: progress.foldersScanned)
                    #expect(
                        counted == counts[ObjectIdentifier(progress)] ?? Counts(), "step \(step)")
                }
                scans.checkInvariants()
            }

            // All waiting folders are reached, once those that could not be read are resumed.
            for folder in folders { scans.resume(folder) }
            while !scans.isIdle {
                scans.finishRunning()
                if let folder = scans.takeNext() { scans.end(folder) }
            }
            #expect(folders.allSatisfy { !$0.scan.isWaiting })
            #expect(kept.allSatisfy { $0.foldersWaiting == 0 })
        }
    }

    @Test("The newest folder is read first, and a long scan stays long until nothing is left")
    func order() {
        var scans = ScanQueue()
        let folders = (0..<3).map { WatchedFolder(name: [UInt8($0)]) }
        for folder in folders { scans.queueScan(folder, recursive: false) }
        scans.endSlice(isUsedUp: false)
        #expect(!scans.isLong)
        scans.endSlice(isUsedUp: true)
        var order: [[UInt8]] = []
        while let folder = scans.takeNext() {
            #expect(scans.isLong)
            order.append(folder.name)
            scans.end(folder)
            scans.endSlice(isUsedUp: false)
        }
        #expect(order == [[2], [1], [0]] && !scans.isLong && scans.isIdle)
    }
}
