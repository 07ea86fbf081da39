internal import JSONText
internal import WireProtocol

// Several requests in one: `batch`. The types of the requests form a parameter pack, so that each answer
// has its own type.

/// The answers to the requests of a batch, all of one revision.
public struct BatchAnswer<each Value> {
    /// The revision of the documents at which all were answered.
    public let rev: Int
    /// The result of each request, in order: each succeeds or fails by itself.
    public let results: (repeat Result<each Value, ClientError>)

    // Explicit, because the synthesized initializer crashes the compiler (Swift 6.3.1).
    fileprivate init(rev: Int, _ result: repeat Result<each Value, ClientError>) {
        self.rev = rev
        results = (repeat each result)
    }
}

extension BatchAnswer: Sendable where repeat each Value: Sendable {}

/// Reads the answer to a batch.
private struct BatchReader<each Value>: Sendable {
    private let requests: (repeat DaemonRequest<each Value>)

    init(_ request: repeat DaemonRequest<each Value>) {
        requests = (repeat each request)
    }

    func read(_ view: JSONView) -> Result<BatchAnswer<repeat each Value>, ClientError> {
        do throws(ProtocolError) {
            let reader = try ParameterReader(view)
            let rev = try reader.int("rev")
            let position = BatchPosition(try reader.optionalElements("results") ?? [])
            let answer = BatchAnswer(rev: rev, repeat position.next(each requests))
            guard position.index == position.elements.count else {
                return .failure(
                    ClientError(
                        .badMessage,
                        "a batch of \(position.index) calls was answered by "
                            + "\(position.elements.count) results"))
            }
            return .success(answer)
        } catch {
            return .failure(.notAsAgreed(error.message))
        }
    }
}

/// Iterates over the results of a batch.
private final class BatchPosition {
    let elements: [JSONView]
    private(set) var index = 0

    init(_ elements: [JSONView]) {
        self.elements = elements
    }

    func next<One>(_ request: DaemonRequest<One>) -> Result<One, ClientError> {
        defer { index += 1 }
        guard index < elements.count else {
            return .failure(
                ClientError(.badMessage, "the daemon left out the answer to \(request.method)"))
        }
        do throws(ProtocolError) {
            let answer = try ParameterReader(elements[index])
            if let error = try answer.optionalObject("error") {
                return .failure(ClientError(try ProtocolError(reading: error)))
            }
            guard let result = answer.view("result") else {
                throw answer.invalid("result", mustBe: "the answer to \(request.method)")
            }
            return request.read(result)
        } catch {
            return .failure(.notAsAgreed(error.message))
        }
    }
}

extension DaemonRequest {
    /// Requests that are answered together, at one revision: `batch`.
    ///
    /// Requests that might wait, such as `sync`, or open something are refused within a batch; the other
    /// requests are answered normally. A daemon accepts up to 1,024 requests whose answers fit into one
    /// line.
    public static func batch<each One>(
        _ request: repeat DaemonRequest<each One>
    ) -> DaemonRequest where Value == BatchAnswer<repeat each One> {
        var calls: [JSONFragment] = []
        for request in repeat each request {
            calls.append(
                JSONFragment(writing: { writer in
                    writer.object { call in
                        call.member("method", request.method)
                        call.member("params", request.parameters.fragment)
                    }
                }))
        }
        let parameters = JSONFragment(writing: { writer in
            writer.object { object in
                object.member(array: "calls") { array in
                    for call in calls { array.fragment(call) }
                }
            }
        })
        let reader = BatchReader(repeat each request)
        return DaemonRequest("batch", RawJSON(parameters)) { reader.read($0) }
    }
}
