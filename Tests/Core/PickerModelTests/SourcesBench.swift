import Observables
import TestSupport
import Testing

@testable import PickerModel

/// A store with two sources and ordinary documents, what they should be, and lists of them.
final class SourcesBench {
    private static let names = ["a:x", "b:y"]
    private static let attributes: [(name: String, kind: Attribute.Kind)] = [
        ("a.count", .integer), ("a.text", .text), (DocumentSources.uriName, .text),
    ]

    let store = DocumentStore(epoch: "e")
    /// What the sources have given, by name and identifier.
    private var plain: [String: [String: SourcedItem]] = [:]
    private var marks: [String: [String: Marks]] = [:]
    private var offered: [String: SourcedCollection] = [:]
    /// Those that are being emptied.
    private var leaving: [String: SourcedCollection] = [:]
    private var use: AttributeUse?
    private var lists: [(range: DocumentRange, list: PickerList, orders: DocumentOrders)] = []
    private var counter = 0

    init() throws {
        store.setCollections([:], roots: ["/r"], leased: [])
        store.marks.settle()
        store.attributes.add(
            AttributeOffer(
                plugin: "a", version: "1", group: "g", attributes: Self.attributes, condition: nil))
        for name in Self.names { offer(name) }
    }

    private var ranges: [DocumentRange] {
        [Self.names, [Self.names[0]], [Self.names[1]], [Self.names[0], "documents"]].flatMap {
            set in
            [DocumentRange.Part.listed, .dropped, .all].map {
                DocumentRange($0, of: CollectionSet(set))
            }
        }
    }

    func endLists() { lists = [] }

    // MARK: Steps

    func step(_ random: inout SeededRandom) throws -> String {
        let name = Self.names.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return reset(name, &random)
        case 1:
            guard let collection = offered.removeValue(forKey: name) else {
                offer(name)
                return "\(name) is offered"
            }
            store.sources.withdraw(collection)
            if collection.count > 0 { leaving[name] = collection }
            return "\(name) is withdrawn"
        case 2: return empty(&random)
        case 3: return try changeColumns()
        case 4: return openList(&random)
        case 5, 6: return mark(&random)
        case 7:
            counter += 1
            store.apply(
                removed: Array(
                    store.documents.filter { $0.root == "/r" }.prefix(random.chance(0.3) ? 1 : 0)),
                inserted: [
                    Document(
                        key: store.mintKey(), root: "/r", path: FileName("f\(counter)"), size: 1,
                        modified: FileTime(seconds: 1))
                ])
            return "a document"
        default: return try edit(name, &random)
        }
    }

    private func offer(_ name: String) {
        offered[name] = store.sources.add(name, title: name)
        leaving[name] = nil
    }

    private func item(_ id: String, _ random: inout SeededRandom) -> SourcedItem {
        counter += 1
        let uri =
            [nil, "file:///home/a", "file:///home/b/c", "https://example.org/\(counter)", "%"]
            .randomElement(using: &random) ?? nil
        var values: [String: AttributeValue] = [:]
        if random.chance(0.5) { values["a.count"] = .integer(Int64(counter)) }
        // Of another kind than it should be.
        if random.chance(0.3) {
            values["a.text"] = random.chance(0.7) ? .text("t\(counter)") : .boolean(true)
        }
        return SourcedItem(
            id: id, name: "n\(Int.random(in: 0..<4, using: &random)).md", uri: uri,
            size: UInt64(Int.random(in: 0..<3, using: &random)),
            modified: FileTime(seconds: Int64(Int.random(in: 0..<3, using: &random))),
            type: random.chance(0.3) ? MediaType(text: "inode/directory") : nil, values: values)
    }

    private func edit(_ name: String, _ random: inout SeededRandom) throws -> String {
        guard let collection = offered[name] else { return "nothing" }
        let ids = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            "i\(Int.random(in: 0..<30, using: &random))"
        }
        let removed = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            "i\(Int.random(in: 0..<30, using: &random))"
        }
        // Some are as they were, some are there twice.
        let put = ids.map { id in
            plain[name]?[id].flatMap { random.chance(0.2) ? $0 : nil } ?? item(id, &random)
        }
        let revision = store.rev
        try store.sources.edit(collection, removing: removed, putting: put)
        guard store.rev <= revision + 1 else { return "an edit of more than one revision" }
        forget(removed, of: name)
        for item in put { plain[name, default: [:]][item.id] = item }
        return "removed \(removed), put \(ids)"
    }

    private func forget(_ ids: some Sequence<String>, of name: String) {
        for id in ids {
            plain[name]?[id] = nil
            marks[name]?[id] = nil
        }
    }

    /// All items are named anew, in pieces, with an edit of documents between them; those that are not are removed.
    private func reset(_ name: String, _ random: inout SeededRandom) -> String {
        guard let collection = offered[name] else { return "nothing" }
        collection.beginReset()
        var items: [String: SourcedItem] = [:]
        for number in 0..<30 where random.chance(0.6) {
            let id = "i\(number)"
            items[id] =
                plain[name]?[id].flatMap { random.chance(0.5) ? $0 : nil } ?? item(id, &random)
        }
        let all = items.values.shuffled(using: &random)
        for start in stride(from: 0, to: all.count, by: 7) {
            try? store.sources.edit(collection, putting: Array(all[start...].prefix(7)))
        }
        for start in stride(from: 0, to: collection.slotCount, by: 5) {
            let gone = collection.unnamed(inSlots: start..<start + 5)
            try? store.sources.edit(collection, removing: gone)
        }
        forget(Set((plain[name] ?? [:]).keys).subtracting(items.keys), of: name)
        plain[name] = items
        return "reset of \(name)"
    }

    /// Removes some items of one that is withdrawn.
    private func empty(_ random: inout SeededRandom) -> String {
        guard let (name, collection) = leaving.min(by: { $0.key < $1.key }) else {
            return "nothing"
        }
        let start = Int.random(in: 0...collection.slotCount, using: &random)
        let ids =
            random.chance(0.3)
            ? collection.ids(inSlots: 0..<collection.slotCount)
            : collection.ids(inSlots: start..<start + 6)
        try? store.sources.edit(collection, removing: ids)
        forget(ids, of: name)
        if collection.count == 0 { leaving[name] = nil }
        return "\(ids.count) items of \(name) go"
    }

    private func changeColumns() throws -> String {
        let directory = store.attributes
        if use != nil {
            use = nil
            // What was sorted by them is let go.
            lists = []
            directory.endColumns(directory.columns)
            return "columns end"
        }
        let attributes = Self.attributes.compactMap { directory.attribute(named: $0.name) }
        use = try directory.use(
            AttributeWish(
                shown: [], needed: Set(attributes), query: DocumentQuery(), range: .listed))
        for collection in Array(offered.values) + Array(leaving.values) {
            for start in stride(from: 0, to: collection.slotCount, by: 4) {
                store.sources.giveValues(to: collection.keys(inSlots: start..<start + 4))
            }
        }
        return "columns begin"
    }

    private func openList(_ random: inout SeededRandom) -> String {
        if lists.count > 3 { lists.remove(at: Int.random(in: 0..<lists.count, using: &random)) }
        guard let range = ranges.randomElement(using: &random) else { return "nothing" }
        let orders = DocumentOrders(of: store, in: range)
        let list = PickerList(in: orders)
        list.activate()
        lists.append((range, list, orders))
        return "a list of \(range)"
    }

    private func mark(_ random: inout SeededRandom) -> String {
        var planner = MarkPlanner(for: store)
        for (name, collection) in offered.sorted(by: { $0.key < $1.key }) {
            for id in (plain[name] ?? [:]).keys.sorted().shuffled(using: &random).prefix(2) {
                guard let key = collection.key(of: id) else { continue }
                var now = marks[name]?[id] ?? []
                let wish: MarkWish
                if random.chance(0.5) {
                    wish = .like(nil)
                    now.formSymmetricDifference(.liked)
                } else {
                    wish = now.contains(.dropped) ? .restore : .drop
                    now.formSymmetricDifference(.dropped)
                }
                _ = planner.plan(wish, for: store.table.text(of: key))
                marks[name, default: [:]][id] = now
            }
        }
        store.mark(planner.changes)
        return "marks"
    }

    // MARK: What should be

    /// What is not as it should be.
    func fault() -> String? {
        var expected: [DocumentRange: Set<String>] = [:]
        for (name, collection) in Array(offered) + Array(leaving) {
            let items = plain[name] ?? [:]
            if collection.count != items.count { return "\(name) has \(collection.count) items" }
            for (id, item) in items {
                guard let key = collection.key(of: id),
                    let document = store[key: store.table.text(of: key)]
                else { return "\(id) is no document" }
                if let fault = fault(document, item, named: name) { return "\(id): \(fault)" }
                for range in ranges where range.collections.names.contains(name) {
                    let isIn =
                        switch range.part {
                        case .all: true
                        case .dropped: document.isDropped
                        case .listed: !document.isDropped
                        }
                    if isIn { expected[range, default: []].insert(document.key) }
                }
            }
        }
        let ordinary = store.documents.filter { $0.root == "/r" }
        for range in ranges {
            var keys = expected[range] ?? []
            if range.part != .dropped, range.collections.names.contains("documents") {
                keys.formUnion(ordinary.map(\.key))
            }
            if documents(in: range) != keys { return "\(range) has others" }
        }
        for part in [DocumentRange.Part.listed, .all] {
            if documents(in: DocumentRange(part)) != Set(ordinary.map(\.key)) {
                return "lists of documents have items"
            }
        }
        return lists.lazy.compactMap { self.fault(of: $0.list, in: $0.range) }.first
    }

    private func documents(in range: DocumentRange) -> Set<String> {
        Set(store.documents(in: range).value.map { store.table.text(of: store.table.key(of: $0)) })
    }

    private func fault(_ document: Document, _ item: SourcedItem, named name: String) -> String? {
        if document.root != name { return "it is in \(document.root)" }
        if document.name.text != item.name { return "its name is \(document.name.text)" }
        if document.size != item.size || document.modified != item.modified { return "its facts" }
        if document.type != item.type ?? MediaType(forName: item.name) { return "its type" }
        if store.sources.item(ofKey: document.key) != item { return "the item is another" }
        // One without may get those that waited at a place.
        let known = marks[name]?[item.id]
        let now = (document.isLiked ? Marks.liked : []).union(document.isDropped ? .dropped : [])
        if let known, !known.isEmpty, known != now { return "its marks are \(now), not \(known)" }
        marks[name, default: [:]][item.id] = now
        var values: [Attribute: AttributeValue] = [:]
        for attribute in store.attributes.columns {
            let told = store.attributes.name(of: attribute)
            let value =
                told == DocumentSources.uriName
                ? item.uri.map { .text($0) } : item.value(named: told)
            if value?.kind == attribute.kind { values[attribute] = value }
        }
        return document.attributes == values ? nil : "its values are \(document.attributes)"
    }

    private func fault(of list: PickerList, in range: DocumentRange) -> String? {
        let keys = documents(in: range)
        let wanted = generateItems(
            documents: store.documents.filter { keys.contains($0.key) }, search: nil,
            sortOrder: list.sortOrder)
        return list.contents(0..<list.items.count) == wanted ? nil : "a list of \(range) is another"
    }
}
