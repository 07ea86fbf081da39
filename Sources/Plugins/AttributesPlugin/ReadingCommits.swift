internal import PickerModel
internal import SystemdEventLoop

/// Values that have come and are not in the documents yet. They become one change: 512 values, as many as a slice of the loop
/// has time for, or those of 50 ms.
final class ReadingCommits {
    static let most = 512
    static let time = Duration.milliseconds(50)

    private struct Entry {
        let file: GroupReading.Asked
        let cells: [(attribute: Attribute, value: AttributeValue?)]
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
        _ file: GroupReading.Asked, _ cells: [(attribute: Attribute, value: AttributeValue?)],
        isFailed: Bool
    ) {
        entries.append(Entry(file: file, cells: cells, isFailed: isFailed))
        commitSoon()
    }

    /// Takes the values of documents away whose files have changed.
    func forget(_ keys: [KeyNumber]) {
        forgotten += keys
        if !keys.isEmpty { commitSoon() }
    }

    private var documentsAtOnce: Int { max(1, Self.most / max(1, attributes.count)) }

    private func commitSoon() {
        if entries.count + forgotten.count >= documentsAtOnce { return commitWhenFree() }
        if isTimed { return }
        isTimed = true
        if let timer { return timer.reschedule(after: Self.time) }
        timer = try? loop.schedule(after: Self.time) { [unowned self] in
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
        let done = Array(entries.prefix(documentsAtOnce))
        entries.removeFirst(done.count)
        let table = documents.table
        // What has been read meanwhile stays.
        let old = forgotten.prefix(documentsAtOnce - done.count)
        forgotten.removeFirst(old.count)
        let gone = old.filter { table.row(of: $0).map { !read.contains($0) } ?? false }
        let current = done.filter { entry in
            table.row(of: entry.file.key).map { table.facts(of: $0) == entry.file.facts } ?? false
        }
        isCommitting = true
        documents.edit { edits in
            for key in gone {
                edits.give(attributes.map { (attribute: $0, value: nil) }, to: key)
            }
            for entry in current { edits.give(entry.cells, to: entry.file.key) }
        }
        for entry in current {
            guard let row = table.row(of: entry.file.key) else { continue }
            read.insert(row)
            if entry.isFailed { failed.insert(row) } else { failed.remove(row) }
        }
        isCommitting = false
        whenDone(done.map(\.file), gone)
        if !entries.isEmpty || !forgotten.isEmpty { commitSoon() }
    }
}
