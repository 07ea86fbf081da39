// Descriptions of changes and observables: their values and operations, not their storage. Elements are
// formatted as in a printed array, strings with quotes.

extension ScalarChange: CustomStringConvertible {
    /// The old and the new value: `1 -> 2`.
    public var description: String {
        "\(String(reflecting: old)) -> \(String(reflecting: new))"
    }
}

extension ArrayModification: CustomStringConvertible {
    /// The operation and its position: `insert 3 at 0`, `replace [1, 2] at 4 with []`.
    public var description: String {
        switch self {
        case .insert(let new, let index): return "insert \(String(reflecting: new)) at \(index)"
        case .remove(let old, let index): return "remove \(String(reflecting: old)) at \(index)"
        case .replace(let old, let index, let new):
            return "replace \(String(reflecting: old)) at \(index) with \(String(reflecting: new))"
        case .replaceRange(let old, let index, let new):
            return "replace \(old) at \(index) with \(new)"
        }
    }
}

extension ArrayChange: CustomStringConvertible {
    /// The modifications, in the order to apply them in, and the old row count if it is known: `2 rows:
    /// insert 3 at 0, remove 7 at 2`.
    public var description: String {
        let text = modifications.map(\.description).joined(separator: ", ")
        let rows = initialCount.map { $0 == 1 ? "1 row: " : "\($0) rows: " } ?? ""
        return rows + (text.isEmpty ? "no change" : text)
    }
}

extension SetChange: CustomStringConvertible {
    /// The removed and the inserted elements, each sorted by their text: `removed [1], inserted [2, 3]`.
    public var description: String {
        func text(_ elements: Set<Element>) -> String {
            elements.map { String(reflecting: $0) }.sorted().joined(separator: ", ")
        }
        var parts: [String] = []
        if !removed.isEmpty { parts.append("removed [\(text(removed))]") }
        if !inserted.isEmpty { parts.append("inserted [\(text(inserted))]") }
        return parts.isEmpty ? "no change" : parts.joined(separator: ", ")
    }
}

extension DictionaryEdit: CustomStringConvertible {
    /// The operation: `insert 1`, `remove 1`, `replace 1 with 2`.
    public var description: String {
        switch self {
        case .insert(let new): return "insert \(String(reflecting: new))"
        case .remove(let old): return "remove \(String(reflecting: old))"
        case .replace(let old, let new):
            return "replace \(String(reflecting: old)) with \(String(reflecting: new))"
        }
    }
}

extension DictionaryChange: CustomStringConvertible {
    /// The edit of each changed key, sorted by the keys' text: `"a": insert 1, "b": remove 2`.
    public var description: String {
        guard !isEmpty else { return "no change" }
        return edits.map { "\(String(reflecting: $0.key)): \($0.value)" }.sorted()
            .joined(separator: ", ")
    }
}

extension ObservableType where Self: CustomStringConvertible {
    /// The type and the current value: `Variable<Int>(3)`.
    public var description: String { "\(Self.self)(\(String(reflecting: value)))" }
}

extension Observable: CustomStringConvertible {}
extension Variable: CustomStringConvertible {}
extension ObservableArray: CustomStringConvertible {}
extension ArrayVariable: CustomStringConvertible {}
extension AnchoredWindow: CustomStringConvertible {}
extension ObservableSet: CustomStringConvertible {}
extension SetVariable: CustomStringConvertible {}
extension ObservableDictionary: CustomStringConvertible {}
extension DictionaryVariable: CustomStringConvertible {}

extension Signal: CustomStringConvertible {
    /// The type, and whether any sink is connected.
    public var description: String {
        "\(Self.self)(\(isConnected ? "connected" : "not connected"))"
    }
}
