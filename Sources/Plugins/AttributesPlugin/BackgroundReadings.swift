internal import EventLoops
internal import Observables
internal import PickerModel
internal import PluginInterface

/// What is read of documents although nobody asks for it: of the plugins of which the user has said so.
///
/// It fills the cache, and nothing else: no column comes into being by it, and no document changes. One question to the
/// cache or one batch of a reader is under way at a time, of all groups together, and groups take turns. After one that
/// took a time t nothing is done for 3 t, and for `leastRest` at least, so this has a quarter of the time at most. Nothing
/// is done while a plugin reads for somebody, of that plugin; while the machine is on a battery, which is looked at once a
/// minute while something is left to do; before all documents are known; and without a cache. When all has been looked
/// through, no timer is set.
final class BackgroundReadings {
    static let leastRest = Duration.milliseconds(50)
    /// How much longer it rests than it has worked.
    static let restFactor = 3
    /// How long a document that is new, or another, is left alone: more may follow.
    static let delay = Duration.seconds(2)

    unowned let house: AttributeReadings
    let power: PowerWatch
    /// The one whose turn it is first.
    private(set) var groups: [BackgroundGroup] = []
    private var isQueued = false
    /// The group whose question or batch is under way.
    private var underWay: BackgroundGroup?
    private var following: Connection?
    private var rest: MonotonicInstant
    private var timer: (any TimerSource)?
    private var hasEnded = false

    init(in house: AttributeReadings, powerFolder: String) {
        self.house = house
        power = PowerWatch(in: powerFolder, on: house.loop)
        rest = house.loop.now
        following = house.context.documents.isComplete.changes.connect { [unowned self] _ in goOn()
        }
    }

    var isUnderWay: Bool { underWay != nil }

    func end() {
        hasEnded = true
        timer = nil
        following = nil
        underWay = nil
        for group in groups { group.end() }
        groups = []
    }

    /// The group of an offer that is read in the background.
    func group(of offer: AttributeOffer) -> BackgroundGroup? {
        groups.first { $0.offer === offer }
    }

    /// Follows which offers are to be read.
    func settle() {
        let directory = house.directory
        let offers = directory.offers.filter(\.isReadInBackground)
        groups.removeAll { group in
            let isWanted = offers.contains { $0 === group.offer }
            if isWanted, group.wanted == directory.attributes(of: group.offer).map(\.name).sorted()
            {
                return false
            }
            group.end()
            // Nobody may answer it any more.
            if underWay === group { underWay = nil }
            return true
        }
        for offer in offers where group(of: offer) == nil {
            guard let reader = offer.reader else { continue }
            let names = directory.attributes(of: offer).map(\.name).sorted()
            if !names.isEmpty {
                groups.append(BackgroundGroup(offer, names, by: reader, in: house))
            }
        }
        goOn()
    }

    /// What the cache knew is lost.
    func cacheIsLost() {
        for group in groups { group.forgetAll() }
    }

    /// Does what is to be done next, soon, if it may.
    func goOn() {
        if isQueued || isUnderWay || hasEnded || groups.isEmpty { return }
        isQueued = true
        house.loop.enqueue(priority: .idle) { [weak self] in
            guard let self else { return }
            isQueued = false
            if !hasEnded, !isUnderWay { workIfDue() }
        }
    }

    private func workIfDue() {
        // Before all documents are known, whatever can find them faster goes first.
        guard house.context.documents.isWhole, let due = groups.compactMap(\.due).min(),
            house.cache.isUsable
        else {
            timer?.unschedule()
            return
        }
        let now = house.loop.now
        let start = max(due, rest)
        if start > now { return wake(at: start) }
        guard let isOnBattery = power.isOnBattery else {
            return power.look { [weak self] in self?.goOn() }
        }
        if isOnBattery { return wake(at: power.end ?? now.advanced(by: PowerWatch.time)) }
        work(at: now)
    }

    private func work(at now: MonotonicInstant) {
        guard let place = groups.firstIndex(where: { $0.due.map { $0 <= now } ?? false }) else {
            return
        }
        let group = groups.remove(at: place)
        groups.append(group)
        underWay = group
        let step = group.work { [weak self, weak group] in
            if let self, let group { isOver(group, since: now) }
        }
        switch step {
        case .underWay: break
        case .refused: isOver(group, since: now)
        case .looked:
            underWay = nil
            goOn()
        }
    }

    private func isOver(_ group: BackgroundGroup, since begin: MonotonicInstant) {
        guard underWay === group else { return }
        underWay = nil
        let now = house.loop.now
        let spent = begin.duration(to: now)
        rest = now.advanced(by: max(spent * Self.restFactor, Self.leastRest))
        goOn()
    }

    private func wake(at time: MonotonicInstant) {
        let wait = max(house.loop.now.duration(to: time), .milliseconds(1))
        if let timer { return timer.reschedule(after: wait) }
        timer = try? house.loop.schedule(after: wait) { [unowned self] in goOn() }
    }
}
