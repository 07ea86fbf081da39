package import JSONText

extension ItemRecord {
    /// The members that differ from `old`, in the format of `updated`: null for a removed one. Both must have
    /// the same kind and key.
    /// - Returns: nil if nothing in `fields` differs.
    package func changes(since old: ItemRecord, fields: ItemFields = .all) -> JSONObject? {
        var changes = JSONObject()
        func set(_ name: String, _ value: JSONValue) { changes[name] = value }
        if fields.contains(.name), name != old.name {
            Self.setName(name, old.name, "name", "nameB64", set)
        }
        if fields.contains(.path), path != old.path {
            Self.setName(path, old.path, "path", "pathB64", set)
        }
        if fields.contains(.root), root != old.root {
            set("root", root.map { .string($0) } ?? .null)
        }
        if fields.contains(.size), size != old.size {
            set("size", size.map { .integer($0) } ?? .null)
        }
        if fields.contains(.modified), modified != old.modified {
            set("modified", modified.map { JSONValue($0) } ?? .null)
        }
        if fields.contains(.type), type != old.type {
            set("type", type.map { .string($0) } ?? .null)
        }
        if fields.contains(.liked), liked != old.liked {
            set("liked", liked ? .bool(true) : .null)
        }
        if fields.contains(.dropped), dropped != old.dropped {
            set("dropped", dropped ? .bool(true) : .null)
        }
        if fields.contains(.matches), matches != old.matches {
            set("m", matches.map { .array($0.map { JSONValue($0) }) } ?? .null)
        }
        if fields.contains(.attributes), attributes != old.attributes {
            for member in old.attributes.members where attributes[member.key] == nil {
                set(member.key, .null)
            }
            for member in attributes.members where old.attributes[member.key] != member.value {
                set(member.key, member.value)
            }
        }
        return changes.isEmpty ? nil : changes
    }

    /// All members about the file and its marks, in the format of `updated`, for a client with an unknown
    /// state: null for missing ones.
    /// - Returns: nil if `fields` has no changeable member.
    package func members(in fields: ItemFields) -> JSONObject? {
        var members = JSONObject()
        func set(_ field: ItemFields, _ name: String, _ value: JSONValue?) {
            if fields.contains(field) { members[name] = value ?? .null }
        }
        set(.name, "name", name.map { .string($0.text) })
        set(.name, "nameB64", name?.bytes.map { .string(Base64.encode($0)) })
        set(.path, "path", path.map { .string($0.text) })
        set(.path, "pathB64", path?.bytes.map { .string(Base64.encode($0)) })
        set(.root, "root", root.map { .string($0) })
        set(.size, "size", size.map { .integer($0) })
        set(.modified, "modified", modified.map { JSONValue($0) })
        set(.type, "type", type.map { .string($0) })
        set(.liked, "liked", liked ? .bool(true) : nil)
        set(.dropped, "dropped", dropped ? .bool(true) : nil)
        return members.isEmpty ? nil : members
    }

    private static func setName(
        _ name: WireName?, _ old: WireName?, _ key: String, _ bytesKey: String,
        _ set: (String, JSONValue) -> Void
    ) {
        let text = name.map { JSONValue.string($0.text) } ?? .null
        if text != (old.map { .string($0.text) } ?? .null) { set(key, text) }
        if name?.bytes != old?.bytes {
            set(bytesKey, name?.bytes.map { .string(Base64.encode($0)) } ?? .null)
        }
    }

    /// Applies changed members; null removes one.
    /// - Throws: when a value has the wrong type; the item is then unchanged.
    package mutating func apply(_ changes: JSONObject) throws(MessageError) {
        var changed = self
        for member in changes.members {
            try changed.apply(member.key, member.value)
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
        case "m":
            let numbers = value.arrayValue?.compactMap { $0.integerValue.map { Int($0) } }
            let sound = numbers?.count == value.arrayValue?.count ? numbers : nil
            matches = try typed(sound, "an array of integers")
        default: attributes[key] = value.isNull ? nil : value
        }
    }
}
