// What threads read and what waits to be checked, without a thread and without a watcher, compared with plain lists.

import SystemInterface
import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("Scans elsewhere")
struct ScansElsewhereStateTests {
    /// The expected state of one scan.
    private struct Plain {
        let scan: RunningScan
        /// Entries that were not answered yet.
        var left: Int
        /// Entries that were answered and wait.
        var waiting: [Int] = []
        var request: Int?
    }

    private func part(_ count: Int, rest: FolderPart.Rest) -> FolderPart {
        var batch = FolderBatch()
        for number in 0..<count { batch.append([UInt8(number)], .kind(.regular)) }
        return FolderPart(batch, rest: rest)
    }

    private func scan(_ folder: WatchedFolder) throws -> RunningScan {
        let reader = try DirectoryReader(opening: RawPath("/"))
        return RunningScan(folder, isRecursive: false, reader: reader)
    }

    @Test("Random answers and checks: all entries are checked once, and all is counted")
    func random() throws {
        try withSeed { random in
            let limit = Int.random(in: 1...5, using: &random)
            var state = ScansElsewhere(folderLimit: limit, entryLimit: 40, touchedLimit: 3)
            var plain: [Plain] = []
            // Requests of scans that were ended.
            var ended: [Int] = []
            var (begun, checked, dropped) = (0, 0, 0)

            func note(_ request: FolderRequest?, _ index: Int) {
                guard let request else { return }
                #expect(plain[index].request == nil && plain[index].left >= 0)
                plain[index].request = request.number
            }
            for step in 0..<4000 {
                let isLast = step > 3000
                switch Int.random(in: 0..<10, using: &random) {
                case 0...1 where !isLast:
                    #expect(
                        state.hasRoom
                            == (plain.count + ended.count < limit
                                && plain.flatMap(\.waiting).reduce(0, +) < 40))
                    if !state.hasRoom { break }
                    let new = try scan(WatchedFolder(name: [1]))
                    let request = state.add(new)
                    let left = Int.random(in: 0...30, using: &random)
                    begun += left
                    plain.append(Plain(scan: new, left: left))
                    note(request, plain.count - 1)
                case 2...5:
                    guard let index = plain.indices.randomElement(using: &random),
                        let number = plain[index].request
                    else { break }
                    // A part with more to come has entries.
                    let count = min(plain[index].left, Int.random(in: 1...9, using: &random))
                    let isEnd = count == plain[index].left
                    plain[index].left = isEnd ? -1 : plain[index].left - count
                    plain[index].waiting.append(count)
                    plain[index].request = nil
                    let answer = FolderAnswer(
                        number: number, part: part(count, rest: isEnd ? .end : .more))
                    note(state.take(answer), index)
                case 6...8:
                    guard let scan = state.nextScan() else {
                        #expect(plain.allSatisfy { $0.waiting.isEmpty })
                        break
                    }
                    let index = try #require(plain.firstIndex { $0.scan === scan })
                    #expect(scan.batch.count == plain[index].waiting[0])
                    let count = min(
                        scan.batch.count - scan.next, Int.random(in: 0...9, using: &random))
                    scan.next += count
                    checked += count
                    if scan.next < scan.batch.count { break }
                    plain[index].waiting.removeFirst()
                    if scan.elsewhere?.rest == .end {
                        #expect(plain[index].left < 0 && plain[index].waiting.isEmpty)
                        state.end(scan.folder)
                        plain.remove(at: index)
                    } else {
                        note(state.endPart(), index)
                    }
                default:
                    if let number = ended.popLast() {
                        let late = FolderAnswer(number: number, part: part(1, rest: .more))
                        let request = state.take(late)
                        #expect(request == nil)
                    }
                    guard !isLast, random.chance(0.3),
                        let index = plain.indices.randomElement(using: &random)
                    else { break }
                    let gone = plain.remove(at: index)
                    dropped += max(0, gone.left) + gone.waiting.reduce(0, +) - gone.scan.next
                    if let request = gone.request { ended.append(request) }
                    state.end(gone.scan.folder)
                }
                #expect(state.entryCount == plain.flatMap(\.waiting).reduce(0, +), "step \(step)")
                #expect(state.openFolders == plain.count + ended.count)
                state.checkInvariants()
            }
            #expect(begun == checked + dropped && plain.isEmpty)
        }
    }

    @Test("Names are touched from the beginning of the scan on, all of them beyond the limit")
    func touched() throws {
        var state = ScansElsewhere(touchedLimit: 2)
        let folder = WatchedFolder(name: [])
        state.note([1], in: folder)
        let scan = try scan(folder)
        _ = state.add(scan)
        state.note([2], in: folder)
        state.note([3], in: WatchedFolder(name: []))
        func isTouched(_ name: UInt8) -> Bool? { scan.elsewhere?.isTouched([name]) }
        #expect((1...3).map(isTouched) == [false, true, false])
        state.note([4], in: folder)
        #expect(isTouched(9) == false)
        state.note([5], in: folder)
        #expect(isTouched(9) == true)
        state.end(folder)
        state.note([6], in: folder)
        #expect(state.isEmpty && state.openFolders == 1)
        state.dropRequests()
        #expect(state.openFolders == 0)
        state.checkInvariants()
    }

    @Test("Without descriptors no folder is begun before all are closed")
    func short() throws {
        var queue = ScanQueue()
        let folders = (0..<3).map { WatchedFolder(name: [UInt8($0)]) }
        for folder in folders { queue.queueScan(folder, recursive: false) }
        let firstTaken = queue.takeNext()
        let first = try #require(firstTaken)
        let hadToWait = queue.waitForRoom(first)
        #expect(!hadToWait)
        _ = queue.beginElsewhere(try scan(first))
        #expect(queue.needsSlice(hasThreads: true))
        let secondTaken = queue.takeNext()
        let second = try #require(secondTaken)
        let hasToWait = queue.waitForRoom(second)
        #expect(hasToWait && !queue.elsewhere.hasRoom)
        #expect(!queue.needsSlice(hasThreads: true) && queue.elsewhere.isWaitingForRoom)
        queue.checkInvariants()
        queue.end(first)
        // Its request is still out.
        #expect(!queue.needsSlice(hasThreads: true))
        _ = queue.elsewhere.take(FolderAnswer(number: 1, part: part(0, rest: .end)))
        #expect(queue.needsSlice(hasThreads: true) && queue.elsewhere.hasRoom)
        let next = queue.takeNext()
        #expect(next === second)
    }
}
