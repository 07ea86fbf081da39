import Glibc
package import PickerClient
import SystemInterface

// The way of events from the feed to a sink, and what is remembered of it.
//
// `queue` holds what has been received and not handed on, in order: events, other lines, losses. Once
// it has `mostQueued` or more bytes the feed is paused, so that events wait in the daemon; what comes
// before that takes hold is less than a line. The place that is remembered is that of the last event
// that the sink has done with, never of one that waits.
//
// A run with `--since` ends at a loss: when all before it has been handled, the place becomes the end
// of the gap, and the exit status is 4; the next run begins with what is still kept. Other runs tell
// and go on. Once an end was asked for, nothing more is handed on; when the sink is idle, the place
// is moved on past events of other topics if the daemon says in time that it can be, and kept.

/// Feeds a sink with events.
package final class EventRun {
    private enum Item {
        case event(PendingEvent)
        case line([UInt8])
        case loss(EventLoss)

        var size: Int {
            switch self {
            case .event(let event): event.line.count + 256
            case .line(let line): line.count + 256
            case .loss: 256
            }
        }
    }

    /// Why the run ends, once that is settled.
    private enum Ending {
        case count
        case signal(Int32)
        case failure(any Error)
    }

    private static let mostQueued = 64 << 10
    private let run: LiveRun
    private let sink: any EventSink
    private let topics: [String]
    private let place: RememberedPlace?
    private let endsAtLoss: Bool
    private let advancePause: Duration
    private let partingLimit: Duration
    private var left: Int?
    private var feed: EventFeed?
    /// The place that the sink has done with.
    private var handled: EventPosition?
    /// The last event that the sink was given, until it has done with it.
    private var handedOn: EventPosition?
    /// Numbers that may lie behind `handled` and have been told to be missing.
    private var knownGaps = 0
    private var queue: [Item] = []
    private var queuedBytes = 0
    private var ending: Ending?
    private var isFinishing = false
    /// Whether something came after the end was asked for, and was let go of.
    private var hasDropped = false
    private var latestLine: [UInt8] = []

    /// A run that remembers its place in `place`, if that is there; that ends when events were
    /// lost, if `endsAtLoss`; and that ends after `count` events. `advancePause` is how often the
    /// place of a quiet topic is moved on, `partingLimit` how long an end waits for the daemon.
    package init(
        _ run: LiveRun, into sink: any EventSink, topics: [String], place: RememberedPlace?,
        endsAtLoss: Bool, count: Int?, advancePause: Duration = .seconds(300),
        partingLimit: Duration = .milliseconds(500)
    ) {
        self.run = run
        self.sink = sink
        self.topics = topics
        self.place = place
        self.endsAtLoss = endsAtLoss
        self.advancePause = advancePause
        self.partingLimit = partingLimit
        left = count
    }

    /// Runs to the end. `takesLines` is whether notifications other than events are for the sink,
    /// if it prints.
    ///
    /// - Returns: the signal that brought the end about; nil for another reason.
    @discardableResult
    package func follow(from start: EventFeed.Start, takesLines: Bool) throws -> Int32? {
        sink.onHandled = { [weak self] in self?.finished($0) }
        sink.onFailure = { [weak self] error in
            // At once: the sink has nothing left to finish, or can't.
            self?.ending = .failure(error)
            self?.run.fail(error)
        }
        run.onEachConnection { [weak self] connection in
            connection.onNotificationLine = { [weak self] method, line in
                self?.noted(method, line, isWanted: takesLines)
            }
        }
        if case .after(let position, let gaps) = start {
            handled = position
            knownGaps = gaps
        }
        feed = run.session.subscribe(topics: topics, start: start) { [weak self] message in
            self?.received(message)
        }
        scheduleAdvance()
        try run.run(watchingOutput: sink is EventPrinter)
        if case .signal(let number)? = ending { return number }
        return nil
    }

    /// Asks for the end because of a signal.
    package func end(because signal: Int32) {
        ending = .signal(signal)
        sink.end(because: signal)
        proceed()
    }

    /// Ends the run with a failure, when the sink is idle.
    private func fail(_ error: any Error) {
        if ending == nil { ending = .failure(error) }
        proceed()
    }

    // MARK: From the feed

    private func noted(_ method: String, _ line: ArraySlice<UInt8>, isWanted: Bool) {
        latestLine = Array(line)
        if isWanted, method != "event" { add(.line(latestLine)) }
    }

    private func received(_ message: FeedMessage) {
        switch message {
        case .subscribed:
            // Fewer than were told may lie ahead by now; then a new gap is not taken for an old one.
            if isLevel, let feed { knownGaps = min(knownGaps, feed.knownGaps) }
            guard place != nil, handled == nil else { return }
            // The first place is known before the first event: if it can't be kept, better now.
            if let position = feed?.position {
                keep(position)
            } else {
                fail(CommandError("the daemon does not say where its events are: is it older?"))
            }
        case .event(let event):
            add(
                .event(PendingEvent(event: event, line: latestLine, position: feed?.position)))
        case .lost(let loss): add(.loss(loss))
        case .ended(let error):
            // A lost connection is the session's to mend.
            if error.code != .disconnected { fail(explained(error)) }
        }
    }

    private func explained(_ error: ClientError) -> any Error {
        guard endsAtLoss, let position = handled ?? place?.position ?? feed?.position,
            error.isRefusal(.invalidParams), error.refusal?.at == "since"
        else { return error }
        var text = "the daemon cannot go on after \(position): \(error.message)"
        if let place { text += "; to begin with all events that are kept, remove '\(place.path)'" }
        return CommandError(text)
    }

    private func add(_ item: Item) {
        if ending != nil {
            hasDropped = true
            return
        }
        queue.append(item)
        queuedBytes += item.size
        proceed()
    }

    // MARK: To the sink

    /// Hands on what the sink takes, and sees to the flow and the end.
    private func proceed() {
        var taken = 0
        handing: while ending == nil, taken < queue.count {
            switch queue[taken] {
            case .event(let event):
                guard sink.isReady else { break handing }
                handedOn = event.position
                // It is behind all that its subscription knew to be missing.
                if !event.event.isReplayed { knownGaps = 0 }
                sink.take(event)
                if let left {
                    self.left = left - 1
                    if left == 1 { ending = .count }
                }
            case .line(let line):
                guard sink.isReady else { break handing }
                (sink as? EventPrinter)?.take(line: line)
            case .loss(let loss):
                guard sink.isIdle || !endsAtLoss else { break handing }
                tell(loss)
            }
            queuedBytes -= queue[taken].size
            taken += 1
        }
        queue.removeFirst(taken)
        adjustFlow()
        if ending != nil, sink.isIdle { finish() }
    }

    private func adjustFlow() {
        if isFinishing { return }
        if ending != nil || queuedBytes >= Self.mostQueued {
            feed?.pause()
        } else if queuedBytes <= Self.mostQueued / 2 {
            feed?.resume()
        }
    }

    private func finished(_ position: EventPosition?) {
        if let position {
            if position == handedOn { handedOn = nil }
            keep(position)
        }
        proceed()
    }

    private func keep(_ position: EventPosition) {
        handled = position
        do {
            try place?.remember(position, knownGaps: knownGaps)
        } catch {
            fail(error)
        }
    }

    private func tell(_ loss: EventLoss) {
        let text = EventLine.text(loss, mayConcernOthers: topics != ["*"])
        guard endsAtLoss else {
            Program.complain(text)
            return
        }
        knownGaps = loss.gaps
        // Without a file to note it in, each run would end here, and none would go on.
        if place == nil, loss.numbers == nil, loss.gaps > 0 {
            Program.complain(text)
            return
        }
        var advice = ""
        if let position = loss.position {
            keep(position)
            advice = place == nil ? "; go on with --since \(position)" : "; run again to go on"
        }
        Program.complain(text + advice)
        fail(ExitStatus.eventsLost)
    }

    // MARK: The place of a quiet topic

    /// Whether all that the feed has passed on has been handled, so that its place is ours.
    private var isLevel: Bool {
        queue.isEmpty && sink.isIdle && handedOn == nil && !hasDropped
    }

    private func scheduleAdvance() {
        guard place != nil else { return }
        run.loop.schedule(after: advancePause) { [weak self] in
            guard let self else { return }
            if ending == nil, isLevel { advance {} }
            scheduleAdvance()
        }
    }

    private func advance(then completion: @escaping () -> Void) {
        feed?.advance { [weak self] in
            guard let self else { return }
            if isLevel, let feed, let position = feed.position {
                knownGaps = feed.knownGaps
                keep(position)
            }
            completion()
        }
    }

    // MARK: The end

    private func finish() {
        if isFinishing { return }
        isFinishing = true
        if case .failure(let error)? = ending {
            run.fail(error)
            return
        }
        guard place != nil, isLevel, run.session.connection?.isOpen == true else {
            run.loop.stop()
            return
        }
        // What comes meanwhile is let go of, and the place stays before it.
        feed?.resume()
        run.loop.schedule(after: partingLimit) { [weak self] in self?.run.loop.stop() }
        advance { [weak self] in self?.run.loop.stop() }
    }
}
