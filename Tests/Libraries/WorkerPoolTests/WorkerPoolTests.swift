import Synchronization
import TestSupport
import Testing

@testable import WorkerPool

@Suite struct WorkerPoolTests {
    /// What the workers of a pool do: they take pieces, and count how often each was taken.
    private final class Pieces {
        final class Piece {
            let taken = Atomic<Int>(0)
        }

        let all: [Piece]
        let next = Atomic<Int>(0)
        let inside = Atomic<Int>(0)
        /// Which workers took part, a bit for each.
        let workers = Atomic<Int>(0)
        /// Written by the caller before each run, and read by the workers.
        var number = 0
        let sum = Atomic<Int>(0)

        init(_ count: Int) {
            all = (0..<count).map { _ in Piece() }
        }

        func work(as worker: Int) {
            inside.wrappingAdd(1, ordering: .relaxed)
            workers.bitwiseOr(1 << worker, ordering: .relaxed)
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < all.count else { break }
                all[index].taken.wrappingAdd(1, ordering: .relaxed)
                sum.wrappingAdd(number, ordering: .relaxed)
            }
            inside.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    @Test(
        "each piece of work is done once in each run, whether the others look for it or sleep",
        arguments: 1...4)
    func runs(workers: Int) throws {
        try withSeed { random in
            let pieces = Pieces(200)
            let pool = WorkerPool(workers: workers) { pieces.work(as: $0) }
            #expect(pool.workers == workers)
            for run in 1...2000 {
                pieces.number = run
                pieces.sum.store(0, ordering: .relaxed)
                pieces.next.store(0, ordering: .relaxed)
                pool.run()
                // All that was begun is over, and its effects are seen.
                #expect(pieces.inside.load(ordering: .relaxed) == 0)
                #expect(pieces.sum.load(ordering: .relaxed) == run * pieces.all.count)
                let taken = pieces.all.allSatisfy { $0.taken.load(ordering: .relaxed) == run }
                try #require(taken, "run \(run)")
                if random.chance(0.02) {
                    pause(microseconds: Int.random(in: 1...400, using: &random))
                }
            }
            #expect(pieces.workers.load(ordering: .relaxed) & 1 == 1)
        }
    }

    @Test("the others take part, also those that have slept")
    func others() {
        let pieces = Pieces(0)
        let pool = WorkerPool(workers: 3) { pieces.work(as: $0) }
        for _ in 0..<2 {
            pieces.workers.store(0, ordering: .relaxed)
            // A run without a piece is over at once, so some come too late.
            while pieces.workers.load(ordering: .relaxed) != 0b111 { pool.run() }
            // Longer than any looks for a run.
            pause(microseconds: 2000)
        }
    }

    @Test("the threads end with their pool, whether they look or sleep", arguments: [0, 1000])
    func end(pause microseconds: Int) {
        weak var kept: Pieces?
        do {
            let pieces = Pieces(10)
            kept = pieces
            let pool = WorkerPool(workers: 4) { pieces.work(as: $0) }
            pool.run()
            pause(microseconds: microseconds)
            withExtendedLifetime(pool) {}
        }
        // They had the work, and it.
        #expect(kept == nil)
    }

    /// Lets time pass in which nothing runs; what is tested holds whatever the others do meanwhile.
    private func pause(microseconds: Int) {
        let end = ContinuousClock.now + .microseconds(microseconds)
        while ContinuousClock.now < end {}
    }
}
