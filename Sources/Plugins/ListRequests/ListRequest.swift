internal import JSONText
package import PickerModel
package import WireProtocol

/// A client's request for a list: selection, order, window and members.
package struct ListRequest {
    package var sortOrder: SortOrder
    package var search: NameSearch?
    package var filter: DocumentFilter?
    package var window: ListWindow
    package var fields: ItemFields
    package var gen: Int

    package var query: DocumentQuery { DocumentQuery(search: search, filter: filter) }

    /// The most sort keys, and the most fields, of one request.
    package static let mostNames = 64

    /// The members that only `items.open` accepts.
    private static let openingMembers = ["since", "have"]
    private static let unservedFields: [(ItemFields, String)] = [
        (.matches, "m"), (.attributes, "attributes"),
    ]

    /// Reads a request for a list. With `isOpening`, the members `since` and `have` are allowed;
    /// `ListResume` reads them.
    package init(reading params: ParameterReader, isOpening: Bool = false) throws(ProtocolError) {
        sortOrder = .name
        window = .opening
        fields = .all
        gen = 0
        try change(by: params, isOpening: isOpening)
        if let names = try params.optionalStrings("fields", limit: Self.mostNames) {
            fields = try ItemFields(names: names)
            for (field, name) in Self.unservedFields where fields.contains(field) {
                throw .unsupported("the field '\(name)' is not in this version", at: "fields")
            }
        }
    }

    /// Applies the members in `params`; absent members keep their values. After an error nothing is
    /// changed.
    package mutating func change(
        by params: ParameterReader, isOpening: Bool = false
    ) throws(ProtocolError) {
        for name in Self.openingMembers where !isOpening && params.view(name) != nil {
            throw .unsupported("only items.open takes '\(name)'", at: name)
        }
        if try params.optionalBool("highlights") == true {
            throw .unsupported("'highlights' is not supported by this daemon", at: "highlights")
        }
        var changed = self
        if let order = try Self.sortOrder(in: params) { changed.sortOrder = order }
        if try params.optionalChoice("match", among: ["contains", "fuzzy"]) == "fuzzy" {
            throw .unsupported(
                "'match' can't be \"fuzzy\" in this version, only \"contains\"", at: "match")
        }
        if params.has("search") {
            let text = try params.optionalString("search")
            changed.search = try Self.checked(at: "search") { () throws(PickerModelError) in
                try NameSearch.parse(text)
            }
        }
        if params.has("where") {
            changed.filter = nil
            if let view = params.view("where") { changed.filter = try WhereReader.filter(view) }
        }
        if let window = try params.optionalObject("window") {
            changed.window = try Self.window(window)
        }
        if let gen = try params.optionalInt("gen", in: 0...Int(Int32.max)) { changed.gen = gen }
        self = changed
    }

    private static func sortOrder(
        in params: ParameterReader
    ) throws(ProtocolError) -> SortOrder? {
        guard let sort = params.view("sort") else { return nil }
        let short = sort.stringValue
        let keys =
            if let short { [short] } else { try params.strings("sort", limit: Self.mostNames) }
        return try checked(at: "sort", isArray: short == nil) { () throws(PickerModelError) in
            try SortOrder(keys: keys)
        }
    }

    private static func window(_ params: ParameterReader) throws(ProtocolError) -> ListWindow {
        let start = try params.optionalInt("start", in: 0...Int.max) ?? 0
        let count =
            params.has("count")
            ? try params.optionalInt("count", in: 0...ListWindow.largestCount)
            : ListWindow.opening.count
        return ListWindow(start: start, count: count)
    }

    /// Converts an error of the model into an error of the protocol.
    private static func checked<Value>(
        at place: String, isArray: Bool = false, _ body: () throws(PickerModelError) -> Value
    ) throws(ProtocolError) -> Value {
        do {
            return try body()
        } catch {
            let element = isArray ? error.index.map { "\(place)[\($0)]" } : nil
            if error.isUnsupported {
                throw .unsupported("\(error)", at: element ?? place)
            }
            throw .invalidParams(at: element ?? place, "\(error)")
        }
    }
}
