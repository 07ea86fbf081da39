internal import Glibc
internal import JSONText
internal import PickerClient
internal import SystemInterface
internal import WireProtocol

let pollIn = POLLIN

extension PluginDaemon {
    /// Takes one line: replies and pings are dealt with, requests wait.
    /// - Returns: false if none has come.
    func takeLine() throws(PluginError) -> Bool {
        guard let line = try socket.next() else { return false }
        let message: WireMessage
        do {
            message = try WireMessage(parsing: line)
        } catch {
            if !error.isNotification { try reply(to: error.id, ReplyError(error.error)) }
            return true
        }
        switch message {
        case .reply(let reply): take(reply)
        case .request(let request): try take(request)
        }
        return true
    }

    private func take(_ reply: ReplyEnvelope) {
        guard let id = reply.id, let answered = asked.removeValue(forKey: id) else { return }
        switch reply.outcome {
        case .success(let view): answered(.success(RawJSON(view.fragment)))
        case .failure(let error): answered(.failure(PluginError(error)))
        }
    }

    private func take(_ request: RequestEnvelope) throws(PluginError) {
        guard let id = request.id else {
            if request.method == "$/cancel",
                let cancelled = try? request.reader().optionalRequestID("id")
            {
                try cancel(cancelled)
            }
            return
        }
        if request.method == "plugin.ping" {
            try reply(to: id, JSONFragment(sound: Array("{}".utf8)))
        } else if waiting.count >= Limits.waiting {
            let words = "\(Limits.waiting) requests wait here already"
            try reply(to: id, ReplyError(.overloaded, words, ["retryAfterMs": 1000]))
        } else {
            waiting.append(request)
        }
    }

    private func cancel(_ id: RequestID) throws(PluginError) {
        for handling in running where handling.id == id { handling.isCancelled = true }
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index)
        try reply(to: id, ReplyError(.cancelled, "it was cancelled before it was begun"))
    }

    // MARK: Sending

    func reply(to id: RequestID?, _ error: ReplyError) throws(PluginError) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.key("id")
            if let id { id.write(to: &writer) } else { writer.null() }
            writer.member("error", error)
        }
        try send(writer.finishLine())
    }

    /// Replies with a result; one that is too long is an error of its own.
    func reply(to id: RequestID, _ result: JSONFragment) throws(PluginError) {
        var writer = JSONWriter(capacity: result.bytes.count + 128)
        writer.beginReply(id)
        writer.fragment(result)
        writer.endObject()
        let line = writer.finishLine()
        if line.count <= Limits.line + 1 { return try send(line) }
        let words = "the result is too long: a line has \(line.count - 1) bytes"
        let data: JSONObject = ["limit": .integer(Int64(Limits.line))]
        try reply(to: id, ReplyError(.limitExceeded, words, data))
    }

    func notify(_ method: String, _ params: JSONObject) throws(PluginError) {
        try send(WireLine.request(id: nil, method: method, params: params))
    }

    /// Sends a request of ours.
    /// - Returns: its identifier.
    @discardableResult
    func ask(
        _ method: String, _ params: JSONFragment,
        answered: @escaping (Result<RawJSON, PluginError>) -> Void
    ) throws(PluginError) -> RequestID {
        try requireOpen()
        lastID += 1
        let id = RequestID.integer(lastID)
        asked[id] = answered
        do {
            try send(WireLine.request(id: id, method: method, params: params))
        } catch {
            asked[id] = nil
            throw error
        }
        return id
    }

    private func send(_ line: [UInt8]) throws(PluginError) {
        do {
            try socket.send(line)
        } catch {
            if error.code != .tooLong { close(error) }
            throw error
        }
    }

    // MARK: Waiting

    /// Waits until something has come, and takes it in.
    /// - Parameter deadline: on the machine's monotonic clock; nil for ever.
    /// - Returns: false at the deadline.
    /// - Throws: ``PluginError/Code/ended``.
    func wait(until deadline: Int64?) throws(PluginError) -> Bool {
        let left = deadline.map { max(0, $0 - SystemClock.monotonicNanoseconds()) }
        var entries = [
            pollfd(fd: socket.descriptor.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: termination?.number ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = left.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
        // The array's own pointer and count, for the duration of the call.
        let count = unsafe entries.withUnsafeMutableBufferPointer {
            unsafe poll($0.baseAddress, nfds_t($0.count), milliseconds)
        }
        try requireOpen()
        // An interrupted wait, of -1, looks again.
        if count == 0 { return false }
        if entries[0].revents != 0 {
            do {
                try socket.receive()
            } catch {
                close(error)
                throw error
            }
        }
        return true
    }
}
