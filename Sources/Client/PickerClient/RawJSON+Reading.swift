internal import JSONText

extension RawJSON {
    /// The JSON of an encodable value.
    ///
    /// - Parameter value: the value to encode; numbers that are not finite become null.
    /// - Throws: ``ClientError/Code/badArgument`` if the value cannot be encoded, or is longer than
    ///   1 MiB or deeper than 32 levels.
    public init(encoding value: some Encodable) throws(ClientError) {
        do {
            let encoded = try JSONEncoding.value(of: value)
            self.init(try JSONFragment(validating: encoded.bytes))
        } catch {
            throw ClientError(.badArgument, "it cannot be encoded as JSON: \(error)")
        }
    }

    /// Reads the JSON as a value of `type`.
    ///
    /// - Parameter type: the type to decode; unknown members are ignored.
    /// - Returns: the value.
    /// - Throws: ``ClientError/Code/badMessage``, with the coding path of the fault.
    public func decode<Value: Decodable>(
        as type: Value.Type = Value.self
    ) throws(ClientError) -> Value {
        do {
            return try JSONDecoding(try fragment.value()).read(type)
        } catch let error as DecodingError {
            throw ClientError(.badMessage, "it is no \(type): \(error.inWords)")
        } catch {
            throw ClientError(.badMessage, "it is no \(type): \(error)")
        }
    }

    /// The member of an object; nil if there is none, or if this is not an object.
    ///
    /// - Complexity: O(length of the text).
    public subscript(member: String) -> RawJSON? {
        guard let object = try? fragment.view.object(), let value = object[member] else {
            return nil
        }
        return RawJSON(value.fragment)
    }

    /// The text of a string; nil for anything else.
    public var string: String? { fragment.view.stringValue }
}

extension DecodingError {
    /// The fault and its place.
    fileprivate var inWords: String {
        let context: Context
        switch self {
        case .typeMismatch(_, let told), .valueNotFound(_, let told), .keyNotFound(_, let told),
            .dataCorrupted(let told):
            context = told
        @unknown default: return "\(self)"
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }
            .joined()
        let place = path.hasPrefix(".") ? String(path.dropFirst()) : path
        return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
    }
}
