internal import DequeModule
internal import EventLoops
internal import Observables
internal import PickerModel
internal import PluginInterface

/// The attribute `frecency`: how often and how recently a document was visited. Nothing is read for it: the visits that are
/// kept with the likes say it.
///
/// Its value is the moment at which all visits together count 1, as a time: the greater, the more. Documents without a
/// visit have none. What has changed is committed 256 documents at a time.
final class FrecencyAttribute {
    static let name = "frecency"
    static let mostAtOnce = 256

    private var offer: AttributeOffer?
    private let documents: DocumentStore
    private var attribute: Attribute?
    private var following: Connection?
    private var waiting = Deque<String>()
    private let commits: SlicedChanges
    private let whenDone: () -> Void

    init(of documents: DocumentStore, on loop: any EventLoop, whenDone: @escaping () -> Void) {
        self.documents = documents
        commits = SlicedChanges(of: documents, on: loop)
        self.whenDone = whenDone
    }

    func start() {
        let offer = AttributeOffer(
            plugin: "feed", version: "1", group: Self.name, attributes: [(Self.name, .time)],
            condition: nil)
        self.offer = offer
        documents.attributes.add(offer)
        commits.step = { [weak self] in self?.commit() ?? false }
    }

    func end() {
        following = nil
        waiting = []
        if let offer { documents.attributes.remove(offer) }
        offer = nil
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
        commits.goOn()
    }

    /// - Returns: whether there is more to do.
    private func commit() -> Bool {
        guard let attribute else { return false }
        let keys = waiting.prefix(Self.mostAtOnce)
        documents.edit { edits in
            for text in keys {
                guard let key = documents.table.key(text) else { continue }
                let score = documents.visits.score(of: text)
                edits.give([(attribute, score.map { .time($0.seconds) })], to: key)
            }
        }
        waiting.removeFirst(keys.count)
        if waiting.isEmpty { whenDone() }
        return !waiting.isEmpty
    }
}
