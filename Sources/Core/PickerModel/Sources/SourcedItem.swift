/// An item of a source, as the source gives it: something that lies in no folder that is watched.
package struct SourcedItem: Equatable, Sendable {
    /// What tells it from the others of its source.
    package let id: String
    /// For people.
    package let name: String
    /// Where it is, if the source says so.
    package let uri: String?
    package let size: UInt64
    package let modified: FileTime
    /// What the source says it is, if that is a type that the daemon knows; else its name tells.
    package let type: MediaType?
    /// In ascending order of their names.
    private let values: [Value]

    private struct Value: Equatable, Sendable {
        let name: String
        let value: AttributeValue
    }

    package init(
        id: String, name: String, uri: String? = nil, size: UInt64 = 0,
        modified: FileTime = FileTime(seconds: 0), type: MediaType? = nil,
        values: [String: AttributeValue] = [:]
    ) {
        self.id = id
        self.name = name
        self.uri = uri
        self.size = size
        self.modified = modified
        self.type = type
        self.values = values.map { Value(name: $0.key, value: $0.value) }
            .sorted { $0.name < $1.name }
    }

    /// Its value of the attribute with this name.
    /// - Complexity: O(n) for n values, which are few.
    package func value(named name: String) -> AttributeValue? {
        values.first { $0.name == name }?.value
    }

    /// About how many bytes are kept of it besides its row.
    var weight: Int {
        values.reduce(Self.usualWeight + id.utf8.count + (uri?.utf8.count ?? 0)) { sum, value in
            guard case .text(let text) = value.value else { return sum + Self.valueWeight }
            return sum + Self.valueWeight + text.utf8.count
        }
    }

    private static let usualWeight = 192
    private static let valueWeight = 40
}
