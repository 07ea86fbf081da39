import JSONText

/// Replaces a folder in messages: in texts, and at the beginning of what is in the base64 of `pathB64`.
enum FolderNames {
    static func replacing(_ old: [UInt8], by new: [UInt8], in value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text):
            // Anywhere: messages have paths in them, too.
            return .string(
                text.replacing(
                    String(decoding: old, as: UTF8.self), with: String(decoding: new, as: UTF8.self)
                ))
        case .array(let elements):
            return .array(elements.map { replacing(old, by: new, in: $0) })
        case .object(let object):
            var result = JSONObject()
            for member in object.members {
                result[member.key] =
                    member.key == "pathB64"
                    ? encoded(old, new, member.value) : replacing(old, by: new, in: member.value)
            }
            return .object(result)
        default: return value
        }
    }

    private static func encoded(_ old: [UInt8], _ new: [UInt8], _ value: JSONValue) -> JSONValue {
        guard let bytes = value.stringValue.flatMap({ Base64.decode($0) }),
            let replaced = replacing(old, by: new, in: bytes)
        else { return value }
        return .string(Base64.encode(replaced))
    }

    /// Nil if the bytes do not begin with the old ones.
    private static func replacing(
        _ old: [UInt8], by new: [UInt8], in bytes: [UInt8]
    ) -> [UInt8]? {
        bytes.starts(with: old) ? new + bytes.dropFirst(old.count) : nil
    }
}
