internal import JSONText
package import PickerModel
package import WireProtocol

/// A client's request for a list: selection, order, window and members.
package struct ListRequest {
    package var sortOrder: SortOrder
    package private(set) var search: DocumentSearch?
    /// How a search matches, also while there is none.
    private var match = DocumentSearch.Match.contains
    /// Whether items say which parts of their names the search has found.
    package private(set) var highlights = false
    package var filter: DocumentFilter?
    /// Where the documents are drawn from.
    package private(set) var collections = CollectionSet.documents
    package var window: ListWindow
    package var fields: ItemFields
    /// The attributes that items have.
    package private(set) var shownAttributes = ShownAttributes.ofQuery
    package var gen: Int

    package var query: DocumentQuery { DocumentQuery(search: search, filter: filter) }
    package var range: DocumentRange { DocumentRange(of: filter, in: collections) }

    /// The most sort keys, and the most fields, of one request.
    package static let mostNames = 64

    /// The members that only `items.open` accepts.
    private static let openingMembers = ["since", "have"]

    /// Reads a request for a list. With `isOpening`, the members `since` and `have` are allowed;
    /// `ListResume` reads them.
    package init(
        reading params: ParameterReader, knowing attributes: AttributeDirectory,
        isOpening: Bool = false
    ) throws(ProtocolError) {
        sortOrder = .name
        window = .opening
        fields = .all
        gen = 0
        try change(by: params, knowing: attributes, isOpening: isOpening)
        if let names = try params.optionalStrings("fields", limit: Self.mostNames) {
            (fields, shownAttributes) = try Self.fields(names, attributes)
        }
    }

    private static func fields(
        _ names: [String], _ known: AttributeDirectory
    ) throws(ProtocolError) -> (ItemFields, ShownAttributes) {
        var attributes: [Attribute] = []
        var others: [(index: Int, name: String)] = []
        for (index, name) in names.enumerated() {
            if let attribute = known.attribute(named: name) {
                attributes.append(attribute)
            } else {
                others.append((index, name))
            }
        }
        var fields: ItemFields = []
        for (index, name) in others {
            fields.formUnion(try ItemFields(names: [name], firstIndex: index))
        }
        if fields.contains(.attributes) { return (fields, .all(besides: attributes)) }
        if !attributes.isEmpty { fields.insert(.attributes) }
        return (fields, .these(attributes))
    }

    /// Applies the members in `params`; absent members keep their values. After an error nothing is
    /// changed.
    package mutating func change(
        by params: ParameterReader, knowing attributes: AttributeDirectory,
        isOpening: Bool = false
    ) throws(ProtocolError) {
        for name in Self.openingMembers where !isOpening && params.view(name) != nil {
            throw .unsupported("only items.open takes '\(name)'", at: name)
        }
        var changed = self
        if let highlights = try params.optionalBool("highlights") {
            changed.highlights = highlights
        }
        if let order = try Self.sortOrder(in: params, attributes) { changed.sortOrder = order }
        let choices = DocumentSearch.Match.allCases.map(\.rawValue)
        if let choice = try params.optionalChoice("match", among: choices) {
            changed.match = DocumentSearch.Match(rawValue: choice) ?? .contains
        }
        if params.has("search") || changed.match != match {
            let text =
                params.has("search") ? try params.optionalString("search") : search?.text
            let match = changed.match
            changed.search = try Self.checked(at: "search") { () throws(PickerModelError) in
                try DocumentSearch.parse(text, match: match)
            }
        }
        if params.has("where") {
            changed.filter = nil
            if let view = params.view("where") {
                changed.filter = try WhereReader.filter(view, knowing: attributes)
            }
        }
        if params.has("in") { changed.collections = try CollectionSet(reading: params) }
        if let window = try params.optionalObject("window") {
            changed.window = try Self.window(window)
        }
        if let gen = try params.optionalInt("gen", in: 0...Int(Int32.max)) { changed.gen = gen }
        self = changed
    }

    private static func sortOrder(
        in params: ParameterReader, _ attributes: AttributeDirectory
    ) throws(ProtocolError) -> SortOrder? {
        guard let sort = params.view("sort") else { return nil }
        let short = sort.stringValue
        let keys =
            if let short { [short] } else { try params.strings("sort", limit: Self.mostNames) }
        return try checked(at: "sort", isArray: short == nil) { () throws(PickerModelError) in
            try SortOrder(keys: keys) { attributes.attribute(named: $0) }
        }
    }

    /// The most bytes of the key of an anchor, which is kept with the list.
    private static let longestKey = 1024

    private static func window(_ params: ParameterReader) throws(ProtocolError) -> ListWindow {
        let start = try params.optionalInt("start", in: 0...Int.max)
        let count =
            params.has("count")
            ? try params.optionalInt("count", in: 0...ListWindow.largestCount)
            : ListWindow.opening.count
        let offset = try params.optionalInt("offset", in: 0...ListWindow.largestCount)
        guard let anchor = try anchor(params) else {
            if offset != nil {
                throw .invalidParams(
                    at: params.path("offset"), "is the place of an 'anchor', and there is none")
            }
            return ListWindow(start: start ?? 0, count: count)
        }
        if start != nil {
            throw .invalidParams(
                at: params.path("start"), "give 'start' or 'anchor', not both")
        }
        return ListWindow(anchor: .init(key: anchor, offset: offset ?? 0), count: count)
    }

    /// The key of the item that a window is placed by, if it is.
    private static func anchor(_ params: ParameterReader) throws(ProtocolError) -> String? {
        guard let text = try params.optionalString("anchor") else { return nil }
        let prefix = "key:"
        let length = text.utf8.count - prefix.utf8.count
        guard text.utf8.starts(with: prefix.utf8), (1...longestKey).contains(length) else {
            throw params.invalid(
                "anchor", mustBe: "\"key:\" and the key of an item, at most \(longestKey) bytes")
        }
        return String(text.unicodeScalars.dropFirst(prefix.unicodeScalars.count))
    }

    /// Converts an error of the model into an error of the protocol.
    private static func checked<Value>(
        at place: String, isArray: Bool = false, _ body: () throws(PickerModelError) -> Value
    ) throws(ProtocolError) -> Value {
        do {
            return try body()
        } catch {
            let element = isArray ? error.index.map { "\(place)[\($0)]" } : nil
            throw .invalidParams(at: element ?? place, "\(error)")
        }
    }
}
