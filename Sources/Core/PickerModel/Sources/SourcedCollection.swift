/// The items of one source, which are a collection.
///
/// They are in slots, so that all can be looked at in slices while they change.
///
/// Invariant: `bySlot`, `byID` and `byKey` have the same items, each of which is a document below the root that has the
/// name of the collection; there are no others.
package final class SourcedCollection {
    /// How far it is with what the source has.
    package enum State: String, Sendable, CaseIterable {
        /// Nobody has asked for it, or not for a while.
        case waiting
        /// The source is being asked.
        case scanning
        /// It has all items, and is told of changes.
        case watching
        /// The source does not answer: there is what it had before.
        case missing
    }

    /// An item with its document.
    final class Entry {
        let key: KeyNumber
        fileprivate(set) var item: SourcedItem
        /// The reset that had it last.
        fileprivate(set) var round: Int

        fileprivate init(_ item: SourcedItem, _ key: KeyNumber, round: Int) {
            self.item = item
            self.key = key
            self.round = round
        }
    }

    /// `<plugin>:<source>`.
    package let name: String
    /// For people.
    package internal(set) var title: String
    package internal(set) var state = State.waiting
    /// Called when somebody wants its items. It must not change any.
    package var whenWanted: (() -> Void)?
    /// Whether lists can be drawn from it. One that is offered no more is being emptied.
    package internal(set) var isOffered = true
    private(set) var bySlot: [Entry?] = []
    private var free: [Int] = []
    private var byID = ShardedDictionary<String, Int>()
    private var byKey = ShardedDictionary<KeyNumber, Int>()
    /// About how many bytes are kept besides the rows.
    private(set) var weight = 0
    /// Counts the resets.
    private var round = 0

    init(_ name: String, title: String) {
        self.name = name
        self.title = title
    }

    package var count: Int { byID.count }

    /// The slots that there are; some may have no item.
    package var slotCount: Int { bySlot.count }

    /// Whether nothing more is to be waited for.
    package var isWhole: Bool { state == .watching || state == .missing }

    package func has(_ id: String) -> Bool { byID[id] != nil }

    func key(of id: String) -> KeyNumber? { byID[id].flatMap { bySlot[$0]?.key } }

    func item(_ key: KeyNumber) -> SourcedItem? { byKey[key].flatMap { bySlot[$0]?.item } }

    /// The keys of the items in some slots.
    package func keys(inSlots slots: Range<Int>) -> [KeyNumber] {
        bySlot[slots.clamped(to: bySlot.indices)].compactMap { $0?.key }
    }

    /// How many more items there would be after an edit, and how much more of them would be kept.
    /// - Complexity: O(k) for k items.
    func growth(
        removing removed: some Sequence<String>, putting put: [SourcedItem]
    ) -> (items: Int, weight: Int) {
        var after: [String: Int?] = [:]
        for id in removed { after[id] = .some(nil) }
        for item in put { after[item.id] = item.weight }
        return after.reduce(into: (0, 0)) { growth, touched in
            let before = byID[touched.key].flatMap { bySlot[$0]?.item.weight }
            growth.0 += (touched.value == nil ? 0 : 1) - (before == nil ? 0 : 1)
            growth.1 += (touched.value ?? 0) - (before ?? 0)
        }
    }

    // MARK: Resets

    /// From now on all items are named anew.
    package func beginReset() { round += 1 }

    /// The identifiers of the items in some slots that have not been named since the reset began.
    package func unnamed(inSlots slots: Range<Int>) -> [String] {
        bySlot[slots.clamped(to: bySlot.indices)].compactMap { entry in
            entry.flatMap { $0.round == round ? nil : $0.item.id }
        }
    }

    /// The identifiers of the items in some slots.
    package func ids(inSlots slots: Range<Int>) -> [String] {
        bySlot[slots.clamped(to: bySlot.indices)].compactMap { $0?.item.id }
    }

    // MARK: Items

    /// Notes that an item is as it is known.
    /// - Returns: whether it is.
    func name(again item: SourcedItem) -> Bool {
        guard let slot = byID[item.id], let entry = bySlot[slot], entry.item == item else {
            return false
        }
        entry.round = round
        return true
    }

    func note(_ item: SourcedItem, _ key: KeyNumber) {
        weight += item.weight
        if let slot = byID[item.id], let entry = bySlot[slot] {
            weight -= entry.item.weight
            entry.item = item
            entry.round = round
            return
        }
        let entry = Entry(item, key, round: round)
        let slot = free.popLast() ?? bySlot.count
        if slot == bySlot.count { bySlot.append(entry) } else { bySlot[slot] = entry }
        byID[item.id] = slot
        byKey[key] = slot
    }

    func forget(_ id: String) -> KeyNumber? {
        guard let slot = byID[id], let entry = bySlot[slot] else { return nil }
        byID[id] = nil
        byKey[entry.key] = nil
        bySlot[slot] = nil
        free.append(slot)
        weight -= entry.item.weight
        return entry.key
    }

    /// In debug builds, traps if the parts do not fit.
    func checkInvariants() {
        #if DEBUG
        var (count, weight) = (0, 0)
        for (slot, entry) in bySlot.enumerated() {
            guard let entry else {
                precondition(free.contains(slot), "slot \(slot) is lost")
                continue
            }
            count += 1
            weight += entry.item.weight
            precondition(byID[entry.item.id] == slot && byKey[entry.key] == slot, "slot \(slot)")
        }
        precondition(count == byID.count && count == byKey.count && weight == self.weight)
        #endif
    }
}
