import Glibc
package import PickerClient
import SystemInterface

// Passes events from the feed to a sink, and stores the position.
//
// `queue` holds received items that were not passed on yet, in order: events, other lines, losses. At
// `mostQueued` bytes or more the feed is paused, so that events wait in the daemon; what still arrives is
// less than a line. The stored position is that of the last event that the sink has handled, never of a
// queued one.
//
// A run with `--since` ends at a loss: after all earlier events are handled, the position becomes the end
// of the gap, and the exit status is 4; the next run begins with the events kept after it. Other runs
// report the loss and continue. Once an end was requested, nothing more is passed on; when the sink is
// idle, the position advances past events of other topics, if the daemon confirms that in time, and is
// stored.

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

    /// The reason for the end, once it is decided.
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
    /// The position up to which the sink has handled events.
    private var handled: EventPosition?
    /// The last event passed to the sink, until it is handled.
    private var handedOn: EventPosition?
    /// The number of gaps that may be after `handled` and have been reported.
    private var knownGaps = 0
    private var queue: [Item] = []
    private var queuedBytes = 0
    private var ending: Ending?
    private var isFinishing = false
    /// Whether an item arrived after the end was requested, and was dropped.
    private var hasDropped = false
    private var latestLine: [UInt8] = []

    /// A run that stores its position in `place`, if given; that ends at a loss, if `endsAtLoss`; and that
    /// ends after `count` events. `advancePause` is the interval at which the position of a quiet topic
    /// advances, `partingLimit` how long an end waits for the daemon.
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

    /// Runs to the end. `takesLines` is whether the sink gets notifications other than events, if it
    /// prints.
    ///
    /// - Returns: the signal that caused the end; nil for another reason.
    @discardableResult
    package func follow(from start: EventFeed.Start, takesLines: Bool) throws -> Int32? {
        sink.onHandled = { [weak self] in self?.finished($0) }
        sink.onFailure = { [weak self] error in
            // Immediately: the sink has nothing to finish, or can't.
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

    /// Requests the end because of a signal.
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
            // Fewer gaps may be ahead than were reported; this keeps a new gap from counting as a reported
            // one.
            if isLevel, let feed { knownGaps = min(knownGaps, feed.knownGaps) }
            guard place != nil, handled == nil else { return }
            // The first position is known before the first event: an error of storing it should come now.
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
            // The session restores a lost connection.
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

    /// Passes on what the sink accepts, and handles flow control and the end.
    private func proceed() {
        var taken = 0
        handing: while ending == nil, taken < queue.count {
            switch queue[taken] {
            case .event(let event):
                guard sink.isReady else { break handing }
                handedOn = event.position
                // The event is after all gaps that its subscription knew.
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
        // Without a file to record it, every run would end here, and none would continue.
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

    /// Whether all events of the feed have been handled, so that both positions are equal.
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
        // Items that arrive in the meantime are dropped, and the position stays before them.
        feed?.resume()
        run.loop.schedule(after: partingLimit) { [weak self] in self?.run.loop.stop() }
        advance { [weak self] in self?.run.loop.stop() }
    }
}
