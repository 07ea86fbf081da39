package import JSONText
package import WireProtocol

// A request as a value: what is asked, and how the answer is read. One value can be sent by itself, on
// a connection or through a `DaemonClient`, or be one of many in a batch.

/// A request with the type of its answer.
public struct DaemonRequest<Value>: Sendable {
    /// The method, as `daemon.info`.
    public let method: String
    /// The parameters, a JSON object.
    public let parameters: RawJSON
    package let read: @Sendable (JSONView) -> Result<Value, ClientError>

    package init(
        _ method: String, _ parameters: RawJSON = RawJSON([:]),
        read: @escaping @Sendable (JSONView) -> Result<Value, ClientError>
    ) {
        self.method = method
        self.parameters = parameters
        self.read = read
    }

    /// A request whose answer is one message of the protocol.
    package init<Message: WireReadable>(
        _ method: String, _ parameters: RawJSON = RawJSON([:]), as type: Message.Type,
        _ make: @escaping @Sendable (Message) -> Value
    ) {
        self.init(method, parameters) { view in
            Self.reading(view) { reader throws(ProtocolError) in
                make(try Message(reading: reader))
            }
        }
    }

    package static func reading(
        _ view: JSONView, _ body: (ParameterReader) throws(ProtocolError) -> Value
    ) -> Result<Value, ClientError> {
        do throws(ProtocolError) {
            return .success(try body(try ParameterReader(view)))
        } catch {
            return .failure(
                ClientError(.badMessage, "the daemon's answer is not as agreed: \(error.message)"))
        }
    }
}

extension DaemonRequest<RawJSON> {
    /// A request in raw form, for what this library has no type for.
    ///
    /// - Parameters:
    ///   - method: as `daemon.info`.
    ///   - parameters: a JSON object.
    /// - Returns: the request, whose answer is the `result` as it came.
    public static func raw(_ method: String, _ parameters: RawJSON? = nil) -> DaemonRequest {
        DaemonRequest(method, parameters ?? RawJSON([:])) { .success(RawJSON($0.fragment)) }
    }
}

extension DaemonRequest<Void> {
    /// A request whose answer says nothing.
    package static func nothing(
        _ method: String, _ parameters: JSONObject = [:]
    ) -> DaemonRequest {
        DaemonRequest(method, RawJSON(parameters)) { _ in .success(()) }
    }
}
