public import Observables

extension EventBus {
    /// Calls `handler` with every event of type `T` sent from now on, after the last `count` kept ones,
    /// oldest first. Between replayed and new events there is no gap and no repetition, whatever is sent
    /// meanwhile.
    ///
    /// `T` may also be a protocol, such as `any Event`, or a class with subclasses, or ``SentEvent`` for
    /// events of all types with their number and time. The cast to `T` is checked once per event type.
    ///
    /// - Returns: The subscription. Disconnecting or releasing it ends it and releases `handler`.
    /// - Complexity: O(1), or O(n) for n kept events if `count` is more than 0.
    public func subscribe<T>(
        replaying count: Int = 0, _ handler: @escaping (T) -> Void
    ) -> Connection {
        if let handler = handler as? (SentEvent) -> Void {
            return subscribeToAll(replaying: count, handler)
        }
        let subscriber = TypedSubscriber(to: self, handler: handler)
        let connection = add(subscriber)
        if count != 0 {
            replay(count: count, of: { $0.event as? T }, to: { subscriber.handler?($0) })
        }
        return connection
    }

    /// Calls `handler` with every event sent from now on whose type is exactly `E`, with its number and
    /// time. It costs less than ``SentEvent``, which can hold any event.
    ///
    /// - Returns: The subscription. Disconnecting or releasing it ends it and releases `handler`.
    /// - Complexity: O(1)
    public func subscribe<E: Event>(
        numbered handler: @escaping (E, Stamp) -> Void
    ) -> Connection {
        add(NumberedSubscriber(to: self, handler: handler))
    }

    /// Calls `handler` with every event of any type, with its number and time.
    ///
    /// See ``subscribe(replaying:_:)`` for `count` and the returned connection.
    public func subscribeToAll(
        replaying count: Int = 0, _ handler: @escaping (SentEvent) -> Void
    ) -> Connection {
        subscribe(to: nil, replaying: count, handler)
    }

    /// Calls `handler` with every event whose topic matches `filter`, of any type, with its number and
    /// time.
    ///
    /// ```swift
    /// bus.subscribe(topics: ["documents.*", "!documents.changed"]) { print($0.event.topic) }
    /// ```
    ///
    /// See ``subscribe(replaying:_:)`` for `count` and the returned connection.
    ///
    /// - Complexity: O(patterns) for each event sent.
    public func subscribe(
        topics filter: TopicFilter, replaying count: Int = 0,
        handler: @escaping (SentEvent) -> Void
    ) -> Connection {
        subscribe(to: filter, replaying: count, handler)
    }

    /// Calls `handler` with the last `count` kept events of type `T`, oldest first. `T` may be any type
    /// that ``subscribe(replaying:_:)`` accepts.
    ///
    /// Events sent by `handler` are not among them, and are delivered after its last call.
    ///
    /// - Complexity: O(n) for n kept events.
    public func replay<T>(count: Int = .max, _ handler: (T) -> Void) {
        replay(count: count, of: { ($0.event as? T) ?? ($0 as? T) }, to: handler)
    }

    /// Calls `handler` with the last `count` kept events whose topic matches `filter`, oldest first.
    ///
    /// - Complexity: O(n) for n kept events, each O(patterns).
    public func replay(
        topics filter: TopicFilter, count: Int = .max, _ handler: (SentEvent) -> Void
    ) {
        replay(
            count: count, of: { filter.matches($0.event.topic) ? $0 : nil }, to: handler)
    }

    private func subscribe(
        to filter: TopicFilter?, replaying count: Int, _ handler: @escaping (SentEvent) -> Void
    ) -> Connection {
        let subscriber = SentSubscriber(to: self, filter: filter, handler: handler)
        let connection = add(subscriber)
        if count != 0 {
            replay(
                count: count, of: { subscriber.wants($0) ? $0 : nil },
                to: { subscriber.handler?($0) })
        }
        return connection
    }

    private func add(_ subscriber: Subscriber) -> Connection {
        subscribers.append(subscriber)
        return Connection { [reference] in
            guard subscriber.isActive else { return }
            subscriber.end()
            reference.bus?.subscriberEnded()
        }
    }

    /// Passes the last `count` results of `choose` to `handler`, oldest first.
    private func replay<T>(count: Int, of choose: (SentEvent) -> T?, to handler: (T) -> Void) {
        precondition(count >= 0, "a negative number of events can't be replayed")
        dropExpired()
        // `choose` may call the user's code; events sent there must wait, too.
        let wasDelivering = isDelivering
        isDelivering = true
        for chosen in lastKept(count, of: choose).reversed() { handler(chosen) }
        if !wasDelivering {
            if hasMoreToDo { settle() }
            isDelivering = false
        }
    }

    /// The last `count` results of `choose` that are not `nil`, newest first.
    private func lastKept<T>(_ count: Int, of choose: (SentEvent) -> T?) -> [T] {
        let kept = buffer
        var found: [T] = []
        var index = kept.count
        while index > 0, found.count < count {
            index -= 1
            if let chosen = choose(kept[index]) { found.append(chosen) }
        }
        return found
    }

    private func subscriberEnded() {
        endedSubscribers += 1
        guard hasManyEnded else { return }
        if isDelivering { hasMoreToDo = true } else { removeEnded() }
    }

    /// Whether most subscribers have ended, so that removing them costs O(1) each.
    var hasManyEnded: Bool {
        endedSubscribers > 16 && 2 * endedSubscribers > subscribers.count
    }

    func removeEnded() {
        endedSubscribers = 0
        subscribers.removeAll { !$0.isActive }
        for route in routes.values { route.removeEnded() }
    }
}
