/// The members of a JSON object, in order; keys are unique.
package struct JSONObject: Sendable {
    package struct Member: Sendable {
        package let key: String
        package var value: JSONValue
    }

    package private(set) var members: [Member] = []

    package init() {}

    /// For members with distinct keys.
    init(distinct members: [Member]) {
        self.members = members
    }

    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }
    package var keys: [String] { members.map(\.key) }

    /// The value of a key; keys are compared by bytes. Setting nil removes the member; a new key is appended.
    /// - Complexity: O(members)
    package subscript(key: String) -> JSONValue? {
        get {
            members.first { sameText($0.key, key) }?.value
        }
        set {
            let index = members.firstIndex { sameText($0.key, key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: Equatable {
    /// The same keys with the same values, in any order.
    package static func == (one: JSONObject, other: JSONObject) -> Bool {
        guard one.count == other.count else { return false }
        let sameOrder = zip(one.members, other.members).allSatisfy { sameText($0.key, $1.key) }
        if sameOrder {
            return zip(one.members, other.members).allSatisfy { $0.value == $1.value }
        }
        // By bytes: String's hash would treat canonically equivalent keys as one.
        var values: [[UInt8]: JSONValue] = [:]
        for member in other.members { values[Array(member.key.utf8)] = member.value }
        return one.members.allSatisfy { values[Array($0.key.utf8)] == $0.value }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// A repeated key keeps its last value.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        for (key, value) in members { self[key] = value }
    }
}
