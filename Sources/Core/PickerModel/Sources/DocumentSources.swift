// What sources contribute: collections of items that need not be files, such as bookmarks or what was used recently.
//
// Their items are documents of the one table, so that all that is done with documents is done with them: they have keys,
// are searched, sorted, filtered, liked and laid out. They lie below a root that has the name of the collection, which no
// folder has, as that begins with a slash. They are in no list that does not name their collection, and are not stored.
// Nothing is read for their attributes: they have those that the source gives.

/// The collections of sources in a `DocumentStore`. Not thread-safe.
package final class DocumentSources {
    /// What all sources together may have.
    package struct Limits: Sendable {
        package var items = 1_000_000
        /// What is kept besides the rows: identifiers, URIs and values.
        package var bytes = 256 << 20

        package init() {}
    }

    package private(set) var limits: Limits
    private var collections: [String: SourcedCollection] = [:]
    private unowned let store: DocumentStore
    private var table: DocumentTable { store.table }

    init(of store: DocumentStore, limits: Limits = Limits()) {
        self.store = store
        self.limits = limits
    }

    /// Sets other limits, as a test does.
    package func limit(to limits: Limits) { self.limits = limits }

    /// Those that are offered, by name.
    package var all: [SourcedCollection] {
        collections.values.filter(\.isOffered).sorted { $0.name < $1.name }
    }

    /// The names of all roots that belong to sources.
    var roots: Set<String> { Set(collections.keys) }

    /// The items of all sources.
    package var count: Int { collections.values.reduce(0) { $0 + $1.count } }
    private var weight: Int { collections.values.reduce(0) { $0 + $1.weight } }

    /// The item of a document; nil if that is none of a source.
    package func item(_ key: KeyNumber) -> SourcedItem? {
        for collection in collections.values {
            if let item = collection.item(key) { return item }
        }
        return nil
    }

    /// The same for a key as a text.
    package func item(ofKey key: String) -> SourcedItem? {
        if collections.isEmpty { return nil }
        return table.key(key).flatMap { item($0) }
    }

    // MARK: Collections

    /// Adds a collection. If the items of a former one of this name are still being removed, it has those, until a reset.
    package func add(_ name: String, title: String) -> SourcedCollection {
        precondition(!name.hasPrefix("/"), "it would be a folder")
        let collection = collections[name] ?? SourcedCollection(name, title: title)
        collection.title = title
        collection.isOffered = true
        collection.state = .waiting
        collections[name] = collection
        store.settleCollections()
        return collection
    }

    /// Withdraws a collection: nobody is offered it any more. Its items are to be removed then, and it is forgotten with
    /// the last one.
    package func withdraw(_ collection: SourcedCollection) {
        collection.isOffered = false
        collection.whenWanted = nil
        forgetIfDone(collection)
        store.settleCollections()
    }

    private func forgetIfDone(_ collection: SourcedCollection) {
        if !collection.isOffered, collection.count == 0 { collections[collection.name] = nil }
    }

    package func set(_ state: SourcedCollection.State, of collection: SourcedCollection) {
        if collection.state == state { return }
        collection.state = state
        store.settleCollections()
    }

    /// Somebody wants the documents of some collections.
    func want(_ names: [String]) {
        for name in names { collections[name]?.whenWanted?() }
    }

    /// What the collections are to lists.
    var known: [String: DocumentCollections.Collection] {
        var known: [String: DocumentCollections.Collection] = [:]
        // Of one that is withdrawn, the items leave the lists as they are removed.
        for collection in collections.values {
            known[collection.name] = .init(
                [DocumentArea(root: collection.name)],
                isWhole: collection.isWhole || !collection.isOffered)
        }
        return known
    }

    // MARK: Items

    /// Removes items and adds others, or changes those of the same identifiers, as one change.
    /// - Throws: `SourceLimit`, without a change, if all sources together would have too much.
    /// - Complexity: O(k) for k items.
    package func edit(
        _ collection: SourcedCollection, removing removed: some Collection<String> = [],
        putting put: [SourcedItem] = []
    ) throws(SourceLimit) {
        try checkRoom(for: put, removing: removed, in: collection)
        let columns = attributeColumns
        store.edit { edits in
            for id in removed {
                if let key = collection.forget(id) { edits.remove(key) }
            }
            for item in put { self.put(item, in: collection, columns, &edits) }
        }
        forgetIfDone(collection)
        if !collection.isOffered, collection.count == 0 { store.settleCollections() }
    }

    private func checkRoom(
        for put: [SourcedItem], removing removed: some Sequence<String>,
        in collection: SourcedCollection
    ) throws(SourceLimit) {
        let (count, weight) = (count, weight)
        // Mostly there is room, whatever becomes of it.
        if count + put.count <= limits.items,
            weight + put.reduce(0, { $0 + $1.weight }) <= limits.bytes
        {
            return
        }
        let growth = collection.growth(removing: removed, putting: put)
        if growth.items > 0, count + growth.items > limits.items { throw .items(limits.items) }
        if growth.weight > 0, weight + growth.weight > limits.bytes { throw .bytes(limits.bytes) }
    }

    private func put(
        _ item: SourcedItem, in collection: SourcedCollection,
        _ columns: [(name: String, attribute: Attribute)], _ edits: inout DocumentEdits
    ) {
        if collection.name(again: item) { return }
        let key = collection.key(of: item.id) ?? store.mintKeyNumber()
        var place = SourcedPlace(of: item)
        var attempt = 0
        while isTaken(place, below: collection.name, for: key), attempt < Self.mostAttempts {
            place = SourcedPlace(of: item).aside(item.id, attempt: attempt)
            attempt += 1
        }
        if isTaken(place, below: collection.name, for: key) { return }
        do {
            let folder = try table.makeFolder(root: collection.name, path: place.folder[...])
            let facts = DocumentFacts(
                size: item.size, modified: item.modified, device: 0, inode: 0)
            guard edits.put(key, in: folder, named: place.name, facts: facts, given: item.type)
            else { return }
        } catch {
            store.whenRefused?(error)
            return
        }
        collection.note(item, key)
        if columns.isEmpty { return }
        edits.give(Self.values(of: item, columns), to: key)
    }

    /// The places aside for one that is taken. Only identifiers that are made to have the same digest need more: then the
    /// item is left out.
    private static let mostAttempts = 8

    private func isTaken(_ place: SourcedPlace, below root: String, for key: KeyNumber) -> Bool {
        guard let folder = table.folder(root: root, path: place.folder[...]),
            let row = table.row(in: folder, named: place.name.span)
        else { return false }
        return table.key(of: row) != key
    }

    // MARK: Attributes

    /// The attributes of which there are columns.
    private var attributeColumns: [(name: String, attribute: Attribute)] {
        let directory = store.attributes
        return directory.columns.map { (directory.name(of: $0), $0) }
    }

    private static func values(
        of item: SourcedItem, _ columns: [(name: String, attribute: Attribute)]
    ) -> [(attribute: Attribute, value: AttributeValue?)] {
        columns.map { name, attribute in
            let value = name == uriName ? item.uri.flatMap(Self.text) : item.value(named: name)
            return (attribute, value?.kind == attribute.kind ? value : nil)
        }
    }

    /// The name of the attribute that has the URIs of items.
    package static let uriName = "uri"

    private static func text(_ uri: String) -> AttributeValue? {
        uri.utf8.count <= AttributeValue.longestText ? .text(uri) : nil
    }

    /// Gives items their values of some attributes, as one change: those of which columns are new.
    /// - Complexity: O(k) for k keys; those that are no items are left out.
    package func giveValues(to keys: some Sequence<KeyNumber>) {
        let columns = attributeColumns
        if columns.isEmpty { return }
        store.edit { edits in
            for key in keys {
                guard let item = item(key) else { continue }
                edits.give(Self.values(of: item, columns), to: key)
            }
        }
    }

    // MARK: Invariants

    /// In debug builds, traps if a collection does not have the items that it should.
    package func checkInvariants() {
        #if DEBUG
        var count = 0
        for collection in collections.values {
            collection.checkInvariants()
            for entry in collection.bySlot.compactMap(\.self) {
                let id = entry.item.id
                guard let row = table.row(of: entry.key) else {
                    preconditionFailure("\(id) is no document")
                }
                precondition(table.root(of: row).text == collection.name, "\(id) lies elsewhere")
                precondition(table.attributes.given.contains(row.index), "\(id) is not given")
            }
            count += collection.count
        }
        precondition(
            table.current.count { table.attributes.given.contains($0) } == count,
            "there are others")
        #endif
    }
}

/// Sources would have more than all of them may have together.
package struct SourceLimit: Error, Hashable, Sendable, CustomStringConvertible {
    /// The limit: items, or bytes.
    package let most: Int
    package let description: String

    package static func items(_ most: Int) -> Self {
        Self(
            most: most,
            description: "all sources together may have \(most) items: this one has too many")
    }

    package static func bytes(_ most: Int) -> Self {
        Self(
            most: most,
            description: "what all sources together have takes more than \(most) bytes: send fewer "
                + "items")
    }
}
