internal import EventLoops
internal import PickerModel

/// Values that have come and are not in the documents yet. They become one change: the first that come after a while at
/// once, then 512 of attributes that somebody wants, or those of 50 ms.
final class ReadingCommits {
    static let time = Duration.milliseconds(50)

    private struct Entry {
        let file: GroupReading.Asked
        /// In the order of the attributes; none if it is empty.
        let values: ArraySlice<AttributeValue?>
        let isFailed: Bool
    }

    private let documents: DocumentStore
    private let loop: any EventLoop
    private let read: ReadRows
    private let failed: ReadRows
    private var entries: [Entry] = []
    private var forgotten: [KeyNumber] = []
    private var timer: (any TimerSource)?
    private var isTimed = false
    /// The most values of the next change.
    private var share = CommitShare()
    /// When values were committed last.
    private var last: MonotonicInstant?
    private var isWaiting = false
    private var hasEnded = false
    /// Whether the documents change because of it.
    private(set) var isCommitting = false
    /// All attributes of the group.
    var attributes: [Attribute] = []
    /// Called with the documents whose values have been committed, or that are others by now; and with those whose values
    /// were taken away.
    var whenDone: ([GroupReading.Asked], [KeyNumber]) -> Void = { _, _ in }

    init(
        of documents: DocumentStore, on loop: any EventLoop, read: ReadRows, failed: ReadRows
    ) {
        self.documents = documents
        self.loop = loop
        self.read = read
        self.failed = failed
    }

    /// The documents whose values wait.
    var count: Int { entries.count }

    func end() {
        hasEnded = true
        timer = nil
        entries = []
    }

    /// Takes the values of a document.
    func add(
        _ file: GroupReading.Asked, _ values: ArraySlice<AttributeValue?>, isFailed: Bool
    ) {
        entries.append(Entry(file: file, values: values, isFailed: isFailed))
        commitSoon()
    }

    /// Takes the values of documents away whose files have changed.
    func forget(_ keys: [KeyNumber]) {
        forgotten += keys
        if !keys.isEmpty { commitSoon() }
    }

    /// Somebody new wants values: the next ones wait for no others.
    func hurry() {
        last = nil
        isTimed = false
    }

    private var documentsAtOnce: Int {
        let directory = documents.attributes
        return max(1, share.values / max(1, attributes.count { directory.hasColumn(of: $0) }))
    }

    private func commitSoon() {
        if isWaiting { return }
        if entries.count + forgotten.count >= documentsAtOnce { return commitWhenFree() }
        if isTimed { return }
        let passed = last.map { $0.duration(to: loop.now) } ?? Self.time
        if passed >= Self.time { return commitWhenFree() }
        isTimed = true
        if let timer { return timer.reschedule(after: Self.time - passed) }
        timer = try? loop.schedule(after: Self.time - passed) { [unowned self] in
            isTimed = false
            commitWhenFree()
        }
    }

    private func commitWhenFree() {
        if isWaiting { return }
        isWaiting = true
        loop.enqueue { [weak self] in
            guard let self else { return }
            documents.hold.whenOff { [weak self] in
                guard let self, !hasEnded else { return }
                isWaiting = false
                commit()
            }
        }
    }

    private func commit() {
        let atOnce = documentsAtOnce
        let done = Array(entries.prefix(atOnce))
        entries.removeFirst(done.count)
        let begun = loop.now
        last = begun
        let table = documents.table
        // What has been read meanwhile stays.
        let old = forgotten.prefix(atOnce - done.count)
        forgotten.removeFirst(old.count)
        let gone = old.filter { table.row(of: $0).map { !read.contains($0) } ?? false }
        let current = done.filter { entry in
            table.row(of: entry.file.key).map { table.facts(of: $0) == entry.file.facts } ?? false
        }
        isCommitting = true
        documents.edit { edits in
            for key in gone {
                edits.give(attributes, [], to: key)
            }
            for entry in current { edits.give(attributes, entry.values, to: entry.file.key) }
        }
        for entry in current {
            guard let row = table.row(of: entry.file.key) else { continue }
            read.insert(row)
            if entry.isFailed { failed.insert(row) } else { failed.remove(row) }
        }
        isCommitting = false
        share.adapt(to: begun.duration(to: loop.now))
        whenDone(done.map(\.file), gone)
        if !entries.isEmpty || !forgotten.isEmpty { commitSoon() }
    }
}
