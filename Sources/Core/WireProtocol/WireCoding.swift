package import JSONText

/// A type that can be written as one JSON value.
package protocol WireWritable {
    func write(to writer: inout JSONWriter)
}

/// A type that can be read from a JSON object.
package protocol WireReadable {
    /// - Throws: invalidParams, with the path of the invalid member.
    init(reading reader: ParameterReader) throws(ProtocolError)
}

/// A message from the other side that violates the protocol.
package struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the invalid member, such as "items[3].key"; empty for the whole message.
    package let path: String
    package let message: String

    package init(at path: String, _ message: String) {
        self.path = path
        self.message = message
    }

    init(_ error: ProtocolError) {
        path = error.at ?? ""
        message = error.message
    }

    package var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

extension WireReadable {
    package init(decoding view: JSONView) throws(MessageError) {
        do {
            try self.init(reading: ParameterReader(view))
        } catch {
            throw MessageError(error)
        }
    }

    package init(decoding value: JSONValue) throws(MessageError) {
        try self.init(decoding: JSONView(value))
    }
}

extension ParameterReader {
    /// An array of messages.
    package func messages<Message: WireReadable>(
        _ name: String
    ) throws(ProtocolError) -> [Message] {
        var messages: [Message] = []
        for reader in try objects(name) { messages.append(try Message(reading: reader)) }
        return messages
    }
}

extension WireWritable {
    /// The value as JSON text without line breaks.
    package var wireBytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.finish()
    }
}

extension JSONWriter {
    package mutating func member(_ name: StaticString, _ value: some WireWritable) {
        key(name)
        value.write(to: &self)
    }
}
