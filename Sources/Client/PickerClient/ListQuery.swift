package import JSONText

/// The items of a list, their order, and the window of rows to send.
///
/// It can be built from parts (``init(_:)``, as ``PickerQuery``) or from a line of text that people write
/// (``init(text:at:in:)``).
public struct ListQuery: Hashable, Sendable {
    /// How a search matches.
    public enum Match: String, Hashable, Sendable {
        /// The name contains the text, ignoring case and accents.
        case contains
        /// The name contains each word of the text, in any order, ignoring case and accents.
        case words
        /// The terms of fzf, in any order, in folder and name: `abc` is these letters in this order with
        /// anything between them, `'abc` these letters together, `^abc` and `abc$` the beginning and the end,
        /// `!abc` what must not be there, and `a | b` one of the two. The sort key `score` has the best match
        /// first.
        case fuzzy
    }

    /// The sort keys, the most significant first: `name`, `modified`, `size`, `type`, `path`, `liked`, `date`
    /// (the latest first), and of a fuzzy search `score` (the best match first); `-` in front reverses a key.
    /// Empty: the daemon's default order, by name. Pages can't be sorted by `score`.
    public var sort: [String]
    /// The text that documents must match; nil for all items, with the row for a new document first.
    public var search: String?
    /// How ``search`` matches; nil for the daemon's default.
    public var match: Match?
    /// The filter on documents; nil for all. The row for a new document stays, unless there is a search.
    public var filter: PickerFilter? {
        didSet { if filter == .everything { filter = nil } }
    }
    /// The collections from which the list is drawn: `documents`, a root by its path, or one that
    /// ``DaemonRequest/openCollection(path:)`` has named. Empty: the documents of all roots.
    public var collections: [String]
    /// The first row of the window; without effect if there is an ``anchor``.
    public var start: Int
    /// The key of an item that the window follows, wherever in the list it is; nil for a window from ``start`` on.
    /// When the item leaves the list, the window stays where it is until the item is back; if it has not been in the
    /// list, the window is at its start.
    public var anchor: String?
    /// The number of rows of the window before the ``anchor``, if the list has as many.
    public var offset: Int
    /// The most rows of the window; nil for all.
    public var count: Int?
    /// The members of items to send; nil for all.
    public var fields: [String]?
    /// Whether items have the parts of their names and folders that the search has found: ``ListItem/matches`` and
    /// ``ListItem/folderMatches``.
    public var highlights: Bool

    /// A query; by default for all items, in the daemon's order.
    public init(
        sort: [String] = [], search: String? = nil, match: Match? = nil,
        filter: PickerFilter? = nil, start: Int = 0, count: Int? = nil, fields: [String]? = nil,
        highlights: Bool = false, anchor: String? = nil, offset: Int = 0,
        collections: [String] = []
    ) {
        self.collections = collections
        self.anchor = anchor
        self.offset = offset
        self.sort = sort
        self.search = search
        self.match = match
        self.filter = filter == .everything ? nil : filter
        self.start = start
        self.count = count
        self.fields = fields
        self.highlights = highlights
    }

    /// What decides which parts of names and folders are marked.
    package struct Marking: Hashable, Sendable {
        let search: String
        let match: Match?
    }

    /// Nil if no parts of names are marked.
    package var marking: Marking? {
        guard highlights, let search, !search.isEmpty else { return nil }
        return Marking(search: search, match: match)
    }

    /// The parameters of `items.open` and `items.get`.
    package var parameters: JSONObject {
        var object = JSONObject()
        if sort == ["date"] {
            object["sort"] = "date"
        } else if !sort.isEmpty {
            object["sort"] = .array(sort.map { .string($0) })
        }
        if let search, !search.isEmpty { object["search"] = .string(search) }
        if let match { object["match"] = .string(match.rawValue) }
        if let filter { object["where"] = filter.wire }
        if !collections.isEmpty { object["in"] = .array(collections.map { .string($0) }) }
        object["window"] = window
        if let sentFields { object["fields"] = .array(sentFields.map { .string($0) }) }
        if highlights { object["highlights"] = true }
        return object
    }

    /// The fields, with those of the marked parts of names, and of folders if they are shown, if these are wanted.
    private var sentFields: [String]? {
        guard highlights, let fields else { return self.fields }
        let marks = ["m"] + (fields.contains("path") ? ["mf"] : [])
        return fields + marks.filter { !fields.contains($0) }
    }

    /// The parameters of `items.update` that change `old` to this query; nil if an open list cannot make
    /// the change (of ``fields``, for example).
    package func parameters(from old: ListQuery) -> JSONObject? {
        guard sentFields == old.sentFields else { return nil }
        // Only `items.open` can return to the daemon's default order.
        if sort != old.sort, sort.isEmpty { return nil }
        if match != old.match, match == nil { return nil }
        var object = parameters
        if sort == old.sort { object["sort"] = nil }
        if match == old.match { object["match"] = nil }
        if object["search"] == nil { object["search"] = .null }
        if search == old.search { object["search"] = nil }
        if object["where"] == nil { object["where"] = .null }
        if filter == old.filter { object["where"] = nil }
        if collections.isEmpty { object["in"] = .null }
        if collections == old.collections { object["in"] = nil }
        if window == old.window { object["window"] = nil }
        object["fields"] = nil
        object["highlights"] = highlights == old.highlights ? nil : .bool(highlights)
        return object
    }

    private var window: JSONValue {
        let count = count.map { JSONValue($0) } ?? .null
        guard let anchor else { return ["start": JSONValue(start), "count": count] }
        return ["anchor": .string("key:" + anchor), "offset": JSONValue(offset), "count": count]
    }
}
