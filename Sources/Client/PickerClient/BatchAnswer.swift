internal import JSONText
internal import WireProtocol

// Many requests in one: `batch`. The types of the requests travel as a parameter pack, so that each
// answer has its own.

/// The answers to the requests of a batch, all of one revision.
public struct BatchAnswer<each Value> {
    /// The revision of the documents at which all were answered.
    public let rev: Int
    /// One for each request, in order: each is answered or refused by itself.
    public let results: (repeat Result<each Value, ClientError>)

    // Written out: the compiler's own one makes it crash (Swift 6.3.1).
    fileprivate init(rev: Int, _ result: repeat Result<each Value, ClientError>) {
        self.rev = rev
        results = (repeat each result)
    }
}

extension BatchAnswer: Sendable where repeat each Value: Sendable {}

/// Takes the answer to a batch apart.
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
            return .failure(
                ClientError(.badMessage, "the daemon's answer is not as agreed: \(error.message)"))
        }
    }
}

/// The results of a batch, taken one after the other.
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
            return .failure(
                ClientError(.badMessage, "the daemon's answer is not as agreed: \(error.message)"))
        }
    }
}

extension DaemonRequest {
    /// Requests that are answered together, at one revision: `batch`.
    ///
    /// What would have to wait, as `sync` may, and what opens something is refused within a batch; the
    /// other requests are answered all the same. A daemon takes up to 1,024 requests whose answers
    /// fit a line together.
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
