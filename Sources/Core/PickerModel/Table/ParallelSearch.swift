// A search by several processors.
//
// The blocks are divided into parts, which the workers take one after another: the calling thread is one of them, and
// does the whole if no other wakes up in time. It waits only for parts that others have begun. All parts that were
// taken are searched, so the search ends at a block that is known.
//
// Where more runs than there are processors, a thread may lose its own in the midst of a part, for milliseconds. After
// that the caller searches alone for a while.

internal import CDocumentKernels
internal import Synchronization
internal import WorkerPool

/// Searches texts with all workers of a pool. One search at a time.
@safe final class ParallelSearch {
    /// The blocks of a part: some hundredths of a millisecond, and whole lines of the cache of results.
    static let blocksPerPart = 64
    /// The steps of each worker after which no part is taken any more: some tenths of a millisecond, so that waking the
    /// others is worth it.
    private static let stepsAtOnce = 40_000
    /// The longest time to sleep for the others, after which they rest.
    private static let longestWait = Duration.milliseconds(1)
    /// More workers would wait for memory.
    private static let mostWorkers = 4

    /// What is searched, and how far that has come.
    @unsafe private final class Job {
        var texts = unsafe names_texts()
        var instructions: Int32 = 0
        var needle: UnsafePointer<UInt8>?
        var needleCount = 0
        var among: UnsafePointer<UInt64>?
        var result: UnsafeMutablePointer<UInt64>?
        var end = 0
        var mostSteps = 0
        let next = Atomic<Int>(0)
        let steps = Atomic<Int>(0)

        /// Searches parts until none is left, or all have taken enough steps.
        func work() {
            while unsafe steps.load(ordering: .relaxed) < mostSteps {
                let start = unsafe next.wrappingAdd(
                    ParallelSearch.blocksPerPart, ordering: .relaxed
                ).oldValue
                guard unsafe start < end else { return }
                let stop = unsafe min(end, start + ParallelSearch.blocksPerPart)
                let taken = unsafe withUnsafePointer(to: texts) { texts in
                    unsafe Int(
                        names_search(
                            instructions, texts, UInt32(start), UInt32(stop), among, needle,
                            needleCount, result))
                }
                _ = unsafe steps.wrappingAdd(taken, ordering: .relaxed)
            }
        }
    }

    private let job: Job
    private let pool: WorkerPool
    private var rest = SearchRest()

    /// Whether the others are not to be asked.
    var isResting: Bool { rest.isOn(at: .now) }

    /// Lets the others rest.
    func beginRest() { rest.begin(at: .now) }

    /// Starts the threads, at most `mostWorkers` with the calling one.
    init(workers: Int) {
        let job = unsafe Job()
        unsafe self.job = unsafe job
        pool = WorkerPool(workers: min(workers, Self.mostWorkers)) { _ in unsafe job.work() }
    }

    /// As `names_search`, perhaps only for the first of the blocks. Nothing that the pointers point to may be changed by
    /// others meanwhile.
    /// - Returns: the end of the blocks that were searched, and the approximate number of steps of each worker.
    @unsafe func search(
        _ texts: names_texts, _ range: Range<Int>, instructions: Int32,
        needle: UnsafePointer<UInt8>, count: Int, among: UnsafePointer<UInt64>,
        result: UnsafeMutablePointer<UInt64>
    ) -> (end: Int, steps: Int) {
        unsafe job.texts = unsafe texts
        unsafe job.instructions = instructions
        unsafe job.needle = unsafe needle
        unsafe job.needleCount = count
        unsafe job.among = unsafe among
        unsafe job.result = unsafe result
        unsafe job.end = range.upperBound
        unsafe job.mostSteps = Self.stepsAtOnce * pool.workers
        unsafe job.steps.store(0, ordering: .relaxed)
        unsafe job.next.store(range.lowerBound, ordering: .relaxed)
        if pool.run() > Self.longestWait { beginRest() }
        return unsafe (
            min(range.upperBound, job.next.load(ordering: .relaxed)),
            job.steps.load(ordering: .relaxed) / pool.workers
        )
    }
}

/// The times for which others do not search, as they had other work: each that begins soon after another is twice as
/// long.
struct SearchRest {
    static let shortest = Duration.milliseconds(200)
    static let longest = Duration.milliseconds(6400)

    private var length = shortest
    /// When the last ends.
    private var end: ContinuousClock.Instant?

    func isOn(at now: ContinuousClock.Instant) -> Bool { end.map { now < $0 } ?? false }

    mutating func begin(at now: ContinuousClock.Instant) {
        let isSoon = end.map { now < $0 + length } ?? false
        length = isSoon ? min(Self.longest, length * 2) : Self.shortest
        end = now + length
    }
}
