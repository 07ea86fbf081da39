internal import EventLoops
internal import JSONText
internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// All groups of attributes that are offered, of which those are read that somebody wants.
final class AttributeReadings {
    /// Between two looks at how much is still to be read.
    static let countTime = Duration.milliseconds(500)
    /// How long a column stays that nobody wants any more.
    static let unusedTime = Duration.seconds(60)

    let context: PluginContext
    let surveys: SurveyQueue
    private(set) var groups: [ObjectIdentifier: GroupReading] = [:]
    let cache: ReadingCache
    private let powerFolder: String
    /// What is read for nobody; nil before the start, and at the end.
    private(set) var background: BackgroundReadings?
    /// The documents of groups that have ended whose values are those of their files as they were: by plugin and group.
    private var left: [String: [String: StaleValues]] = [:]
    private var isSettling = false
    private var counting: (any TimerSource)?
    private var isCounting = false
    /// When somebody was told last how many there are.
    private var told: MonotonicInstant?
    private var ending: (any TimerSource)?
    /// When each list that depends on attributes was met first.
    private var begun: [ObjectIdentifier: MonotonicInstant] = [:]
    /// When each column was wanted last, of those that nobody wants.
    private var unused: [Attribute: MonotonicInstant] = [:]

    private(set) var frecency: FrecencyAttribute?
    private(set) var sourced: SourcedAttributes?

    /// `powerFolder` has what the system says of power supplies.
    init(in context: PluginContext, powerFolder: String) {
        self.context = context
        self.powerFolder = powerFolder
        surveys = SurveyQueue(on: context.loop, limits: SurveyLimits())
        cache = ReadingCache(in: context)
    }

    var directory: AttributeDirectory { context.documents.attributes }
    var loop: any EventLoop { context.loop }

    func start() {
        background = BackgroundReadings(in: self, powerFolder: powerFolder)
        cache.whenLost = { [weak self] in self?.background?.cacheIsLost() }
        directory.whenChanged = { [weak self] in self?.settleSoon() }
        let frecency = FrecencyAttribute(of: context.documents, on: loop) {
            [unowned self] in countSoon()
        }
        self.frecency = frecency
        frecency.start()
        let sourced = SourcedAttributes(of: context.documents, on: loop) {
            [unowned self] in countSoon()
        }
        self.sourced = sourced
        sourced.start()
        directory.whenViewChanges = { [weak self] in self?.lookAtViews() }
        settleSoon()
    }

    func end() {
        directory.whenChanged = nil
        frecency?.end()
        frecency = nil
        sourced?.end()
        sourced = nil
        directory.whenViewChanges = nil
        counting = nil
        ending = nil
        for group in groups.values { group.end() }
        groups = [:]
        background?.end()
        background = nil
        surveys.stop()
        cache.end()
    }

    // MARK: Who wants what

    private func settleSoon() {
        if isSettling { return }
        isSettling = true
        // Uses begin and end in the middle of other work.
        loop.enqueue { [weak self] in
            guard let self else { return }
            isSettling = false
            settle()
        }
    }

    private func settle() {
        let offers = directory.offers
        let known = Set(offers.map { ObjectIdentifier($0) })
        // An offer may have become the first that has a name.
        for (id, group) in groups
        where !known.contains(id) || !group.has(exactly: directory.attributes(of: group.offer)) {
            group.end()
            groups[id] = nil
            // Another version of the reader goes on with the columns.
            if !group.stale.isEmpty {
                left[group.offer.plugin, default: [:]][group.offer.group] = group.stale
            }
        }
        frecency?.settle()
        sourced?.settle()
        for offer in offers {
            guard let reader = offer.reader else { continue }
            let id = ObjectIdentifier(offer)
            reader.whenReady = { [weak self, weak offer] in
                if let self, let offer { readerIsReady(of: offer) }
            }
            let wanted = directory.attributes(of: offer).filter { directory.isWanted($0.attribute) }
            if let group = groups[id] {
                group.usersChanged(Set(wanted.map(\.attribute)))
            } else if !wanted.isEmpty {
                let group = GroupReading(offer, by: reader, in: self)
                groups[id] = group
                if let stale = left[offer.plugin]?.removeValue(forKey: offer.group) {
                    group.goOn(with: stale)
                }
                group.usersChanged(Set(wanted.map(\.attribute)))
            }
        }
        background?.settle()
        countSoon()
        noteUnused()
    }

    /// Somebody looks at other documents.
    private func lookAtViews() {
        for group in groups.values { group.viewsChanged() }
        if directory.users.contains(where: { $0.awaited != nil }) { countSoon() }
    }

    private func noteUnused() {
        let now = loop.now
        let columns = directory.columns
        unused = unused.filter { !directory.isWanted($0.key) && columns.contains($0.key) }
        for attribute in columns where !directory.isWanted(attribute) && unused[attribute] == nil {
            unused[attribute] = now
        }
        guard let oldest = unused.values.min() else { return }
        let wait = max(Self.unusedTime - oldest.duration(to: now), .zero)
        if let ending {
            ending.reschedule(after: wait)
        } else {
            ending = try? loop.schedule(after: wait) { [unowned self] in endUnused() }
        }
    }

    /// Ends one column, and the next ones in turns of their own: the system takes some tenths of a millisecond to take the
    /// memory of a million values back.
    private func endUnused() {
        let now = loop.now
        let due = unused.first { $0.value.duration(to: now) >= Self.unusedTime }
        if let due {
            directory.endColumns([due.key])
            discardTexts()
        }
        left = [:]
        sourced?.settle()
        for group in groups.values { group.columnsEnded() }
        for (id, group) in groups where group.isUnused {
            group.end()
            groups[id] = nil
        }
        background?.goOn()
        noteUnused()
    }

    private func discardTexts() {
        if directory.discardTexts() { return }
        loop.enqueue(priority: .low) { [weak self] in self?.discardTexts() }
    }

    // MARK: How far it is

    /// Counts soon, and as long as something is still to be read.
    func countSoon() {
        if isCounting { return }
        isCounting = true
        loop.enqueue(priority: .low) { [weak self] in self?.count() }
    }

    private func count() {
        isCounting = false
        var isPending = false
        let now = loop.now
        var stillBegun: [ObjectIdentifier: MonotonicInstant] = [:]
        defer { begun = stillBegun }
        let isDue = told.map { $0.duration(to: now) >= Self.countTime } ?? true
        for use in directory.users where !use.waitedFor.isEmpty {
            let pending = pendingCounts(for: use)
            if pending?.values.contains(where: { $0 > 0 }) ?? true { isPending = true }
            let since = begun[ObjectIdentifier(use)] ?? now
            stillBegun[ObjectIdentifier(use)] = since
            if !use.isSettled, since.duration(to: now) >= AttributeWait.limit {
                use.isOverdue = true
            }
            // Values come twenty times a second; nobody reads so many numbers.
            guard let pending, use.pending != pending else { continue }
            let isOver = pending.values.allSatisfy { $0 == 0 }
            guard isDue || use.pending == nil || isOver else { continue }
            use.pending = pending
            told = now
        }
        guard isPending else { return }
        if let counting {
            counting.reschedule(after: Self.countTime)
        } else {
            counting = try? loop.schedule(after: Self.countTime) { [unowned self] in countSoon() }
        }
    }

    // MARK: Readings of offers

    /// The reading of an offer that somebody wants.
    func reading(of offer: AttributeOffer) -> GroupReading? { groups[ObjectIdentifier(offer)] }

    /// Whether documents are read for somebody by a plugin, or are about to be.
    func isReadingForSomebody(_ plugin: String) -> Bool {
        groups.values.contains { $0.offer.plugin == plugin && $0.isAtWork }
    }

    /// The documents that may have ended the reader of an offer, whoever had them read.
    func suspects(of offer: AttributeOffer) -> SuspectFiles {
        reading(of: offer)?.suspects ?? background?.group(of: offer)?.suspects ?? SuspectFiles()
    }

    private func readerIsReady(of offer: AttributeOffer) {
        reading(of: offer)?.pumpSoon()
        background?.goOn()
    }
}
