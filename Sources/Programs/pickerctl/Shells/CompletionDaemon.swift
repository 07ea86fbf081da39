import PickerClient

/// The daemon, as long as a shell waits for completions: what it does not answer in time is not known.
final class CompletionDaemon {
    /// How long all questions together may take, in nanoseconds. A person notices more.
    private static let limit: Int64 = 100_000_000

    private let connection: PickerConnection
    private let end: Int64
    /// Whether a question was not answered, other than by a refusal: then nothing is asked any more.
    private(set) var isSilent = false

    /// Nil if nobody can be asked.
    init?(socket: String?) {
        do throws(ClientError) {
            connection = try PickerConnection(
                to: SocketPath.resolve(explicit: socket), on: PollLoop())
        } catch {
            return nil
        }
        end = connection.loop.nanoseconds + Self.limit
    }

    func ask<Value>(_ request: DaemonRequest<Value>) -> Value? {
        ask([request])[0]
    }

    /// The answers in the order of the questions; nil for what was refused, and for all from the first that was not
    /// answered.
    func ask<Value>(_ requests: [DaemonRequest<Value>]) -> [Value?] {
        if isSilent { return requests.map { _ in nil } }
        return requests.map { connection.send($0) }.map { reply in
            if isSilent { return nil }
            do throws(ClientError) {
                let rest = max(0, end - connection.loop.nanoseconds)
                return try reply.wait(within: .nanoseconds(rest))
            } catch {
                if error.code != .refused { isSilent = true }
                return nil
            }
        }
    }
}
