/// The attributes that documents may have, by name: who finds them out, and who wants them.
///
/// Of several who offer a name, the first counts until it withdraws. While somebody wants an attribute, the table of the
/// documents has a column for it. Not thread-safe.
package final class AttributeDirectory {
    /// The most names that are offered at once.
    package static let mostNames = 256
    /// The most attributes that there ever are; a name whose kind changes is another one.
    static let mostAttributes = Int(UInt16.max)

    let table: DocumentTable
    private var numbers: [String: [Attribute.Kind: Attribute]] = [:]
    /// By the attribute's number.
    private var names: [String] = []
    /// All offers, in the order in which they were added.
    package private(set) var offers: [AttributeOffer] = []
    /// Who offers an attribute, by its name.
    private var byName: [String: (attribute: Attribute, offer: AttributeOffer)] = [:]
    private var uses: [ObjectIdentifier: WeakUse] = [:]
    private var counts: [Attribute: Int] = [:]
    private var ending: [() -> Void] = []
    /// Called when somebody begins or ceases to want something, or the offers change.
    package var whenChanged: (() -> Void)?
    /// Called when somebody who wants attributes looks at other documents.
    package var whenViewChanges: (() -> Void)?

    private struct WeakUse {
        weak var use: AttributeUse?
    }

    init(of table: DocumentTable) {
        self.table = table
    }

    // MARK: Names

    /// The attribute of a name that somebody offers.
    package func attribute(named name: String) -> Attribute? { byName[name]?.attribute }

    /// The name of an attribute, also when it is offered no more.
    package func name(of attribute: Attribute) -> String { names[Int(attribute.number)] }

    /// All that are offered, by name.
    package var known: [(name: String, attribute: Attribute, offer: AttributeOffer)] {
        byName.map { ($0.key, $0.value.attribute, $0.value.offer) }.sorted { $0.name < $1.name }
    }

    /// The attributes of an offer that are not those of an earlier one.
    package func attributes(of offer: AttributeOffer) -> [(name: String, attribute: Attribute)] {
        offer.attributes.compactMap { name, _ in
            guard let known = byName[name], known.offer === offer else { return nil }
            return (name, known.attribute)
        }
    }

    private func makeAttribute(_ name: String, _ kind: Attribute.Kind) -> Attribute? {
        if let known = numbers[name]?[kind] { return known }
        guard names.count < Self.mostAttributes else { return nil }
        let attribute = Attribute(number: UInt16(names.count), kind: kind)
        names.append(name)
        numbers[name, default: [:]][kind] = attribute
        return attribute
    }

    // MARK: Offers

    /// Adds an offer, behind those that there are.
    package func add(_ offer: AttributeOffer) {
        offers.append(offer)
        settle()
    }

    package func remove(_ offer: AttributeOffer) {
        offers.removeAll { $0 === offer }
        settle()
    }

    /// Says whether documents are to be read for an offer although nobody asks.
    package func readInBackground(_ isReadInBackground: Bool, _ offer: AttributeOffer) {
        if offer.isReadInBackground == isReadInBackground { return }
        offer.isReadInBackground = isReadInBackground
        whenChanged?()
    }

    private func settle() {
        byName = [:]
        for offer in offers {
            for (name, kind) in offer.attributes where byName[name] == nil {
                guard byName.count < Self.mostNames, let attribute = makeAttribute(name, kind)
                else { continue }
                byName[name] = (attribute, offer)
            }
        }
        whenChanged?()
    }

    // MARK: Uses

    /// Those who want something now, in no order.
    package var users: [AttributeUse] { uses.values.compactMap(\.use) }

    /// Whether somebody wants an attribute.
    package func isWanted(_ attribute: Attribute) -> Bool { (counts[attribute] ?? 0) > 0 }

    /// The attributes for which there are columns.
    package var columns: [Attribute] { table.attributes.all.map(\.attribute) }

    package func hasColumn(of attribute: Attribute) -> Bool {
        table.attributes.column(of: attribute) != nil
    }

    /// Notes that somebody wants attributes, as long as the returned object exists.
    /// - Throws: `DocumentTableError.outOfMemory`.
    package func use(_ wish: AttributeWish) throws(DocumentTableError) -> AttributeUse {
        for attribute in wish.all { try table.attributes.begin(attribute, bound: table.rowEnd) }
        let use = AttributeUse(wish, in: self)
        uses[ObjectIdentifier(use)] = WeakUse(use: use)
        for attribute in wish.all { counts[attribute, default: 0] += 1 }
        whenChanged?()
        return use
    }

    fileprivate func ended(_ use: ObjectIdentifier, _ wish: AttributeWish) {
        uses[use] = nil
        for attribute in wish.all {
            let count = (counts[attribute] ?? 0) - 1
            counts[attribute] = count > 0 ? count : nil
        }
        whenChanged?()
    }

    /// Calls `body` before columns end: what was made by them, such as an order, is to be let go.
    package func whenColumnsEnd(_ body: @escaping () -> Void) { ending.append(body) }

    /// Ends the columns of attributes that nobody wants. Their values are lost.
    package func endColumns(_ attributes: [Attribute]) {
        let unused = attributes.filter { !isWanted($0) }
        if unused.isEmpty { return }
        for body in ending { body() }
        for attribute in unused { table.attributes.end(attribute) }
    }

    /// Gives some memory of the texts of columns that have ended back.
    /// - Returns: whether none are left.
    package func discardTexts() -> Bool { table.attributes.discardTexts() }
}

/// Attributes that come from one reading of a file, and what reads it.
package final class AttributeOffer {
    /// The plugin that reads.
    package let plugin: String
    package let version: String
    package let group: String
    package let attributes: [(name: String, kind: Attribute.Kind)]
    /// The documents that may have them; nil for all.
    package let condition: DocumentFilter?
    /// Nil if nothing is read: whoever offers them gives the values.
    package let reader: (any AttributeReader)?
    /// Whether documents are to be read although nobody asks.
    package fileprivate(set) var isReadInBackground: Bool

    package init(
        plugin: String, version: String, group: String,
        attributes: [(name: String, kind: Attribute.Kind)], condition: DocumentFilter?,
        reader: (any AttributeReader)? = nil, isReadInBackground: Bool = false
    ) {
        self.plugin = plugin
        self.version = version
        self.group = group
        self.attributes = attributes
        self.condition = condition
        self.reader = reader
        self.isReadInBackground = isReadInBackground
    }
}

/// What somebody wants to know of documents.
package struct AttributeWish: Equatable {
    /// Of the documents in view.
    package var shown: Set<Attribute>
    /// Of all documents that `query` may keep, since a list is sorted or filtered by them.
    package var needed: Set<Attribute>
    /// What the list keeps, whatever the attributes.
    package var query: DocumentQuery
    package var range: DocumentRange

    package init(
        shown: Set<Attribute>, needed: Set<Attribute>, query: DocumentQuery, range: DocumentRange
    ) {
        self.shown = shown
        self.needed = needed
        self.query = query
        self.range = range
    }

    package var all: Set<Attribute> { shown.union(needed) }
    package var isEmpty: Bool { shown.isEmpty && needed.isEmpty }
}

/// Somebody who wants attributes.
package final class AttributeUse {
    package let wish: AttributeWish
    /// Shows documents, which are read first.
    package weak var viewer: (any DocumentViewer)?
    /// The rows of a one-time answer, which waits for what is shown of them; nil if none is waited for.
    package var awaited: ShownRows? {
        didSet {
            pending = nil
            viewHasChanged()
        }
    }
    /// How many documents are still to be read for each attribute that is needed, and of the awaited rows for each that is
    /// shown; nil until it is known.
    package var pending: [Attribute: Int]? {
        didSet { if pending != oldValue { whenPendingChanges?() } }
    }
    /// Whether it takes so long that nobody is to wait for it.
    package var isOverdue = false {
        didSet { if isOverdue != oldValue { whenPendingChanges?() } }
    }
    /// Called when `pending` has changed, or it takes too long.
    package var whenPendingChanges: (() -> Void)?
    private let directory: AttributeDirectory

    fileprivate init(_ wish: AttributeWish, in directory: AttributeDirectory) {
        self.wish = wish
        self.directory = directory
    }

    /// The attributes for which somebody waits.
    package var waitedFor: Set<Attribute> { awaited == nil ? wish.needed : wish.all }

    /// Whether all documents have been read that the list depends on, and those that are awaited.
    package var isSettled: Bool {
        if waitedFor.isEmpty || directory.whenChanged == nil { return true }
        return pending.map { $0.values.allSatisfy { $0 == 0 } } ?? false
    }

    /// Is to be called by the viewer when it shows other documents.
    package func viewHasChanged() { directory.whenViewChanges?() }

    deinit { directory.ended(ObjectIdentifier(self), wish) }
}
