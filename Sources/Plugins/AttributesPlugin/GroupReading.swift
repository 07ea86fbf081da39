internal import AttributeStorage
internal import DequeModule
internal import EventLoops
internal import ListRequests
internal import Observables
internal import PickerModel
internal import PluginInterface

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

    /// A document as it was when it was asked about.
    struct Asked {
        let key: KeyNumber
        let facts: DocumentFacts
    }

    let offer: AttributeOffer
    let reader: any AttributeReader
    unowned let house: AttributeReadings
    let documents: DocumentStore
    let names: [String: Attribute]
    /// In the order in which their values are passed on.
    let attributes: [(name: String, kind: Attribute.Kind)]
    let extractor: Extractor
    let read: ReadRows
    let failed: ReadRows
    var wanted: Set<Attribute> = []
    var selections: [ReadingSelection.Name: ReadingSelection] = [:]
    /// Those of answers that wait for what is shown, by who wants it.
    var awaited: [ObjectIdentifier: AwaitedRows] = [:]
    private var tickets: [ObjectIdentifier: SurveyTicket] = [:]
    /// Documents that are asked of the cache, wait, or are being read.
    var busy: Set<KeyNumber> = []
    /// Busy documents of which something has changed since they were asked about: what comes of them is outdated.
    var again: Set<KeyNumber> = []
    var questions = 0
    /// The documents in questions, and those in batches.
    var askedCount = 0
    var readCount = 0
    /// Those that the cache does not know, the oldest first; ones that are in `waiting` no more have been taken.
    var queue = Deque<KeyNumber>()
    var waiting: [KeyNumber: Asked] = [:]
    var batches = 0
    /// What was read and is not in the cache yet.
    var found: [(file: FileVersion, reading: CachedReading)] = []
    let suspects: SuspectFiles
    var pauses = ReadingPauses()
    var stale = StaleValues()
    private var timer: (any TimerSource)?
    var commits: ReadingCommits
    private var following: [DocumentRange: Connection] = [:]
    var isPumping = false
    var hasEnded = false

    init(
        _ offer: AttributeOffer, by reader: any AttributeReader, in house: AttributeReadings
    ) {
        self.offer = offer
        self.reader = reader
        self.house = house
        documents = house.context.documents
        suspects = house.suspects(of: offer)
        names = Dictionary(
            house.directory.attributes(of: offer).map { ($0.name, $0.attribute) },
            uniquingKeysWith: { one, _ in one })
        extractor = Extractor(plugin: offer.plugin, version: offer.version, group: offer.group)
        read = house.directory.beginReading()
        failed = house.directory.beginReading(includesGiven: false)
        commits = ReadingCommits(of: documents, on: house.loop, read: read, failed: failed)
        let sorted = names.sorted { $0.key < $1.key }
        attributes = sorted.map { ($0.key, $0.value.kind) }
        commits.attributes = sorted.map(\.value)
        commits.whenDone = { [unowned self] in committed($0, forgotten: $1) }
    }

    func end() {
        if hasEnded { return }
        hasEnded = true
        store()
        commits.end()
        following = [:]
        timer = nil
        house.directory.endReading(read)
        house.directory.endReading(failed)
    }

    /// Takes over the documents whose values may not stay from a group that read the same before.
    func goOn(with stale: StaleValues) {
        self.stale = stale
        arm()
    }

    /// Whether something is being read or is to be, as far as that is known.
    var isAtWork: Bool { isPumping || !busy.isEmpty }

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
        commits.hurry()
        viewsChanged()
    }

    /// Somebody looks at other documents, or waits for them.
    func viewsChanged() {
        var wanted: [ObjectIdentifier: AwaitedRows] = [:]
        for use in users where !use.wish.shown.isDisjoint(with: names.values) {
            guard let rows = use.awaited else { continue }
            let id = ObjectIdentifier(use)
            if let known = awaited[id], known.shown === rows {
                wanted[id] = known
                continue
            }
            let made = AwaitedRows(
                rows, condition: offer.condition, in: house.directory)
            wanted[id] = made
            if rows.count <= AwaitedRows.mostAtOnce, made.advance(budget: .max) { continue }
            tickets[id] = house.surveys.begin(made) { [weak self] in
                self?.pumpSoon()
                self?.house.countSoon()
            }
        }
        awaited = wanted
        tickets = tickets.filter { wanted[$0.key].map { !$0.isDone } ?? false }
        pumpSoon()
    }

    func columnsEnded() {
        let columns = Set(house.directory.columns)
        wanted.formIntersection(columns)
    }

    var users: [AttributeUse] {
        house.directory.users.filter { !$0.wish.all.isDisjoint(with: names.values) }
    }

    private func selectionName(of use: AttributeUse) -> ReadingSelection.Name {
        let conditions = [offer.condition, use.wish.query.filter].compactMap { $0?.expression }
        let filter = conditions.isEmpty ? nil : DocumentFilter(.all(conditions))
        return ReadingSelection.Name(
            query: DocumentQuery(search: use.wish.query.search, filter: filter),
            range: use.wish.range)
    }

    /// The documents that are still to be read for somebody, for attributes that are needed or for those that are only
    /// shown; nil while that is being found out.
    /// - Complexity: O(n / 64).
    func pendingCount(areNeeded: Bool, for use: AttributeUse) -> Int? {
        if !areNeeded { return awaited[ObjectIdentifier(use)]?.unreadCount(read) }
        guard let rows = selections[selectionName(of: use)]?.rows else { return nil }
        return read.unreadCount(in: rows)
    }

    /// The documents that are still to be read for anybody; while that is being found out, those that may be.
    /// - Complexity: O(n / 64) for each who wants some.
    var pendingCount: Int {
        var all = RowBitset(bound: documents.table.rowEnd)
        for (name, selection) in selections {
            all.formUnion(selection.rows ?? documents.bits(in: name.range))
        }
        for rows in awaited.values { all.formUnion(rows.rows) }
        return read.unreadCount(in: all) + awaited.values.reduce(0) { $0 + $1.restCount }
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

    func arm() {
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

    // MARK: Invariants

    /// The most rows of which debug builds look at each.
    private static let mostChecked = 16_384

    /// A busy document is in one place of its way; and none is forgotten that has not been read.
    func checkInvariants() {
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
