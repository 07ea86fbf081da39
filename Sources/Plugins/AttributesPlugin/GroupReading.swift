internal import AttributeStorage
internal import DequeModule
internal import ListRequests
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import SystemdEventLoop

/// The reading of one group of attributes: which documents are read next, what the cache knows of them, and the values that
/// come.
///
/// A document goes through: unread → asked of the cache → waiting for the reader → being read → read. It is unread again
/// when its file changes. Documents that somebody looks at go first. Of a file that may have ended the reader, only one at a
/// time is read; one that has ended it twice, alone, is not read again.
final class GroupReading {
    /// The documents asked of the cache at once, and the questions under way.
    static let mostAsked = 512
    static let mostQuestions = 4
    /// The documents that wait for the reader; more are not asked of the cache before.
    static let mostWaiting = 1024
    /// The documents in view that are looked at for what is read first.
    static let mostInView = 2048
    /// Words of 64 documents looked at in one piece.
    static let wordsAtOnce = 8192
    /// How long values of a file that has changed stay.
    static let staleTime = Duration.seconds(5)
    static let fallsOfOne = 2

    /// A document as it was when it was asked about.
    struct Asked {
        let key: KeyNumber
        let facts: DocumentFacts
    }

    let offer: AttributeOffer
    private unowned let house: AttributeReadings
    private let documents: DocumentStore
    private let names: [String: Attribute]
    private let extractor: Extractor
    private let read: ReadRows
    private let failed: ReadRows
    private var wanted: Set<Attribute> = []
    private var selections: [ReadingSelection.Name: ReadingSelection] = [:]
    /// Documents that are asked of the cache, wait, or are being read.
    private var busy: Set<KeyNumber> = []
    private var questions = 0
    /// The documents in questions, and those in batches.
    private var askedCount = 0
    private var readCount = 0
    /// Those that the cache does not know, the oldest first; ones that are in `waiting` no more have been taken.
    private var queue = Deque<KeyNumber>()
    private var waiting: [KeyNumber: Asked] = [:]
    private var batches = 0
    /// What the batch that is taken says, for the cache.
    private var found: [(file: FileVersion, reading: CachedReading)] = []
    /// Documents that were being read when the reader ended, and how often each did that alone.
    private var suspects: [KeyNumber: Int] = [:]
    /// Whether a suspect is being read.
    private var isTrying = false
    private var pauses = ReadingPauses()
    private var stale = StaleValues()
    private var timer: (any TimerSource)?
    private var commits: ReadingCommits
    private var following: [DocumentRange: Connection] = [:]
    private var isPumping = false
    private var hasEnded = false

    init(_ offer: AttributeOffer, in house: AttributeReadings) {
        self.offer = offer
        self.house = house
        documents = house.context.documents
        names = Dictionary(
            house.directory.attributes(of: offer).map { ($0.name, $0.attribute) },
            uniquingKeysWith: { one, _ in one })
        extractor = Extractor(plugin: offer.plugin, version: offer.version, group: offer.group)
        read = house.directory.beginReading()
        failed = house.directory.beginReading()
        commits = ReadingCommits(of: documents, on: house.loop, read: read, failed: failed)
        commits.attributes = Array(names.values)
        commits.whenDone = { [unowned self] in committed($0, forgotten: $1) }
        offer.reader.whenReady = { [weak self] in self?.pumpSoon() }
    }

    func end() {
        if hasEnded { return }
        hasEnded = true
        commits.end()
        following = [:]
        timer = nil
        house.directory.endReading(read)
        house.directory.endReading(failed)
    }

    func has(_ attribute: Attribute) -> Bool { names.values.contains(attribute) }

    func has(exactly attributes: [(name: String, attribute: Attribute)]) -> Bool {
        attributes.count == names.count && attributes.allSatisfy { names[$0.name] == $0.attribute }
    }

    /// Whether no column of it is left.
    var isUnused: Bool {
        let columns = Set(house.directory.columns)
        return names.values.allSatisfy { !columns.contains($0) }
    }

    // MARK: Users

    /// Follows who wants something of the group.
    func usersChanged(_ attributes: Set<Attribute>) {
        // A new column has no values: all is asked again, of the cache first.
        if !attributes.subtracting(wanted).isEmpty { read.removeAll() }
        wanted = attributes.union(wanted.filter { house.directory.columns.contains($0) })
        var used: [ReadingSelection.Name: ReadingSelection] = [:]
        for use in users where !use.wish.needed.isDisjoint(with: names.values) {
            let name = selectionName(of: use)
            used[name] =
                used[name] ?? selections[name]
                ?? ReadingSelection(
                    name, of: documents, in: house.surveys
                ) { [weak self] in
                    self?.pumpSoon()
                    self?.house.countSoon()
                }
        }
        selections = used
        let ranges = Set(users.map(\.wish.range))
        following = following.filter { ranges.contains($0.key) }
        for range in ranges where following[range] == nil {
            following[range] = documents.documents(in: range).changes.connect {
                [unowned self] in follow($0)
            }
        }
        rewind()
        pumpSoon()
    }

    func columnsEnded() {
        let columns = Set(house.directory.columns)
        wanted.formIntersection(columns)
    }

    private var users: [AttributeUse] {
        house.directory.users.filter { !$0.wish.all.isDisjoint(with: names.values) }
    }

    private func selectionName(of use: AttributeUse) -> ReadingSelection.Name {
        let conditions = [offer.condition, use.wish.query.filter].compactMap { $0?.expression }
        let filter = conditions.isEmpty ? nil : DocumentFilter(.all(conditions))
        return ReadingSelection.Name(
            query: DocumentQuery(search: use.wish.query.search, filter: filter),
            range: use.wish.range)
    }

    /// The documents that are still to be read for somebody; nil while that is being found out.
    func pendingCount(of use: AttributeUse) -> Int? {
        guard let rows = selections[selectionName(of: use)]?.rows else { return nil }
        return read.unreadCount(in: rows)
    }

    /// The documents that are still to be read for anybody.
    var pendingCount: Int {
        var all = RowBitset(bound: documents.table.rowEnd)
        for selection in selections.values {
            if let rows = selection.rows { all.formUnion(rows) }
        }
        return read.unreadCount(in: all)
    }

    var failedCount: Int { failed.readCount(in: documents.table.current) }

    // MARK: Changes

    private func follow(_ change: SetChange<DocumentRow>) {
        guard !change.inserted.isEmpty, !commits.isCommitting else { return }
        var isUnread = false
        var former: [KeyNumber: DocumentFacts]?
        for row in change.inserted where !read.contains(row) {
            isUnread = true
            rewind(to: row)
            guard house.directory.hasValue(Array(names.values), row) else { continue }
            let table = documents.table
            let known =
                former
                ?? Dictionary(
                    change.removed.map { (table.key(of: $0), table.facts(of: $0)) },
                    uniquingKeysWith: { one, _ in one })
            former = known
            // It may be unread for another reason, such as a new name: then its values are those of the file.
            let key = table.key(of: row)
            if known[key] == table.facts(of: row), mayHave(row) { continue }
            stale.begin(key, due: house.loop.now.advanced(by: Self.staleTime))
        }
        guard isUnread else { return }
        arm()
        pumpSoon()
        house.countSoon()
    }

    private func arm() {
        guard let due = [stale.next, pauses.next].compactMap({ $0 }).min() else { return }
        let wait = max(house.loop.now.duration(to: due), .milliseconds(1))
        if let timer {
            timer.reschedule(after: wait)
        } else {
            timer = try? house.loop.schedule(after: wait) { [unowned self] in timeIsUp() }
        }
    }

    private func timeIsUp() {
        let now = house.loop.now
        commits.forget(stale.takeDue(at: now).filter { isUnread($0) })
        if let due = pauses.next, due <= now {
            pauses.end(at: now) { documents.table.row(of: $0) != nil }
            rewind()
            pumpSoon()
        }
        arm()
    }

    // MARK: What is next

    func pumpSoon() {
        if isPumping || hasEnded { return }
        isPumping = true
        house.loop.enqueue(priority: .low) { [weak self] in
            guard let self else { return }
            isPumping = false
            if hasEnded { return }
            ask()
            send()
            checkInvariants()
        }
    }

    /// Asks the cache about the next documents.
    private func ask() {
        while questions < Self.mostQuestions, waiting.count < Self.mostWaiting {
            let (files, isMore) = next()
            if !files.isEmpty { ask(files) }
            if isMore, files.count < Self.mostAsked { return pumpSoon() }
            if files.count < Self.mostAsked { return }
        }
    }

    private func ask(_ files: [Asked]) {
        questions += 1
        askedCount += files.count
        for file in files { busy.insert(file.key) }
        house.find(extractor, files.map { version(of: $0) }) { [weak self] readings in
            guard let self, !hasEnded else { return }
            questions -= 1
            askedCount -= files.count
            for (file, reading) in zip(files, readings) {
                switch reading {
                case .values(let values)?:
                    commits.add(file, cells(of: values), isFailed: false)
                case .failed?: commits.add(file, cells(of: [:]), isFailed: true)
                case nil:
                    waiting[file.key] = file
                    queue.append(file.key)
                }
            }
            pumpSoon()
        }
    }

    private func version(of file: Asked) -> FileVersion {
        let root = documents.table.row(of: file.key).map { documents.table.root(of: $0).bytes }
        return FileVersion(
            root: root ?? [], inode: file.facts.inode, size: file.facts.size,
            modified: file.facts.modified)
    }

    /// The next documents to be asked about: those in view first. And whether there may be more behind what was looked at.
    private func next() -> (files: [Asked], isMore: Bool) {
        var files: [Asked] = []
        var taken: Set<KeyNumber> = []
        let now = house.loop.now
        func take(_ row: DocumentRow) {
            let key = documents.table.key(of: row)
            guard !busy.contains(key), !pauses.contains(key, at: now), taken.insert(key).inserted
            else { return }
            files.append(Asked(key: key, facts: documents.table.facts(of: row)))
        }
        for row in rowsInView where files.count < Self.mostAsked { take(row) }
        var words = Self.wordsAtOnce
        for selection in selections.values {
            guard let rows = selection.rows, let place = selection.place else { continue }
            if files.count >= Self.mostAsked || words <= 0 { return (files, true) }
            selection.place = read.forEachUnread(in: rows, from: place, words: words) { row in
                take(row)
                return files.count < Self.mostAsked
            }
            words -= (selection.place ?? max(rows.wordCount, place)) - place
            if selection.place != nil { return (files, true) }
        }
        return (files, false)
    }

    /// Unread documents that somebody looks at and that may have the attributes.
    private var rowsInView: [DocumentRow] {
        var rows: [DocumentRow] = []
        var left = Self.mostInView
        for use in users {
            for shown in use.viewer?.shownRows.prefix(left) ?? [] {
                left -= 1
                guard let old = shown.item?.row,
                    let row = documents.table.row(of: documents.table.key(of: old)),
                    !read.contains(row), mayHave(row)
                else { continue }
                rows.append(row)
            }
        }
        return rows
    }

    private func mayHave(_ row: DocumentRow) -> Bool {
        var steps = 0
        return offer.condition?.matches(row, of: documents.table, steps: &steps) ?? true
    }

    // MARK: Reading

    /// Gives the reader what waits, as far as it has room.
    private func send() {
        while offer.reader.room > batches, !waiting.isEmpty, !isTrying {
            let (files, isUrgent) = takeBatch()
            if files.isEmpty { return }
            isTrying = files.contains { suspects[$0.key] != nil }
            send(files, isUrgent)
        }
    }

    private func takeBatch() -> (files: [Asked], isUrgent: Bool) {
        var files: [Asked] = []
        let most = offer.reader.mostFiles
        func take(_ key: KeyNumber) -> Bool {
            guard let file = waiting[key] else { return true }
            if suspects[key] != nil {
                // Alone, and with no other batch under way, so that it is known which one it was.
                if files.isEmpty, batches == 0 {
                    waiting[key] = nil
                    files = [file]
                }
                return false
            }
            waiting[key] = nil
            files.append(file)
            return files.count < most
        }
        for row in rowsInView where !take(documents.table.key(of: row)) {
            return (files, true)
        }
        // Those in view go alone, so that they wait for no others.
        if !files.isEmpty { return (files, true) }
        while let key = queue.first {
            let goesOn = take(key)
            if waiting[key] == nil { queue.removeFirst() }
            if !goesOn { break }
        }
        return (files, false)
    }

    private func send(_ asked: [Asked], _ isUrgent: Bool) {
        let table = documents.table
        var files: [Asked] = []
        var sent: [ReadingBatch.File] = []
        for file in asked {
            guard let row = table.row(of: file.key), table.facts(of: row) == file.facts else {
                suspects[file.key] = nil
                release(file.key)
                continue
            }
            files.append(file)
            let root = table.root(of: row).bytes
            sent.append(
                ReadingBatch.File(
                    key: table.text(of: file.key),
                    path: root + [UInt8(ascii: "/")] + table.path(of: row).bytes,
                    type: table.type(of: row).text, size: file.facts.size))
        }
        if files.isEmpty {
            isTrying = false
            return pumpSoon()
        }
        batches += 1
        readCount += files.count
        let batch = ReadingBatch(
            group: offer.group, wanted: names.keys.sorted(), isUrgent: isUrgent,
            isAlone: files.contains { suspects[$0.key] != nil }, files: sent)
        offer.reader.read(batch) { [weak self] outcome in
            guard let self, !hasEnded else { return }
            batches -= 1
            isTrying = false
            readCount -= files.count
            take(outcome, files, isAlone: batch.isAlone)
            pumpSoon()
        }
    }

    private func take(_ outcome: ReadingOutcome, _ files: [Asked], isAlone: Bool) {
        // The cache takes few tasks at a time, and each is a transaction.
        defer {
            house.put(extractor, found)
            found = []
        }
        switch outcome {
        case .answers(let answers):
            for (file, answer) in zip(files, answers) { take(answer, file) }
        case .ended(let isFault):
            for file in files {
                if isFault, condemns(file, isAlone: isAlone) { continue }
                wait(file)
            }
        case .refused:
            // In smaller parts it may do: alone, in the end.
            for file in files {
                if files.count == 1 {
                    pause(file.key)
                } else {
                    suspects[file.key] = suspects[file.key] ?? 0
                    wait(file)
                }
            }
        }
    }

    private func wait(_ file: Asked) {
        waiting[file.key] = file
        queue.append(file.key)
    }

    /// Notes that the reader fell while it had a file.
    /// - Returns: whether that is enough: the file has failed.
    private func condemns(_ file: Asked, isAlone: Bool) -> Bool {
        let falls = (suspects[file.key] ?? 0) + (isAlone ? 1 : 0)
        suspects[file.key] = falls
        if falls < Self.fallsOfOne { return false }
        suspects[file.key] = nil
        found.append((version(of: file), .failed))
        commits.add(file, cells(of: [:]), isFailed: true)
        return true
    }

    private func take(_ answer: ReadingOutcome.Answer, _ file: Asked) {
        suspects[file.key] = nil
        switch answer {
        case .values(let values, let seen): take(values, seen, file)
        case .none(let seen): take([:], seen, file)
        case .failed:
            found.append((version(of: file), .failed))
            commits.add(file, cells(of: [:]), isFailed: true)
        case .later: pause(file.key)
        }
    }

    private func take(
        _ values: [String: AttributeValue], _ seen: ReadingOutcome.Seen?, _ file: Asked
    ) {
        let facts = file.facts
        let expected = ReadingOutcome.Seen(
            inode: facts.inode, size: facts.size, modified: facts.modified)
        // Another file by now, which the watcher will tell of.
        guard let seen, seen == expected else { return pause(file.key) }
        found.append((version(of: file), .values(values)))
        commits.add(file, cells(of: values), isFailed: false)
    }

    private func cells(
        of values: [String: AttributeValue]
    ) -> [(attribute: Attribute, value: AttributeValue?)] {
        names.map { name, attribute in
            let value = values[name]
            return (attribute, value?.kind == attribute.kind ? value : nil)
        }
    }

    /// Leaves a document alone for a while.
    private func pause(_ key: KeyNumber) {
        if pauses.begin(key, at: house.loop.now) { rewind() }
        release(key)
        arm()
    }

    private func release(_ key: KeyNumber) {
        busy.remove(key)
        if let row = documents.table.row(of: key) { rewind(to: row) }
    }

    private func isUnread(_ key: KeyNumber) -> Bool {
        documents.table.row(of: key).map { !read.contains($0) } ?? false
    }

    /// Looks at all documents again for what is to be read.
    private func rewind() {
        for selection in selections.values { selection.place = 0 }
    }

    /// Looks at a document again, and those behind it.
    private func rewind(to row: DocumentRow) {
        for selection in selections.values { selection.rewind(to: row) }
    }

    private func committed(_ files: [Asked], forgotten: [KeyNumber]) {
        // They are other rows now.
        for key in forgotten where !busy.contains(key) { release(key) }
        for file in files {
            if isUnread(file.key) {
                // It has changed meanwhile.
                release(file.key)
            } else {
                busy.remove(file.key)
                pauses.end(file.key)
                stale.end(file.key)
            }
        }
        pumpSoon()
        house.countSoon()
    }

    // MARK: Invariants

    /// The most rows of which debug builds look at each.
    private static let mostChecked = 16_384

    /// A busy document is in one place of its way; and none is forgotten that has not been read.
    private func checkInvariants() {
        assert(busy.count == askedCount + waiting.count + readCount + commits.count)
        assert(waiting.keys.allSatisfy { busy.contains($0) })
        assert(nothingIsForgotten)
    }

    private var nothingIsForgotten: Bool {
        if documents.table.rowEnd > Self.mostChecked { return true }
        return selections.values.allSatisfy { selection in
            guard let rows = selection.rows else { return true }
            let end = selection.place ?? rows.wordCount
            var isSound = true
            _ = read.forEachUnread(in: rows, from: 0, words: end) { row in
                let key = documents.table.key(of: row)
                isSound = busy.contains(key) || pauses.remembers(key)
                return isSound
            }
            return isSound
        }
    }
}
