internal import DequeModule
internal import Observables
internal import PickerModel
internal import SystemdEventLoop

/// The attribute `frecency`: how often and how recently a document was visited. Nothing is read for it: the visits that are
/// kept with the likes say it.
///
/// Its value is the moment at which all visits together count 1, as a time: the greater, the more. Documents without a
/// visit have none. What has changed is committed 256 documents at a time.
final class FrecencyAttribute: AttributeReader {
    static let name = "frecency"
    static let mostAtOnce = 256

    // Nothing is read.
    let room = 0
    let mostFiles = 1
    var whenReady: (() -> Void)?
    private(set) var offer: AttributeOffer?
    private let documents: DocumentStore
    private let loop: any EventLoop
    private var attribute: Attribute?
    private var following: Connection?
    private var waiting = Deque<String>()
    private var isQueued = false
    private let whenDone: () -> Void

    init(of documents: DocumentStore, on loop: any EventLoop, whenDone: @escaping () -> Void) {
        self.documents = documents
        self.loop = loop
        self.whenDone = whenDone
    }

    func start() {
        let offer = AttributeOffer(
            plugin: "feed", version: "1", group: Self.name, attributes: [(Self.name, .time)],
            condition: nil, reader: self)
        self.offer = offer
        documents.attributes.add(offer)
    }

    func end() {
        following = nil
        waiting = []
        if let offer { documents.attributes.remove(offer) }
        offer = nil
    }

    func read(_ batch: ReadingBatch, _ answer: @escaping (ReadingOutcome) -> Void) {
        loop.enqueue { answer(.refused("visits are no files")) }
    }

    /// The documents whose values are still to be set.
    var pendingCount: Int { waiting.count }

    func has(_ attribute: Attribute) -> Bool { attribute == self.attribute }

    /// Follows whether there is a column for it.
    func settle() {
        let directory = documents.attributes
        guard let attribute = directory.attribute(named: Self.name),
            directory.columns.contains(attribute)
        else {
            attribute = nil
            following = nil
            waiting = []
            return
        }
        if self.attribute == attribute { return }
        self.attribute = attribute
        following = documents.visits.changes.connect { [unowned self] keys in add(keys.sorted()) }
        add(documents.visits.keys)
    }

    private func add(_ keys: [String]) {
        waiting.append(contentsOf: keys)
        commitSoon()
    }

    private func commitSoon() {
        if isQueued { return }
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
        guard let attribute else { return }
        let keys = waiting.prefix(Self.mostAtOnce)
        documents.edit { edits in
            for text in keys {
                guard let key = documents.table.key(text) else { continue }
                let score = documents.visits.score(of: text)
                edits.give([(attribute, score.map { .time($0.seconds) })], to: key)
            }
        }
        waiting.removeFirst(keys.count)
        if waiting.isEmpty { whenDone() } else { commitSoon() }
    }
}
