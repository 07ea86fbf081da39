internal import WireProtocol

// A query written down as its parts, checked by the compiler:
//
//     let recent = PickerQuery {
//         Search("report")
//         Where { $0.size > 1_000_000 && $0.type == .pdf && !$0.path.matches("drafts/**") }
//         if onlyLiked { Where { $0.liked } }
//         Sort(.modified, .descending)
//         Window(0..<50)
//     }
//
// The parts are taken in order. Conditions add up: a document must meet all of them. Sort keys add up:
// the first decides, the next breaks ties. Of what there can be only one of, the text, the window and the
// fields, the last one counts. A query is a part, too, and stands for its own parts: so a query that others
// build on comes first in theirs.

/// Part of a query that is written down with ``QueryBuilder``.
public protocol QueryPart {
    /// Takes up its place in `query`, after the parts before it.
    func add(to query: inout ListQuery)
}

/// Puts the parts of a query in a row, with `if`, `switch` and `for` among them.
@resultBuilder public enum QueryBuilder {
    /// One part.
    public static func buildExpression(_ part: some QueryPart) -> [any QueryPart] { [part] }
    /// Parts in a row.
    public static func buildBlock(_ parts: [any QueryPart]...) -> [any QueryPart] {
        parts.flatMap { $0 }
    }
    /// Those of an `if` that may not hold.
    public static func buildOptional(_ parts: [any QueryPart]?) -> [any QueryPart] { parts ?? [] }
    /// Those of an `if` that holds.
    public static func buildEither(first parts: [any QueryPart]) -> [any QueryPart] { parts }
    /// Those of an `else`.
    public static func buildEither(second parts: [any QueryPart]) -> [any QueryPart] { parts }
    /// Those of each turn of a `for`.
    public static func buildArray(_ parts: [[any QueryPart]]) -> [any QueryPart] {
        parts.flatMap { $0 }
    }
    /// Those of an `if #available`.
    public static func buildLimitedAvailability(
        _ parts: [any QueryPart]
    ) -> [any QueryPart] { parts }
}

/// A query, by the name that it has where it is written down as its parts.
public typealias PickerQuery = ListQuery

extension ListQuery: QueryPart {
    /// A query of parts. Conditions and sort keys add up; of several texts, windows or lists of fields the
    /// last counts.
    public init(@QueryBuilder _ parts: () -> [any QueryPart]) {
        self.init()
        for part in parts() { part.add(to: &self) }
    }

    /// Adds what this query says to another: its conditions and sort keys behind that one's, and
    /// its text, window and fields, if it has any, in place of that one's.
    public func add(to query: inout ListQuery) {
        if let search { query.search = search }
        if let match { query.match = match }
        if let fields { query.fields = fields }
        if let filter { Where(filter).add(to: &query) }
        query.sort = query.sort + sort
        if start != 0 || count != nil { (query.start, query.count) = (start, count) }
    }
}

/// The text that names must contain.
public struct Search: QueryPart {
    private let text: String

    /// Documents whose names contain `text`, ignoring case and accents. An empty one takes the search
    /// of the parts before away.
    public init(_ text: String) { self.text = text }

    /// Puts the text in place of the one before.
    public func add(to query: inout ListQuery) { query.search = text.isEmpty ? nil : text }
}

/// A condition that documents must meet.
public struct Where: QueryPart {
    private let filter: PickerFilter

    /// Documents for which the condition holds, as `Where { $0.size > 1000 && $0.liked }`.
    public init(_ condition: (DocumentFields) -> PickerFilter) {
        filter = condition(DocumentFields())
    }

    /// Documents that a filter keeps.
    public init(_ filter: PickerFilter) { self.filter = filter }

    /// Adds the condition to those before.
    public func add(to query: inout ListQuery) {
        let all = (query.filter ?? .everything) && filter
        query.filter = all == .everything ? nil : all
    }
}

/// In which order documents are shown.
public struct Sort: QueryPart {
    /// Which end comes first.
    public enum Direction: Hashable, Sendable {
        /// The least, the earliest, the first of the alphabet.
        case ascending
        /// The greatest, the latest, the last of the alphabet.
        case descending
    }

    private let key: SortKey
    private let direction: Direction

    /// Sorts by a key where the keys before leave a tie.
    public init(_ key: SortKey, _ direction: Direction = .ascending) {
        self.key = key
        self.direction = direction
    }

    /// Adds the key behind those before.
    public func add(to query: inout ListQuery) {
        let name = (direction == .descending ? "-" : "") + key.name
        query.sort = query.sort + [name]
    }
}

/// What documents are sorted by.
public struct SortKey: Hashable, Sendable {
    /// The key as the protocol has it.
    public let name: String

    private init(name: String) { self.name = name }

    /// By name, whatever the case and accents, numbers by their value.
    public static let name = SortKey(name: "name")
    /// By when the content last changed.
    public static let modified = SortKey(name: "modified")
    /// By size.
    public static let size = SortKey(name: "size")
    /// By MIME type.
    public static let type = SortKey(name: "type")
    /// By path.
    public static let path = SortKey(name: "path")
    /// By whether the user likes it.
    public static let liked = SortKey(name: "liked")

    /// The latest first; as the last key, by name where that leaves a tie.
    public static let date = SortKey(name: "date")

    /// By an attribute that a plugin contributes, such as `pdf.pages`: their names have a dot.
    public static func attribute(_ name: String) -> SortKey { SortKey(name: name) }

    package static let known = ["name", "modified", "size", "type", "path", "liked", "date"]

    /// What is wrong with a key as it is written, a hyphen in front of one that is reversed; nil for nothing.
    package static func problem(with key: String) -> String? {
        let name = key.hasPrefix("-") ? String(key.dropFirst()) : key
        // Attributes have a dot in their names, and may be known to the daemon.
        if name.contains("."), !name.contains(",") { return nil }
        if known.contains(name) { return nil }
        let hint = NearestWord.hint(for: name, among: known)
        return "'\(key)' is no sort key\(hint.isEmpty ? "." : hint)"
            + " They are \(known.joined(separator: ", ")), with '-' in front for the reverse"
    }

}

/// Which rows of the list are wanted.
public struct Window: QueryPart {
    private let start: Int
    private let count: Int?

    /// These rows, the first of which is 0.
    public init(_ rows: Range<Int>) {
        start = rows.lowerBound
        count = rows.count
    }

    /// All rows from one on.
    public init(_ rows: PartialRangeFrom<Int>) {
        start = rows.lowerBound
        count = nil
    }

    /// Puts the window in place of the one before.
    public func add(to query: inout ListQuery) { (query.start, query.count) = (start, count) }
}

/// Which members the items carry.
public struct Fields: QueryPart {
    private let names: [String]

    /// These members alone, by their names in the protocol, as `Fields("name", "size")`. `kind` and `key` are
    /// always there. A name that the daemon does not know is refused by it.
    public init(_ first: String, _ others: String...) { names = [first] + others }

    /// Puts the members in place of those before.
    public func add(to query: inout ListQuery) { query.fields = names }
}
