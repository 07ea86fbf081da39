// Sorts rows by words, in slices.
//
// The first word of each row is given, and sorted by radix. Rows with equal words are sorted by their next words,
// which are requested only for them; rows that have no more words are told apart by comparison. So a row costs a few
// sequential passes and one access for each further word that it shares with others.

internal import CDocumentKernels

/// A row and a word that it is sorted by.
typealias RowEntry = names_entry

/// What tells rows with equal words apart.
protocol RowWords {
    /// The word of this level, of which 0 is the first; nil behind the last. Rows that are equal in all words of lower
    /// levels must both have a word of this one, or none.
    func word(of row: UInt32, level: Int) -> UInt64?

    /// Whether the first row comes before the second; both are equal in all words.
    func isBefore(_ one: UInt32, _ other: UInt32) -> Bool

    /// Sets the words of some entries to those of a level; 0 behind the last.
    /// - Returns: whether there is a word.
    func fill(_ entries: inout [RowEntry], _ range: Range<Int>, level: Int) -> Bool
}

extension RowWords {
    func fill(_ entries: inout [RowEntry], _ range: Range<Int>, level: Int) -> Bool {
        fillEach(&entries, range, level: level)
    }

    func fillEach(_ entries: inout [RowEntry], _ range: Range<Int>, level: Int) -> Bool {
        var isFound = false
        for index in range {
            let word = word(of: entries[index].row, level: level)
            if word != nil { isFound = true }
            entries[index].word = word ?? 0
        }
        return isFound
    }
}

/// Sorts rows by their words, with pauses.
struct RowSorter {
    /// The number of entries up to which a range is sorted by comparing words.
    private static let smallRange = 1024
    private static let digitBits = 11
    private static let digits = 6
    private static let buckets = 1 << digitBits
    /// No more than there are on a page of memory.
    private static let touchedEntries = 256
    /// The cost of asking for a word.
    private static let accessSteps = 4

    /// The work on a range of equal words in lower levels.
    private struct Job {
        enum Phase {
            case fetch, count, scatter(pass: Int), copy, runs
        }

        let range: Range<Int>
        let level: Int
        var phase: Phase
        /// The next index to work on.
        var next: Int
        /// Where the run that begins at `next` is known to go on to.
        var runEnd = 0
        /// Whether a row of the range has a word of this level.
        var hasWords = true
        /// Whether the entries are in `spare`, between two passes.
        var isInSpare = false
    }

    private var entries: [RowEntry]
    private var spare: [RowEntry] = []
    private var jobs: [Job] = []
    /// For each digit, the number of entries by value; then the next index by value.
    private var places: [UInt32] = []
    /// The number of sorted ranges and passes, for tests of cost.
    private(set) var passes = 0
    /// The number of entries whose memory has been returned.
    private var discarded = 0

    /// - Parameter entries: Rows with their words of level 0.
    init(_ entries: [RowEntry]) {
        self.entries = entries
        if entries.count > 1 { jobs = [Self.job(0..<entries.count, level: 0)] }
        if entries.count > Self.smallRange {
            // Each pass writes an entry before it is read. Zeroing them all would take some milliseconds at once.
            spare = unsafe Array(unsafeUninitializedCapacity: entries.count) { _, count in
                count = entries.count
            }
            places = Array(repeating: 0, count: Self.digits * Self.buckets)
        }
    }

    var count: Int { entries.count }

    /// The row at an index, once `advance` returns true.
    func row(at index: Int) -> UInt32 { entries[index].row }

    /// Sorted, once `advance` returns true.
    var rows: some RandomAccessCollection<UInt32> { entries.lazy.map(\.row) }

    /// Returns the memory of the first entries to the system, in whole pages. They are not read again.
    ///
    /// To free all at once takes milliseconds, so this is called as the sorted rows are read.
    mutating func discard(before end: Int) {
        precondition(end >= discarded && end <= entries.count)
        let part = discarded..<end
        discarded = end
        Self.discard(&entries, part)
        if !spare.isEmpty { Self.discard(&spare, part) }
    }

    /// Returns the pages that lie in a part of an array.
    private static func discard(_ entries: inout [RowEntry], _ part: Range<Int>) {
        let page = names_page_size()
        // The pages are within the bytes of entries up to the end of the part, so nothing else is on them, and zeros
        // are an entry.
        unsafe entries.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let stride = MemoryLayout<RowEntry>.stride
            let address = Int(bitPattern: base)
            // Of a page that began in the part before, the rest was to be read until now.
            let start = (address + page - 1) / page
            let first = max(start, (address + part.lowerBound * stride) / page) * page
            let end = (address + part.upperBound * stride) / page * page
            guard first < end else { return }
            unsafe names_discard(base + (first - address), end - first)
        }
    }

    private static func job(_ range: Range<Int>, level: Int) -> Job {
        Job(
            range: range, level: level, phase: level == 0 ? .count : .fetch,
            next: range.lowerBound)
    }

    /// Continues until `steps` reaches `budget`, or a little more.
    /// - Returns: whether all is sorted.
    mutating func advance(_ steps: inout Int, budget: Int, _ words: some RowWords) -> Bool {
        while let job = jobs.popLast() {
            if steps >= budget {
                jobs.append(job)
                return false
            }
            var current = job
            switch current.phase {
            case .fetch: fetch(&current, &steps, budget, words)
            case .count where current.range.count <= Self.smallRange: sortSmall(&current, &steps)
            case .count: count(&current, &steps, budget)
            case .scatter(let pass): scatter(&current, pass, &steps, budget)
            case .copy: copy(&current, &steps, budget)
            case .runs: findRuns(&current, &steps, budget, words)
            }
        }
        return true
    }

    /// The end of a slice from `start`, and its steps.
    private static func slice(
        _ job: Job, _ steps: inout Int, _ budget: Int, cost: Int = 1
    ) -> Range<Int> {
        let end = min(job.range.upperBound, job.next + max(1, (budget - steps) / cost))
        steps += (end - job.next) * cost
        return job.next..<end
    }

    /// Continues a job in another phase, from the start of its range.
    private mutating func enter(_ phase: Job.Phase, _ job: Job) {
        var next = job
        next.phase = phase
        next.next = job.range.lowerBound
        jobs.append(next)
    }

    private mutating func fetch(
        _ job: inout Job, _ steps: inout Int, _ budget: Int, _ words: some RowWords
    ) {
        let slice = Self.slice(job, &steps, budget, cost: Self.accessSteps)
        if job.next == job.range.lowerBound { job.hasWords = false }
        if words.fill(&entries, slice, level: job.level) { job.hasWords = true }
        job.next = slice.upperBound
        if job.next < job.range.upperBound {
            jobs.append(job)
        } else if job.hasWords {
            enter(.count, job)
        } else {
            sortEqual(job.range, &steps, words)
        }
    }

    /// Sorts rows that have no more words.
    private mutating func sortEqual(
        _ range: Range<Int>, _ steps: inout Int, _ words: some RowWords
    ) {
        passes += 1
        entries[range].sort { words.isBefore($0.row, $1.row) }
        steps += range.count * Self.accessSteps * 2
    }

    private mutating func sortSmall(_ job: inout Job, _ steps: inout Int) {
        passes += 1
        let range = job.range
        if range.count <= 32 {
            for index in range.dropFirst() {
                let entry = entries[index]
                var hole = index
                while hole > range.lowerBound, entries[hole - 1].word > entry.word {
                    entries[hole] = entries[hole - 1]
                    hole -= 1
                }
                entries[hole] = entry
            }
            steps += range.count
        } else {
            entries[range].sort { $0.word < $1.word }
            steps += range.count * 4
        }
        enter(.runs, job)
    }

    private mutating func count(_ job: inout Job, _ steps: inout Int, _ budget: Int) {
        if job.next == job.range.lowerBound {
            for index in places.indices { places[index] = 0 }
            steps += places.count / 16
        }
        let slice = Self.slice(job, &steps, budget)
        if job.level == 0 {
            // The first pass writes here and there: its pages are made ready in turn, not thousands at once.
            var index = slice.lowerBound
            while index < slice.upperBound {
                spare[index] = RowEntry(word: 0, row: 0)
                index += Self.touchedEntries
            }
        }
        // Each index is below the product of digits and buckets.
        unsafe places.withUnsafeMutableBufferPointer { places in
            for index in slice {
                var rest = entries[index].word
                var base = 0
                for _ in 0..<Self.digits {
                    unsafe places[base + Int(rest & UInt64(Self.buckets - 1))] += 1
                    rest >>= UInt64(Self.digitBits)
                    base += Self.buckets
                }
            }
        }
        job.next = slice.upperBound
        if job.next < job.range.upperBound { return jobs.append(job) }
        enterPass(0, job, &steps)
    }

    /// Continues with the first pass from `pass` on that moves anything.
    private mutating func enterPass(_ pass: Int, _ job: Job, _ steps: inout Int) {
        var pass = pass
        while pass < Self.digits {
            let base = pass * Self.buckets
            // If one bucket has all entries, the pass changes nothing.
            let some = job.isInSpare ? spare[job.range.lowerBound] : entries[job.range.lowerBound]
            let digit = Self.digit(pass, of: some.word)
            if Int(places[base + digit]) < job.range.count {
                var place = UInt32(job.range.lowerBound)
                for index in base..<base + Self.buckets {
                    let count = places[index]
                    places[index] = place
                    place += count
                }
                steps += Self.buckets / 4
                return enter(.scatter(pass: pass), job)
            }
            pass += 1
        }
        if !job.isInSpare { return enter(.runs, job) }
        var job = job
        job.isInSpare = false
        if job.range.count == entries.count {
            swap(&entries, &spare)
            enter(.runs, job)
        } else {
            enter(.copy, job)
        }
    }

    private static func digit(_ pass: Int, of word: UInt64) -> Int {
        Int(truncatingIfNeeded: word >> UInt64(pass * digitBits)) & (buckets - 1)
    }

    private mutating func scatter(
        _ job: inout Job, _ pass: Int, _ steps: inout Int, _ budget: Int
    ) {
        let slice = Self.slice(job, &steps, budget)
        if job.isInSpare {
            Self.scatter(slice, pass, from: spare, to: &entries, &places)
        } else {
            Self.scatter(slice, pass, from: entries, to: &spare, &places)
        }
        job.next = slice.upperBound
        if job.next < job.range.upperBound { return jobs.append(job) }
        passes += 1
        job.isInSpare.toggle()
        enterPass(pass + 1, job, &steps)
    }

    private static func scatter(
        _ slice: Range<Int>, _ pass: Int, from source: [RowEntry], to target: inout [RowEntry],
        _ places: inout [UInt32]
    ) {
        let shift = UInt64(pass * digitBits)
        let base = pass * buckets
        let mask = UInt64(buckets - 1)
        // The places of a digit are within the range, since they were counted there; slices are, too.
        precondition(slice.upperBound <= source.count && source.count == target.count)
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe places.withUnsafeMutableBufferPointer { places in
                    for index in slice {
                        let entry = unsafe source[index]
                        let digit = base + Int(truncatingIfNeeded: entry.word >> shift & mask)
                        let place = unsafe places[digit]
                        unsafe places[digit] = place &+ 1
                        unsafe target[Int(place)] = entry
                    }
                }
            }
        }
    }

    private mutating func copy(_ job: inout Job, _ steps: inout Int, _ budget: Int) {
        let slice = Self.slice(job, &steps, budget)
        for index in slice { entries[index] = spare[index] }
        job.next = slice.upperBound
        if job.next < job.range.upperBound { jobs.append(job) } else { enter(.runs, job) }
    }

    /// Finds the next run of equal words, and sorts it first.
    private mutating func findRuns(
        _ job: inout Job, _ steps: inout Int, _ budget: Int, _ words: some RowWords
    ) {
        let end = job.range.upperBound
        var index = job.next
        while index < end, steps < budget {
            let word = entries[index].word
            let known = max(index + 1, job.runEnd)
            let most = known + min(end - known, budget - steps)
            var next = known
            while next < most, entries[next].word == word { next += 1 }
            steps += next - known + 1
            if next == most, next < end {
                job.next = index
                job.runEnd = next
                return jobs.append(job)
            }
            if next - index > 1 {
                job.next = next
                job.runEnd = next
                jobs.append(job)
                jobs.append(Self.job(index..<next, level: job.level + 1))
                return
            }
            index = next
        }
        job.next = index
        if index < end { jobs.append(job) }
    }
}
