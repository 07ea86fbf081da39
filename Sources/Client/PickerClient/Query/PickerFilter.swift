// A filter on documents: the protocol's `where`, as a value.
//
// A filter is made by its constructors, by `&&`, `||` and `!`, by a `Where` (see `DocumentFields`), or from
// a line of text. All of them simplify, so that every filter has these invariants (maintained by
// `PickerFilter+Folding.swift`):
//   - `all` and `any` have two parts or more, none of them of their own kind, everything or nothing,
//     and no part twice or beside its own opposite, but for alternatives that say something of what is
//     dropped: whether that is looked at depends on it;
//   - nothing is negated that has an opposite: a negation, everything, nothing, a comparison.
// Texts are equal if their bytes are: `é` composed and decomposed are two names.

/// A filter on documents.
///
/// Filters are combined with `&&`, `||` and `!`, and simplified on creation: `true && x` is `x`, and so is
/// `!(!x)`.
public struct PickerFilter: Hashable, Sendable {
    /// The comparisons of two values.
    package enum Comparison: String, CaseIterable, Hashable, Sendable {
        /// Both are the same.
        case equal = "eq"
        /// They differ.
        case notEqual = "ne"
        /// The document's value is greater.
        case greater = "gt"
        /// The document's value is greater or equal.
        case atLeast = "ge"
        /// The document's value is less.
        case less = "lt"
        /// The document's value is less or equal.
        case atMost = "le"

        /// The opposite comparison.
        package var opposite: Comparison {
            switch self {
            case .equal: .notEqual
            case .notEqual: .equal
            case .greater: .atMost
            case .atLeast: .less
            case .less: .atLeast
            case .atMost: .greater
            }
        }
    }

    /// How a text that an attribute has is compared with another: ignoring case and accents.
    package enum TextMatch: String, Hashable, Sendable {
        case contains, prefix
    }

    /// The tree, simplified.
    package indirect enum Node: Hashable, Sendable {
        case everything
        case nothing
        case all([Node])
        case any([Node])
        case not(Node)
        case suffix([ExactText])
        case name(ExactText)
        case match(ExactText, ignoringCase: Bool)
        case path(ExactText)
        case size(Comparison, UInt64)
        case modified(Comparison, Double)
        case liked
        case dropped
        case hidden
        case attribute(ExactText, Comparison, AttributeValue)
        case attributeText(ExactText, TextMatch, ExactText)
        case attributeKnown(ExactText)
        case keys([ExactText])
    }

    package let node: Node

    package init(_ node: Node) { self.node = node }

    /// Keeps every document.
    package static let everything = PickerFilter(.everything)
    /// Keeps no document.
    package static let nothing = PickerFilter(.nothing)
    /// Keeps liked documents.
    package static let liked = PickerFilter(.liked)
    /// Keeps dropped documents. Only a filter with this condition shows any: others draw from documents
    /// that are not dropped.
    package static let dropped = PickerFilter(.dropped)

    /// Keeps hidden documents: those whose name, or that of a folder below the root, begins with a dot. There are
    /// some only where the daemon's setting `hidden` is `keep`.
    package static let hidden = PickerFilter(.hidden)

    /// Keeps names that end in a dot and one of `suffixes`, ignoring the case of A to Z.
    package static func suffix(_ suffixes: [String]) -> PickerFilter {
        var seen: Set<ExactText> = []
        let texts = suffixes.map { suffix in
            let bytes = suffix.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
            return ExactText(String(decoding: bytes, as: UTF8.self))
        }
        let distinct = texts.filter { seen.insert($0).inserted }
        return distinct.isEmpty ? .nothing : PickerFilter(.suffix(distinct))
    }

    /// Keeps documents with these keys, at most 4096 of them. There is no text for it: in the text of a query it is left
    /// out.
    package static func keys(_ keys: [String]) -> PickerFilter {
        var seen: Set<ExactText> = []
        let distinct = keys.map { ExactText($0) }.filter { seen.insert($0).inserted }
        return distinct.isEmpty ? .nothing : PickerFilter(.keys(distinct))
    }

    /// Keeps documents with exactly this name.
    package static func name(_ name: String) -> PickerFilter {
        PickerFilter(.name(ExactText(name)))
    }

    /// Keeps names that match a glob pattern such as `*.txt`.
    package static func match(_ pattern: String, ignoringCase: Bool = false) -> PickerFilter {
        PickerFilter(.match(ExactText(pattern), ignoringCase: ignoringCase))
    }

    /// Keeps paths, relative to their root, that match a glob pattern such as `drafts/**`.
    package static func path(_ pattern: String) -> PickerFilter {
        PickerFilter(.path(ExactText(pattern)))
    }

    /// Compares sizes in bytes.
    package static func size(_ comparison: Comparison, _ bytes: UInt64) -> PickerFilter {
        PickerFilter(.size(comparison, bytes))
    }

    /// Compares the time of the last change of content with seconds since 1970. A number that is not finite
    /// matches nothing.
    package static func modified(_ comparison: Comparison, _ seconds: Double) -> PickerFilter {
        // Zero and negative zero would make equal filters differ after a conversion to text and back.
        seconds.isFinite
            ? PickerFilter(.modified(comparison, seconds == 0 ? 0 : seconds)) : .nothing
    }

    /// Compares an attribute that a plugin contributes.
    package static func attribute(
        _ name: String, _ comparison: Comparison, _ value: AttributeValue
    ) -> PickerFilter {
        PickerFilter(.attribute(ExactText(name), comparison, value))
    }

    /// Compares a text that a plugin contributes, ignoring case and accents.
    package static func attribute(
        _ name: String, _ match: TextMatch, _ text: String
    ) -> PickerFilter {
        PickerFilter(.attributeText(ExactText(name), match, ExactText(text)))
    }

    /// Keeps documents of which an attribute is known.
    package static func isKnown(_ name: String) -> PickerFilter {
        PickerFilter(.attributeKnown(ExactText(name)))
    }
}

/// A text that is compared by its bytes, like file names.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A value to compare an attribute with.
public struct AttributeValue: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case number(Double)
        case text(ExactText)
        case flag(Bool)
    }

    package let content: Content

    package init(_ content: Content) { self.content = content }

    /// A number; one that is not finite stands for 0.
    public init(_ number: Double) {
        content = .number(number.isFinite && number != 0 ? number : 0)
    }

    /// A text.
    public init(_ text: String) { content = .text(ExactText(text)) }

    /// True or false.
    public init(_ flag: Bool) { content = .flag(flag) }
}

extension AttributeValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
    /// A number.
    public init(integerLiteral value: Int) { self.init(Double(value)) }
    /// A number.
    public init(floatLiteral value: Double) { self.init(value) }
    /// A text.
    public init(stringLiteral value: String) { self.init(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self.init(value) }
}
