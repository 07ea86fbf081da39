import PickerModel

/// A reader whose batches the test answers.
final class ScriptedReader: AttributeReader {
    struct Work {
        let batch: ReadingBatch
        fileprivate let answer: (ReadingOutcome) -> Void

        var keys: [String] { batch.files.map(\.key) }
    }

    var room = 2 { didSet { if room > 0 { whenReady?() } } }
    let mostFiles = 64
    var whenReady: (() -> Void)?
    /// The batches that are not answered, the oldest first.
    private(set) var waiting: [Work] = []
    /// All batches so far.
    private(set) var batches: [ReadingBatch] = []

    func read(_ batch: ReadingBatch, _ answer: @escaping (ReadingOutcome) -> Void) {
        batches.append(batch)
        waiting.append(Work(batch: batch, answer: answer))
    }

    /// The keys of all batches so far.
    var keys: [[String]] { batches.map { $0.files.map(\.key) } }

    /// Answers the batch at `place` of those that wait.
    func answer(_ place: Int = 0, _ outcome: (ReadingBatch) -> ReadingOutcome) {
        let work = waiting.remove(at: place)
        work.answer(outcome(work.batch))
    }

    /// The batches that it reads now.
    var begunCount: Int {
        waiting.first?.batch.isAlone == true ? 1 : waiting.prefix { !$0.batch.isAlone }.count
    }

    /// Ends while it has batches. Those that must be read alone have not begun while others are read.
    func fall(isFault: Bool = true) {
        let had = Array(waiting.prefix(begunCount))
        waiting.removeFirst(had.count)
        for work in had { work.answer(.ended(isFault: isFault)) }
    }
}
