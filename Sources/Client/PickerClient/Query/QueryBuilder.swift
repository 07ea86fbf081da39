internal import WireProtocol

// A query built from parts, which the compiler checks:
//
//     let recent = PickerQuery {
//         Search("report")
//         Where { $0.size > 1_000_000 && $0.type == .pdf && !$0.path.matches("drafts/**") }
//         if onlyLiked { Where { $0.liked } }
//         Sort(.modified, .descending)
//         Window(0..<50)
//     }
//
// The parts apply in order. Conditions add up: a document must meet all of them. Sort keys add up: the
// first is the most significant. Of several texts, windows or lists of fields the last one counts. A query
// is a part, too, and adds its own parts: so a base query comes first.

/// A part of a query in a ``QueryBuilder``.
public protocol QueryPart {
    /// Adds this part to `query`, after the previous parts.
    func add(to query: inout ListQuery)
}

/// Builds a list of parts, with `if`, `switch` and `for`.
@resultBuilder public enum QueryBuilder {
    /// One part.
    public static func buildExpression(_ part: some QueryPart) -> [any QueryPart] { [part] }
    /// A sequence of parts.
    public static func buildBlock(_ parts: [any QueryPart]...) -> [any QueryPart] {
        parts.flatMap { $0 }
    }
    /// The parts of an `if` without `else`.
    public static func buildOptional(_ parts: [any QueryPart]?) -> [any QueryPart] { parts ?? [] }
    /// The parts of an `if`.
    public static func buildEither(first parts: [any QueryPart]) -> [any QueryPart] { parts }
    /// The parts of an `else`.
    public static func buildEither(second parts: [any QueryPart]) -> [any QueryPart] { parts }
    /// The parts of a `for` loop.
    public static func buildArray(_ parts: [[any QueryPart]]) -> [any QueryPart] {
        parts.flatMap { $0 }
    }
    /// The parts of an `if #available`.
    public static func buildLimitedAvailability(
        _ parts: [any QueryPart]
    ) -> [any QueryPart] { parts }
}

/// The name of a query that is built from parts.
public typealias PickerQuery = ListQuery

extension ListQuery: QueryPart {
    /// A query built from parts. Conditions and sort keys add up; of several texts, windows or lists of
    /// fields the last counts.
    public init(@QueryBuilder _ parts: () -> [any QueryPart]) {
        self.init()
        for part in parts() { part.add(to: &self) }
    }

    /// Adds this query to another: appends its conditions and sort keys, replaces text (with its match),
    /// window and fields, if it has any, and asks for ``highlights`` if it does.
    public func add(to query: inout ListQuery) {
        if let search {
            (query.search, query.match) = (search, match)
        } else if let match {
            query.match = match
        }
        if highlights { query.highlights = true }
        if let fields { query.fields = fields }
        if let filter { Where(filter).add(to: &query) }
        query.sort = query.sort + sort
        if start != 0 || count != nil { (query.start, query.count) = (start, count) }
    }
}

/// The text that documents must match.
public struct Search: QueryPart {
    private let text: String
    private let match: ListQuery.Match?

    /// Documents that match `text`; by default those whose names contain it, ignoring case and accents. An
    /// empty text removes an earlier search.
    public init(_ text: String, match: ListQuery.Match? = nil) {
        self.text = text
        self.match = match
    }

    /// Replaces the previous text, and how it matches.
    public func add(to query: inout ListQuery) {
        query.search = text.isEmpty ? nil : text
        query.match = match
    }
}

/// Has items say which parts of their names and folders the search has found: ``ListItem/matches`` and
/// ``ListItem/folderMatches``.
public struct Highlights: QueryPart {
    /// The found parts of all names.
    public init() {}

    /// Asks for the found parts.
    public func add(to query: inout ListQuery) { query.highlights = true }
}

/// A condition that documents must meet.
public struct Where: QueryPart {
    private let filter: PickerFilter

    /// Documents for which the condition holds, such as `Where { $0.size > 1000 && $0.liked }`.
    public init(_ condition: (DocumentFields) -> PickerFilter) {
        filter = condition(DocumentFields())
    }

    /// Documents that a filter keeps.
    public init(_ filter: PickerFilter) { self.filter = filter }

    /// Adds the condition to the previous ones.
    public func add(to query: inout ListQuery) {
        let all = (query.filter ?? .everything) && filter
        query.filter = all == .everything ? nil : all
    }
}

/// A sort key with its direction.
public struct Sort: QueryPart {
    /// The direction of a sort key.
    public enum Direction: Hashable, Sendable {
        /// Smallest, earliest, or alphabetically first values first.
        case ascending
        /// Largest, latest, or alphabetically last values first.
        case descending
    }

    private let key: SortKey
    private let direction: Direction

    /// Sorts by a key, which breaks ties of the previous keys.
    public init(_ key: SortKey, _ direction: Direction = .ascending) {
        self.key = key
        self.direction = direction
    }

    /// Appends the key to the previous ones.
    public func add(to query: inout ListQuery) {
        let name = (direction == .descending ? "-" : "") + key.name
        query.sort = query.sort + [name]
    }
}

/// A key to sort documents by.
public struct SortKey: Hashable, Sendable {
    /// The key in the protocol.
    package let name: String

    /// By name, ignoring case and accents, with numbers by value.
    public static let name = SortKey(name: "name")
    /// By the time of the last change of content.
    public static let modified = SortKey(name: "modified")
    /// By size.
    public static let size = SortKey(name: "size")
    /// By MIME type.
    public static let type = SortKey(name: "type")
    /// By path.
    public static let path = SortKey(name: "path")
    /// By whether the document is liked.
    public static let liked = SortKey(name: "liked")

    /// By time, the latest first; as the last key, ties are ordered by name.
    public static let date = SortKey(name: "date")

    /// By how well a fuzzy search matches, the best first; as the last key, ties are ordered by name. Of other
    /// searches all documents match alike. Pages can't be sorted by it.
    public static let score = SortKey(name: "score")

    /// By how often and how recently a document was visited; `-frecency` is the most first. What was never visited comes
    /// last.
    public static let frecency = SortKey(name: "frecency")

    /// By an attribute that a plugin contributes, such as `pdf.pages`: their names have a dot.
    public static func attribute(_ name: String) -> SortKey { SortKey(name: name) }

    package static let known = table.map(\.name)

    /// The keys, and what each is, in a few words.
    static let table: [(name: String, note: String)] = [
        ("name", "by name"), ("modified", "by the time of change"), ("size", "by size"),
        ("type", "by media type"), ("path", "by path"), ("liked", "by whether they are liked"),
        ("date", "the latest first"), ("score", "the best match first"),
        ("frecency", "by how often they are opened"),
    ]

    /// The problem with a key, which may have a hyphen in front; nil if it is valid.
    package static func problem(with key: String) -> String? {
        let name = key.hasPrefix("-") ? String(key.dropFirst()) : key
        // Attributes have a dot in their names; the daemon may know them.
        if name.contains("."), !name.contains(",") { return nil }
        if known.contains(name) { return nil }
        let hint = NearestWord.hint(for: name, among: known)
        return "'\(key)' is no sort key\(hint.isEmpty ? "." : hint)"
            + " They are \(known.joined(separator: ", ")), with '-' in front for the reverse"
    }

}

/// The rows of the list to send.
public struct Window: QueryPart {
    private let start: Int
    private let count: Int?

    /// These rows, counted from 0.
    public init(_ rows: Range<Int>) {
        start = rows.lowerBound
        count = rows.count
    }

    /// All rows from one on.
    public init(_ rows: PartialRangeFrom<Int>) {
        start = rows.lowerBound
        count = nil
    }

    /// Replaces the previous window.
    public func add(to query: inout ListQuery) { (query.start, query.count) = (start, count) }
}

/// The members of items to send.
public struct Fields: QueryPart {
    private let names: [String]

    /// Only these members, by their names in the protocol, such as `Fields("name", "size")`. `kind` and
    /// `key` are always included. The daemon refuses unknown names.
    public init(_ first: String, _ others: String...) { names = [first] + others }

    /// Replaces the previous members.
    public func add(to query: inout ListQuery) { query.fields = names }
}
