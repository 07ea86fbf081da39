internal import DequeModule
internal import EventLoops
internal import PickerModel
internal import PluginInterface

/// The attributes of items of sources. Nothing is read for them: the sources have given the values, or none.
///
/// While a column is in use, items that change have its values at once. What is done here is to give them to the items that
/// there are when a column begins, in slices. Besides, this offers the attribute `uri`.
final class SourcedAttributes {
    static let mostAtOnce = 128

    private var offer: AttributeOffer?
    private let documents: DocumentStore
    private var columns: Set<Attribute> = []
    /// The columns that have begun since all items were given their values.
    private var fresh: Set<Attribute> = []
    /// The collections whose items are still to be given values, with the slots where to go on.
    private var waiting = Deque<(collection: SourcedCollection, slot: Int)>()
    private let commits: SlicedChanges
    private let whenDone: () -> Void

    init(of documents: DocumentStore, on loop: any EventLoop, whenDone: @escaping () -> Void) {
        self.documents = documents
        commits = SlicedChanges(of: documents, on: loop)
        self.whenDone = whenDone
    }

    func start() {
        let offer = AttributeOffer(
            plugin: "documents", version: "1", group: DocumentSources.uriName,
            attributes: [(DocumentSources.uriName, .text)], condition: nil)
        self.offer = offer
        documents.attributes.add(offer)
        commits.step = { [weak self] in self?.commit() ?? false }
    }

    func end() {
        waiting = []
        fresh = []
        if let offer { documents.attributes.remove(offer) }
        offer = nil
    }

    /// The items of some collections, or all, that may still be without the value of an attribute that they have.
    func pendingCount(of attribute: Attribute, in set: CollectionSet? = nil) -> Int {
        guard fresh.contains(attribute) else { return 0 }
        return waiting.reduce(0) { sum, next in
            guard set?.names.contains(next.collection.name) ?? true else { return sum }
            let slots = next.collection.slotCount - next.slot
            return sum + max(0, min(slots, next.collection.count))
        }
    }

    /// Follows which columns there are.
    func settle() {
        let now = Set(documents.attributes.columns)
        defer { columns = now }
        fresh.formIntersection(now)
        if now.subtracting(columns).isEmpty { return }
        fresh.formUnion(now.subtracting(columns))
        waiting = Deque(documents.sources.all.filter { $0.count > 0 }.map { ($0, 0) })
        if waiting.isEmpty { fresh = [] } else { commits.goOn() }
    }

    /// - Returns: whether there is more to do.
    private func commit() -> Bool {
        guard let (collection, slot) = waiting.popFirst() else { return false }
        let end = slot + Self.mostAtOnce
        documents.sources.giveValues(to: collection.keys(inSlots: slot..<end))
        if end < collection.slotCount { waiting.prepend((collection, end)) }
        if waiting.isEmpty {
            fresh = []
            whenDone()
        }
        return !waiting.isEmpty
    }
}
