package import JSONText
package import WireProtocol

// A request as a value: the method, the parameters, and how to read the answer. It can be sent by itself,
// on a connection or through a `DaemonClient`, or as part of a batch.

/// A request with the type of its answer.
public struct DaemonRequest<Value>: Sendable {
    /// The method, such as `daemon.info`.
    package let method: String
    /// The parameters, a JSON object.
    package let parameters: RawJSON
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
            return .failure(.notAsAgreed(error.message))
        }
    }
}

extension DaemonRequest<RawJSON> {
    /// A request in raw form, for methods without a type in this library.
    ///
    /// - Parameters:
    ///   - method: the method, such as `daemon.info`.
    ///   - parameters: a JSON object.
    /// - Returns: the request, whose answer is the unchanged `result`.
    public static func raw(_ method: String, _ parameters: RawJSON? = nil) -> DaemonRequest {
        DaemonRequest(method, parameters ?? RawJSON([:])) { .success(RawJSON($0.fragment)) }
    }
}

extension DaemonRequest {
    /// The same request, with the unchanged `result` as its answer.
    package var asSent: DaemonRequest<RawJSON> { .raw(method, parameters) }

    /// The same request, with the unchanged `result` beside its answer.
    package var withResult: DaemonRequest<(value: Value, result: RawJSON)> {
        DaemonRequest<(value: Value, result: RawJSON)>(method, parameters) { [read] view in
            read(view).map { ($0, RawJSON(view.fragment)) }
        }
    }
}

extension DaemonRequest<Void> {
    /// A request without a value in its answer.
    package static func nothing(
        _ method: String, _ parameters: JSONObject = [:]
    ) -> DaemonRequest {
        DaemonRequest(method, RawJSON(parameters)) { _ in .success(()) }
    }
}
