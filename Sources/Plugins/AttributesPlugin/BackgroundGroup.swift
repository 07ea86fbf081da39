internal import AttributeStorage
internal import DequeModule
internal import EventLoops
internal import ListRequests
internal import Observables
internal import PickerModel
internal import PluginInterface

/// The documents of one group of attributes that are read in the background: which have been looked through, and which
/// are next.
///
/// A document goes through: not looked through → asked of the cache → in the queue, unless it is known there → being read
/// → looked through. A bit for each row says which have been looked through; it goes when the file changes, or when the
/// plugin says that the values have.
final class BackgroundGroup {
    /// The documents asked of the cache at once; only when all of them have been read more are asked.
    static let mostAsked = 512
    /// Words of 64 documents, and documents that are not looked through, looked at in one piece.
    static let wordsAtOnce = 8192
    static let mostLooked = 4096
    /// The most rows of a change that are tested at once.
    static let mostTested = 64
    /// A document of which the reader says that it can't be read now is left alone as it is in `ReadingPauses`; after a
    /// pause of this length it counts as looked through.
    static let longestPause = Duration.seconds(16)

    /// What has become of a piece of work.
    enum Step {
        /// It will be over later.
        case underWay
        /// It was looked for something to do.
        case looked
        /// It can't be done now.
        case refused
    }

    let offer: AttributeOffer
    /// The names of its attributes, sorted.
    let wanted: [String]
    let reader: any AttributeReader
    unowned let house: AttributeReadings
    let documents: DocumentStore
    let extractor: Extractor
    let suspects: SuspectFiles
    let seen: ReadRows
    private let selection: ReadingSelection
    private var following: Connection?
    /// Those that the cache does not know.
    var queue = Deque<GroupReading.Asked>()
    /// Documents that are asked of the cache, in the queue, being read, or not stored yet.
    var busy: Set<KeyNumber> = []
    /// Busy documents whose values have changed since they were asked about.
    var outdated: Set<KeyNumber> = []
    /// What was read and the cache had no room for.
    var unstored: [(file: GroupReading.Asked, reading: CachedReading)] = []
    var pauses = ReadingPauses()
    /// Until when documents that are new are left alone.
    private var quiet: MonotonicInstant
    var hasEnded = false

    init(
        _ offer: AttributeOffer, _ wanted: [String], by reader: any AttributeReader,
        in house: AttributeReadings
    ) {
        self.offer = offer
        self.wanted = wanted
        self.reader = reader
        self.house = house
        documents = house.context.documents
        extractor = Extractor(plugin: offer.plugin, version: offer.version, group: offer.group)
        suspects = house.suspects(of: offer)
        seen = house.directory.beginReading()
        quiet = house.loop.now.advanced(by: BackgroundReadings.delay)
        selection = ReadingSelection(
            ReadingSelection.Name(query: DocumentQuery(filter: offer.condition), range: .listed),
            of: documents, in: house.surveys
        ) { [weak house] in house?.background?.goOn() }
        following = documents.documents(in: .listed).changes.connect { [unowned self] in
            follow($0)
        }
    }

    func end() {
        if hasEnded { return }
        hasEnded = true
        following = nil
        house.directory.endReading(seen)
    }

    // MARK: What is next

    /// When there is something to do; nil if nothing is, or not before somebody else has done something.
    var due: MonotonicInstant? {
        guard reader.room > 0, !house.isReadingForSomebody(offer.plugin) else { return nil }
        if !queue.isEmpty || !unstored.isEmpty { return .init(nanoseconds: 0) }
        let unread = selection.place != nil && selection.rows != nil ? quiet : nil
        return [unread, pauses.next].compactMap { $0 }.min()
    }

    /// Does a piece of work. `done` is called when it is over, if it is under way.
    func work(_ done: @escaping () -> Void) -> Step {
        endPauses()
        if !storeRest() { return .refused }
        if queue.isEmpty {
            let files = next()
            return files.isEmpty ? .looked : ask(files, done)
        }
        return read(done)
    }

    private func endPauses() {
        let now = house.loop.now
        guard let due = pauses.next, due <= now else { return }
        pauses.end(at: now) { documents.table.row(of: $0) != nil }
        rewindAll()
    }

    /// The next documents that have not been looked through; none if there are none in the rows that were looked at.
    private func next() -> [GroupReading.Asked] {
        guard let rows = selection.rows, let place = selection.place else { return [] }
        let table = documents.table
        let now = house.loop.now
        var files: [GroupReading.Asked] = []
        var looked = 0
        selection.place = seen.forEachUnread(in: rows, from: place, words: Self.wordsAtOnce) {
            row in
            looked += 1
            let key = table.key(of: row)
            if !busy.contains(key), !pauses.contains(key, at: now) {
                files.append(GroupReading.Asked(key: key, facts: table.facts(of: row)))
            }
            return files.count < Self.mostAsked && looked < Self.mostLooked
        }
        return files
    }

    // MARK: Changes

    /// Looks at a document again, and those behind it.
    func rewind(to row: DocumentRow) { selection.rewind(to: row) }

    /// Looks at all documents again for what has not been looked through.
    func rewindAll() { selection.place = 0 }

    /// Values have changed while the files stayed as they are: of some documents, or of all.
    func valuesChanged(of keys: [KeyNumber]?) {
        outdated.formUnion((keys ?? Array(busy)).filter { busy.contains($0) })
        guard let keys else { return forgetAll() }
        for row in keys.compactMap({ documents.table.row(of: $0) }) {
            seen.remove(row)
            rewind(to: row)
        }
        house.background?.goOn()
    }

    /// Nothing has been looked through.
    func forgetAll() {
        seen.removeAll()
        rewindAll()
        house.background?.goOn()
    }

    private func follow(_ change: SetChange<DocumentRow>) {
        let isIdle = selection.place == nil
        guard rewindForUnread(in: change.inserted), isIdle else { return }
        quiet = house.loop.now.advanced(by: BackgroundReadings.delay)
        house.background?.goOn()
    }

    /// Looks again at the rows of a change that have not been looked through. Of many it is not found out which these are.
    /// - Returns: whether there may be any that have the attributes.
    private func rewindForUnread(in rows: Set<DocumentRow>) -> Bool {
        if rows.count > Self.mostTested {
            guard rows.count > Self.mostLooked || rows.contains(where: { !seen.contains($0) })
            else {
                return false
            }
            rewindAll()
            return true
        }
        let unread = rows.filter { !seen.contains($0) && mayHave($0) }
        for row in unread { rewind(to: row) }
        return !unread.isEmpty
    }

    private func mayHave(_ row: DocumentRow) -> Bool {
        var steps = 0
        return offer.condition?.matches(row, of: documents.table, steps: &steps) ?? true
    }
}
