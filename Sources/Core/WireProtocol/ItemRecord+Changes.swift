package import JSONText

extension ItemRecord {
    /// The members that differ from `old`, in the format of `updated`: null for a removed one. Both must have
    /// the same kind and key.
    /// - Returns: nil if nothing in `fields` differs.
    package func changes(since old: ItemRecord, fields: ItemFields = .all) -> JSONObject? {
        var changes = fileMembers(in: fields, since: old)
        if fields.contains(.matches), matches != old.matches {
            changes["m"] = Self.positions(matches)
        }
        if fields.contains(.folderMatches), folderMatches != old.folderMatches {
            changes["mf"] = Self.positions(folderMatches)
        }
        if fields.contains(.attributes), attributes != old.attributes {
            for member in old.attributes.members where attributes[member.key] == nil {
                changes[member.key] = .null
            }
            for member in attributes.members where old.attributes[member.key] != member.value {
                changes[member.key] = member.value
            }
        }
        return changes.isEmpty ? nil : changes
    }

    /// All members about the file and its marks, in the format of `updated`, for a client with an unknown
    /// state: null for missing ones.
    /// - Returns: nil if `fields` has no changeable member.
    package func members(in fields: ItemFields) -> JSONObject? {
        var members = fileMembers(in: fields, since: nil)
        if fields.contains(.matches), matches != nil { members["m"] = Self.positions(matches) }
        if fields.contains(.folderMatches), folderMatches != nil {
            members["mf"] = Self.positions(folderMatches)
        }
        return members.isEmpty ? nil : members
    }

    private static func positions(_ matches: [Int]?) -> JSONValue {
        matches.map { .array($0.map { JSONValue($0) }) } ?? .null
    }

    /// The members about the file and its marks: those that differ from `old`, or all of them.
    private func fileMembers(in fields: ItemFields, since old: ItemRecord?) -> JSONObject {
        var members = JSONObject()
        func set(_ field: ItemFields, _ name: String, _ value: (ItemRecord) -> JSONValue?) {
            guard fields.contains(field) else { return }
            let new = value(self)
            if let old, value(old) == new { return }
            members[name] = new ?? .null
        }
        set(.name, "name") { $0.name.map { .string($0.text) } }
        set(.name, "nameB64") { $0.name?.bytes.map { .string(Base64.encode($0)) } }
        set(.path, "path") { $0.path.map { .string($0.text) } }
        set(.path, "pathB64") { $0.path?.bytes.map { .string(Base64.encode($0)) } }
        set(.root, "root") { $0.root.map { .string($0) } }
        set(.size, "size") { $0.size.map { .integer($0) } }
        set(.modified, "modified") { $0.modified.map { JSONValue($0) } }
        set(.type, "type") { $0.type.map { .string($0) } }
        set(.liked, "liked") { $0.liked ? .bool(true) : nil }
        set(.dropped, "dropped") { $0.dropped ? .bool(true) : nil }
        return members
    }

    /// Applies changed members; null removes one.
    /// - Throws: when a value has the wrong type, or the matches are none of the name or folder; the item is then
    ///   unchanged.
    package mutating func apply(_ changes: JSONObject) throws(MessageError) {
        var changed = self
        for member in changes.members {
            try changed.apply(member.key, member.value)
        }
        // At the end: the name and its matches may change together.
        if let fault = changed.faultOfMatches {
            throw MessageError(at: fault.member, "must be \(fault.right), or null")
        }
        self = changed
    }

    private mutating func apply(_ key: String, _ value: JSONValue) throws(MessageError) {
        func typed<Value>(
            _ read: Value?, _ right: String
        ) throws(MessageError) -> Value? {
            if value.isNull { return nil }
            guard let read else { throw MessageError(at: key, "must be \(right) or null") }
            return read
        }
        func bytes() throws(MessageError) -> [UInt8]? {
            try typed(value.stringValue.flatMap { Base64.decode($0) }, "a string in Base64")
        }
        switch key {
        case "kind", "key": throw MessageError(at: key, "an item's '\(key)' never changes")
        case "name":
            name = try typed(value.stringValue, "a string")
                .map { WireName(text: $0, bytes: name?.bytes) }
        case "path":
            path = try typed(value.stringValue, "a string")
                .map { WireName(text: $0, bytes: path?.bytes) }
        case "nameB64":
            let bytes = try bytes()
            name = name.map { WireName(text: $0.text, bytes: bytes) }
        case "pathB64":
            let bytes = try bytes()
            path = path.map { WireName(text: $0.text, bytes: bytes) }
        case "root": root = try typed(value.stringValue, "a string")
        case "size": size = try typed(value.integerValue, "an integer")
        case "modified": modified = try typed(value.doubleValue, "a number")
        case "type": type = try typed(value.stringValue, "a string")
        case "liked": liked = try typed(value.boolValue, "true or false") ?? false
        case "dropped": dropped = try typed(value.boolValue, "true or false") ?? false
        case "m": matches = try typed(Self.integers(value), "an array of integers")
        case "mf": folderMatches = try typed(Self.integers(value), "an array of integers")
        default: attributes[key] = value.isNull ? nil : value
        }
    }

    /// The numbers of an array; nil if it is none, or has others.
    private static func integers(_ value: JSONValue) -> [Int]? {
        let numbers = value.arrayValue?.compactMap { $0.integerValue.map { Int($0) } }
        return numbers?.count == value.arrayValue?.count ? numbers : nil
    }
}
