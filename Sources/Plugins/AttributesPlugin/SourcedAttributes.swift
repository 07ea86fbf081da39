internal import DequeModule
internal import PickerModel
internal import SystemdEventLoop

/// The attributes of items of sources. Nothing is read for them: the sources have given the values, or none.
///
/// While a column is in use, items that change have its values at once. What is done here is to give them to the items that
/// there are when a column begins, in slices. Besides, this offers the attribute `uri`.
final class SourcedAttributes: AttributeReader {
    static let mostAtOnce = 128

    // Nothing is read.
    let room = 0
    let mostFiles = 1
    var whenReady: (() -> Void)?
    private(set) var offer: AttributeOffer?
    private let documents: DocumentStore
    private let loop: any EventLoop
    private var columns: Set<Attribute> = []
    /// The collections whose items are still to be given values, with the slots where to go on.
    private var waiting = Deque<(collection: SourcedCollection, slot: Int)>()
    private var isQueued = false
    private let whenDone: () -> Void

    init(of documents: DocumentStore, on loop: any EventLoop, whenDone: @escaping () -> Void) {
        self.documents = documents
        self.loop = loop
        self.whenDone = whenDone
    }

    func start() {
        let offer = AttributeOffer(
            plugin: "documents", version: "1", group: DocumentSources.uriName,
            attributes: [(DocumentSources.uriName, .text)], condition: nil, reader: self)
        self.offer = offer
        documents.attributes.add(offer)
    }

    func end() {
        waiting = []
        if let offer { documents.attributes.remove(offer) }
        offer = nil
    }

    func read(_ batch: ReadingBatch, _ answer: @escaping (ReadingOutcome) -> Void) {
        loop.enqueue { answer(.refused("items of sources are not read")) }
    }

    /// The items of some collections that may still be without values of the columns that there are.
    func pendingCount(in set: CollectionSet) -> Int {
        guard case .named(let names) = set else { return 0 }
        return waiting.reduce(0) { sum, next in
            names.contains(next.collection.name)
                ? sum + max(next.collection.slotCount - next.slot, 0) : sum
        }
    }

    /// Follows which columns there are.
    func settle() {
        let now = Set(documents.attributes.columns)
        defer { columns = now }
        if now.subtracting(columns).isEmpty { return }
        waiting = Deque(documents.sources.all.filter { $0.count > 0 }.map { ($0, 0) })
        commitSoon()
    }

    private func commitSoon() {
        if isQueued || waiting.isEmpty { return }
        isQueued = true
        loop.enqueue(priority: .low) { [weak self] in
            self?.documents.hold.whenOff { [weak self] in
                guard let self else { return }
                isQueued = false
                commit()
            }
        }
    }

    private func commit() {
        guard let (collection, slot) = waiting.popFirst() else { return }
        let end = slot + Self.mostAtOnce
        documents.sources.giveValues(to: collection.keys(inSlots: slot..<end))
        if end < collection.slotCount { waiting.prepend((collection, end)) }
        if waiting.isEmpty { whenDone() } else { commitSoon() }
    }
}
