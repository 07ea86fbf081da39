// Who wants a watch and whose is taken, without a kernel.

import EventLoops
import Testing

@testable import DirectoryWatching

@Suite("The hand around the watches")
struct WatchHandTests {
    private func makeTable(_ count: Int) -> WatchTable {
        var table = WatchTable()
        for number in 1...count {
            let folder = WatchedFolder(name: Array("\(number)".utf8))
            _ = table.set(Int32(number), of: folder)
        }
        return table
    }

    private func at(_ seconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000)
    }

    @Test("It goes a bounded number of steps in a turn and in a round, and goes on where it was")
    func steps() {
        var limits = WatchLimits()
        limits.watchesPassed = 2500
        var moves = WatchMoves(limits)
        let table = makeTable(10_000)
        let polled = WatchedFolder(name: [1])
        var met: [Int32] = []
        for round in 0..<8 {
            moves.want(polled)
            let now = at(100 + round)
            #expect(moves.mayBegin(now))
            moves.begin(viewed: [], among: table.count, now) { _ in true }
            var turns = 0
            while moves.isRoundOpen {
                #expect(!moves.mayBegin(at(1000)))
                let before = met.count
                var steps = 1000
                let found = moves.nextQuiet(&steps, in: table, at: 100) { folder, _ in
                    met.append(folder.watch)
                    return false
                }
                #expect(found == nil && met.count - before <= 1000)
                turns += 1
            }
            #expect(turns == 3 && met.count == 2500 * (round + 1))
            #expect(!moves.mayBegin(now) && moves.mayBegin(at(101 + round)))
            moves.endRound()
        }
        #expect(met == Array(1...10_000) + Array(1...10_000))
    }

    @Test("It goes around once in a round, however few there are")
    func around() {
        var moves = WatchMoves(WatchLimits())
        let table = makeTable(5)
        moves.want(WatchedFolder(name: [1]))
        moves.begin(viewed: [], among: table.count, at(100)) { _ in true }
        var met: [Int32] = []
        func go(_ most: Int) -> WatchedFolder? {
            var steps = most
            return moves.nextQuiet(&steps, in: table, at: 100) { folder, _ in
                met.append(folder.watch)
                return false
            }
        }
        #expect(go(3)?.watch == nil && met == [1, 2, 3] && moves.isRoundOpen)
        #expect(go(3)?.watch == nil && met == [1, 2, 3, 4, 5] && !moves.isRoundOpen)
        #expect(go(3)?.watch == nil && met.count == 5)
    }

    @Test("It passes what is used, and takes what is not")
    func quiet() {
        var moves = WatchMoves(WatchLimits())
        let table = makeTable(9)
        for place in 0..<table.count { table.folder(at: place).watchStamp = UInt32(100 + place) }
        let polled = WatchedFolder(name: [1])
        func find(_ stamp: UInt32) -> [Int32] {
            moves.want(polled)
            moves.begin(viewed: [], among: table.count, at(Int(stamp))) { _ in true }
            var found: [Int32] = []
            var steps = table.count
            while let next = moves.nextQuiet(&steps, in: table, at: stamp, { _, _ in true }) {
                found.append(next.watch)
            }
            moves.endRound()
            return found
        }
        #expect(find(160) == [] && find(161) == [1] && find(164) == [1, 2, 3, 4])
        #expect(find(1000) == Array(1...9))
        // A stamp of later than now, or none.
        #expect(find(50) == [])
        table.folder(at: 0).watchStamp = 0
        #expect(find(50) == [1])
    }

    @Test(
        "Each folder wants one watch, and so many at a time; those at which lists look come first"
    )
    func wanting() {
        var limits = WatchLimits()
        limits.foldersWanting = 3
        limits.watchesMoved = 2
        var moves = WatchMoves(limits)
        let folders = (0..<5).map { WatchedFolder(name: [UInt8($0)]) }
        for folder in folders + folders { moves.want(folder) }
        #expect(moves.wanting.map(\.name) == [[0], [1], [2]])
        moves.drop(folders[1])
        moves.drop(folders[4])
        moves.checkInvariants()
        #expect(!moves.isRoundOpen)
        folders[2].watchStamp = 99
        moves.begin(viewed: [folders[3], folders[4], folders[2]], among: 9, at(100)) {
            $0 !== folders[4]
        }
        moves.checkInvariants()
        #expect(moves.wanting.map(\.name) == [[3], [0]])
        moves.want(folders[1])
        #expect(moves.takeNext() === folders[3] && moves.takeNext() === folders[0])
        #expect(moves.takeNext() == nil && !moves.isRoundOpen)
        moves.checkInvariants()
    }
}
