import PickerModel

@testable import AttributeStorage

extension FoundReadings {
    /// What was found, by name: without the attributes that have no value.
    func plain(_ attributes: [(name: String, kind: Attribute.Kind)]) -> [CachedReading?] {
        states.indices.map { index in
            switch states[index] {
            case .unknown: return nil
            case .failed: return .failed
            case .read:
                var values: [String: AttributeValue] = [:]
                for (attribute, value) in zip(attributes, self.values(of: index)) {
                    values[attribute.name] = value
                }
                return .values(values)
            }
        }
    }
}

extension ReadingTable {
    /// What is known of files: their values of all attributes that tests store.
    func readings(
        by extractor: Extractor, of files: [FileVersion]
    ) throws -> [CachedReading?] {
        let attributes = plainAttributes
        return try readings(by: extractor, of: files, attributes).plain(attributes)
    }
}

/// All attributes that tests store.
let plainAttributes: [(name: String, kind: Attribute.Kind)] = [
    ("a", .integer), ("n", .integer), ("t", .text), ("a.yes", .boolean), ("a.no", .boolean),
    ("a.least", .integer), ("a.most", .integer), ("a.zero", .integer), ("a.real", .number),
    ("a.small", .number), ("a.when", .time), ("a.before", .time), ("a.empty", .text),
    ("a.text", .text), ("a.long", .text),
]
