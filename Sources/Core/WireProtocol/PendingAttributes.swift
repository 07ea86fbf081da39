package import JSONText

// The member `pending`: the documents that were not read in time, by the attribute that is not known of them.

extension JSONWriter {
    /// Writes it into an open object, if there are any.
    package mutating func pending(_ counts: [String: Int]) {
        if counts.isEmpty { return }
        member(object: "pending") { writer in
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                writer.key(escaping: name)
                writer.integer(count)
            }
        }
    }
}

extension ParameterReader {
    package func pending() throws(ProtocolError) -> [String: Int] {
        guard let object = try optionalObject("pending") else { return [:] }
        var counts: [String: Int] = [:]
        for name in object.keys { counts[name] = try object.int(name, in: 0...Int.max) }
        return counts
    }
}

extension Schema.Member {
    package static let pending = optional(
        "pending", .dictionary(of: .count),
        "The documents that were not read in time, by the attribute that is not known of them")
}
