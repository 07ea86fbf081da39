internal import DequeModule
internal import EventLoops
internal import ExactStatistics
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import SystemInterface
internal import WireProtocol

// Input: bytes, lines, requests, answers.
extension Session {
    /// The time slice for one client's requests, in nanoseconds: arithmetic with a `Duration` per request would
    /// take as long as reading the clock.
    private static let slice: Int64 = 1_000_000

    /// Whether more requests may be read: there is room for them and for their answers.
    var canRead: Bool {
        phase == .serving && !hasLinesLeft && inbox.count < server.limits.waitingRequests
            && inboxBytes < server.limits.waitingBytes && output.count <= server.limits.queueHard
    }

    /// Reads one buffer of input, so that other clients get their turn in between.
    func readRequests() {
        guard canRead else { return updateInterest() }
        let start = beginSlice()
        do throws(SystemError) {
            switch try connection.descriptor.read(into: &server.readBuffer) {
            case .bytes(let count):
                server.counters.bytesIn += count
                framer.append(server.readBuffer[..<count])
                takeLines(readAt: start)
            case .wouldBlock:
                break
            case .closed:
                finish()
            }
        } catch {
            close()
        }
    }

    private func takeLines(readAt start: MonotonicInstant) {
        var sawLine = false
        // A peer handles its lines as they are read, and may end the session at any of them.
        while phase != .closed {
            if peer != nil, isSliceOver() {
                takeLinesLater()
                break
            }
            guard let line = framer.next() else { break }
            sawLine = true
            switch (line, peer) {
            case (.line(let bytes), nil):
                receive(bytes)
            case (.line(let bytes), let peer?):
                receive(bytes, for: peer)
            case (.overlong, nil):
                inbox.append(.refused(.overlong(limit: server.limits.line)))
            case (.overlong, let peer?):
                peer.receivedOverlongLine()
            }
        }
        handleRequests(readAt: sawLine ? start : nil)
    }

    /// Goes on with the lines that were read after the others had their turn; no more are read before.
    private func takeLinesLater() {
        hasLinesLeft = true
        server.loop.enqueue { [self] in
            hasLinesLeft = false
            takeLines(readAt: beginSlice())
        }
    }

    private func receive(_ line: ByteSlice) {
        server.measures.requestBytes.add(UInt64(line.count))
        do throws(RefusedLine) {
            try take(
                try RequestEnvelope(parsing: line, after: &server.lastMethod), bytes: line.count)
        } catch {
            inbox.append(.refused(isTooLong(error.id) ? longIdentifier : error))
        }
    }

    /// A line of a plugin's process: what it calls is a request like a client's, the rest is for the peer.
    private func receive(_ line: ByteSlice, for peer: any SessionPeer) {
        server.measures.requestBytes.add(UInt64(line.count))
        let message: WireMessage
        do throws(RefusedLine) {
            message = try WireMessage(parsing: line)
        } catch {
            return peer.receive(error)
        }
        switch message {
        case .reply(let reply): peer.receive(reply)
        case .request(let request):
            if peer.receive(request) { return }
            do throws(RefusedLine) {
                try take(request, bytes: line.count)
            } catch {
                inbox.append(.refused(isTooLong(error.id) ? longIdentifier : error))
            }
        }
    }

    /// Handles a request now if it can, or when those before it are answered.
    private func take(_ request: RequestEnvelope, bytes: Int) throws(RefusedLine) {
        if isTooLong(request.id) { throw RefusedLine(request.id, .invalidRequest("")) }
        if request.method == "$/cancel" {
            if let id = request.id {
                throw RefusedLine(
                    id, .invalidRequest("'$/cancel' is a notification: send it without id"))
            }
            cancel(request)
        } else if inbox.isEmpty, canHandle, !isSliceOver() {
            handle(request)
        } else {
            inbox.append(.request(request, bytes: bytes))
            inboxBytes += bytes
        }
    }

    /// Whether an id is too long: it is kept as long as its stream is open, and is part of each of its lines.
    private func isTooLong(_ id: RequestID?) -> Bool {
        if case .string(let text)? = id {
            text.utf8.count > server.limits.identifier
        } else {
            false
        }
    }

    private var longIdentifier: RefusedLine {
        RefusedLine(
            nil,
            .limitExceeded(
                limit: server.limits.identifier,
                "'id' is longer than \(server.limits.identifier) bytes: choose a shorter one"))
    }

    /// Whether the next request can be handled: no answer is pending, and there is room for another.
    private var canHandle: Bool {
        waiting == nil && (phase == .serving || phase == .finishing)
            && output.count <= server.limits.queueHard
    }

    /// - Returns: the time now.
    @discardableResult
    private func beginSlice() -> MonotonicInstant {
        let now = server.loop.now
        sliceEnd = MonotonicInstant(nanoseconds: now.nanoseconds + Self.slice)
        handledSinceClockRead = 0
        return now
    }

    /// Whether other clients are due. Called before each request; most requests take less time than reading the
    /// clock.
    private func isSliceOver() -> Bool {
        handledSinceClockRead += 1
        guard handledSinceClockRead >= 4 else { return false }
        handledSinceClockRead = 0
        return server.loop.now >= sliceEnd
    }

    /// Handles waiting requests until an answer is pending, the queue is full, or other clients are due. The
    /// flush continues with the rest. Most requests were handled as they were read; the clock read that begins
    /// this slice also measures how long that took since `start`.
    func handleRequests(readAt start: MonotonicInstant? = nil) {
        let now = beginSlice()
        var isIdle = true
        defer {
            if start != nil || !isIdle {
                let nanoseconds = (isIdle ? now : server.loop.now).nanoseconds
                server.measures.turnNanoseconds.add(
                    UInt64(nanoseconds - (start ?? now).nanoseconds))
            }
        }
        while canHandle, !isSliceOver(), let next = inbox.popFirst() {
            isIdle = false
            switch next {
            case .request(let request, let bytes):
                inboxBytes -= bytes
                handle(request)
            case .refused(let line):
                if line.isNotification {
                    server.counters.errors += 1
                } else {
                    answer(line.id, with: line.error)
                }
            }
        }
        scheduleFlush()
    }

    private func handle(_ request: RequestEnvelope) {
        server.counters.requests += 1
        guard let handler = server.registry.handler(of: request.method) else {
            return answerIfAsked(request.id, with: server.registry.refusal(of: request.method))
        }
        let call = MethodCall(
            request, session: self, isInBatch: false, answerLimit: server.limits.line)
        do throws(ProtocolError) {
            try server.withScratch { (line) throws(ProtocolError) in
                // The result of a notification is discarded.
                if let id = request.id { line.beginReply(id) }
                switch try handler(call, &line) {
                case .answered:
                    guard let id = request.id else { return }
                    line.endReply()
                    sendReply(line, to: id)
                case .pending(let reply):
                    wait(for: reply, id: request.id)
                }
            }
        } catch {
            answerIfAsked(request.id, with: error)
        }
    }

    /// Sends a complete reply, or an error if it is too long for a line.
    private func sendReply(_ line: borrowing JSONWriter, to id: RequestID) {
        if line.count - 1 > server.limits.line {
            answer(
                id,
                with: .limitExceeded(
                    limit: server.limits.line,
                    "the answer would be \(line.count - 1) bytes long and a line may be "
                        + "\(server.limits.line): ask for less at a time"))
        } else {
            append(line)
        }
    }

    /// Appends a complete line to the queue.
    private func append(_ line: borrowing JSONWriter) {
        server.measures.replyBytes.add(UInt64(line.count - 1))
        output.borrowStorage(from: &server.spare)
        output.append(line)
    }

    private func wait(for reply: PendingReply, id: RequestID?) {
        waiting = (id, reply)
        if let id {
            reply.onProgress = { [weak self] in self?.tell(RequestProgress($0, of: id)) }
            reply.onSteps = { [weak self] in
                self?.tell(RequestSteps(id: id, done: $0.done, total: $0.total))
            }
        }
        reply.onAnswer { [weak self] answer in self?.pendingAnswer(answer) }
    }

    /// Sends the progress of the request whose answer is pending. A client that is behind is sent none.
    private func tell(_ progress: some WireNotification) {
        guard phase == .serving || phase == .finishing, hasRoom else { return }
        send { $0.notification(progress) }
        scheduleFlush()
    }

    private func pendingAnswer(_ answer: PendingReply.Answer) {
        guard let (id, _) = waiting, phase != .closed else { return }
        waiting = nil
        switch answer {
        case .failure(let error):
            answerIfAsked(id, with: error)
        case .result(let write):
            guard let id else { break }
            server.withScratch { line in
                line.beginReply(id)
                write(&line)
                line.endReply()
                sendReply(line, to: id)
            }
        }
        scheduleFlush()
        if !inbox.isEmpty { server.loop.enqueue { [self] in handleRequests() } }
    }

    /// `$/cancel`: answers the named request now with the error `cancelled`, if it is waiting. A request that
    /// was answered already, or never sent, is ignored.
    private func cancel(_ request: RequestEnvelope) {
        guard let target = try? request.reader().requestID("id") else { return }
        let error = ProtocolError.cancelled("cancelled by $/cancel")
        if let (id, reply) = waiting, id == target {
            reply.abandon()
            waiting = nil
            answer(id, with: error)
            return
        }
        let place = inbox.firstIndex {
            if case .request(let request, _) = $0 { request.id == target } else { false }
        }
        guard let place, case .request(_, let bytes) = inbox[place] else { return }
        inboxBytes -= bytes
        inbox[place] = .refused(RefusedLine(target, error))
    }

    private func answerIfAsked(_ id: RequestID?, with error: ProtocolError) {
        if let id { answer(id, with: error) } else { server.counters.errors += 1 }
    }

    /// Sends an error. `id` is nil if the line could not be parsed as far as its id.
    func answer(_ id: RequestID?, with error: ProtocolError) {
        server.counters.errors += 1
        server.withScratch { line in
            line.errorReply(id, error)
            if line.count - 1 > server.limits.line {
                line.removeAll()
                line.errorReply(
                    id, ProtocolError(error.kind, "the error message is too long for a line"))
            }
            append(line)
        }
    }

    /// The client has closed its sending side. It is sent what it is owed, then the session ends.
    private func finish() {
        guard phase == .serving else { return }
        phase = .finishing
        handleRequests()
    }
}
