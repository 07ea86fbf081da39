public import Observables

extension EventBus {
    /// Calls `handler` with every event of type `T` sent from now on, and first with the last
    /// `count` that are kept, oldest first. No event is left out between the two, and none comes twice,
    /// whatever is sent meanwhile.
    ///
    /// `T` may also be a protocol, `any Event` for one, or a class with subclasses, and it may be
    /// ``SentEvent``, for events of all types with their number and time. Whether a `T` is what
    /// events of some type are is asked once for that type.
    ///
    /// - Returns: the subscription; disconnecting or releasing it ends it, and lets go of `handler`.
    /// - Complexity: O(1), or O(n) in the n events kept with `count` more than 0.
    public func subscribe<T>(
        replaying count: Int = 0, _ handler: @escaping (T) -> Void
    ) -> Connection {
        if let handler = handler as? (SentEvent) -> Void {
            return subscribeToAll(replaying: count, handler)
        }
        lastSubscriber += 1
        let subscriber = TypedSubscriber(
            number: lastSubscriber, next: lastSequence + 1, handler: handler)
        let connection = add(subscriber)
        if count != 0 {
            replay(count: count, of: { $0.event as? T }, to: { subscriber.handler?($0) })
        }
        return connection
    }

    /// Calls `handler` with every event sent from now on that is an `E` and nothing more special, with
    /// its number and time. It costs less than ``SentEvent``, which can hold any event.
    ///
    /// - Returns: the subscription; disconnecting or releasing it ends it, and lets go of `handler`.
    /// - Complexity: O(1)
    public func subscribe<E: Event>(
        numbered handler: @escaping (E, Stamp) -> Void
    ) -> Connection {
        lastSubscriber += 1
        return add(
            NumberedSubscriber(
                number: lastSubscriber, next: lastSequence + 1, handler: handler))
    }

    /// Calls `handler` with every event of any type, with its number and time.
    ///
    /// See ``subscribe(replaying:_:)`` for `count` and what is returned.
    public func subscribeToAll(
        replaying count: Int = 0, _ handler: @escaping (SentEvent) -> Void
    ) -> Connection {
        subscribe(to: nil, replaying: count, handler)
    }

    /// Calls `handler` with every event whose topic `filter` lets through, of any type, with its
    /// number and time.
    ///
    /// ```swift
    /// bus.subscribe(topics: ["documents.*", "!documents.changed"]) { print($0.event.topic) }
    /// ```
    ///
    /// See ``subscribe(replaying:_:)`` for `count` and what is returned.
    ///
    /// - Complexity: O(patterns) for each event that is sent.
    public func subscribe(
        topics filter: TopicFilter, replaying count: Int = 0,
        handler: @escaping (SentEvent) -> Void
    ) -> Connection {
        subscribe(to: filter, replaying: count, handler)
    }

    /// Calls `handler` with the last `count` kept events of type `T`, oldest first. What it may be is
    /// what it may be in ``subscribe(replaying:_:)``.
    ///
    /// What `handler` sends is not among them, and is delivered when it has been called with the last.
    ///
    /// - Complexity: O(n) in the n events kept.
    public func replay<T>(count: Int = .max, _ handler: (T) -> Void) {
        replay(count: count, of: { ($0.event as? T) ?? ($0 as? T) }, to: handler)
    }

    /// Calls `handler` with the last `count` kept events whose topic `filter` lets through, oldest
    /// first.
    ///
    /// - Complexity: O(n) in the n events kept, each O(patterns).
    public func replay(
        topics filter: TopicFilter, count: Int = .max, _ handler: (SentEvent) -> Void
    ) {
        replay(
            count: count, of: { filter.matches($0.event.topic) ? $0 : nil }, to: handler)
    }

    private func subscribe(
        to filter: TopicFilter?, replaying count: Int, _ handler: @escaping (SentEvent) -> Void
    ) -> Connection {
        lastSubscriber += 1
        let subscriber = SentSubscriber(
            number: lastSubscriber, next: lastSequence + 1, filter: filter, handler: handler)
        let connection = add(subscriber)
        if count != 0 {
            replay(
                count: count, of: { subscriber.wants($0) ? $0 : nil },
                to: { subscriber.handler?($0) })
        }
        return connection
    }

    private func add(_ subscriber: any Subscriber) -> Connection {
        subscribers.append(subscriber)
        return Connection { [reference] in
            guard subscriber.isActive else { return }
            subscriber.end()
            reference.bus?.subscriberEnded()
        }
    }

    /// Finds the last `count` that `choose` makes something of, and hands them on, oldest first.
    private func replay<T>(count: Int, of choose: (SentEvent) -> T?, to handler: (T) -> Void) {
        precondition(count >= 0, "a negative number of events can't be replayed")
        dropExpired()
        // Choosing may call code of the user's, and what that sends must wait, too.
        let wasDelivering = isDelivering
        isDelivering = true
        for chosen in lastKept(count, of: choose).reversed() { handler(chosen) }
        if !wasDelivering {
            if hasMoreToDo { settle() }
            isDelivering = false
        }
    }

    /// The last `count` that `choose` makes something of, newest first.
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

    /// Whether those that have ended are more than the others, so that it costs each of them O(1) to be
    /// taken out.
    var hasManyEnded: Bool {
        endedSubscribers > 16 && 2 * endedSubscribers > subscribers.count
    }

    func removeEnded() {
        endedSubscribers = 0
        subscribers.removeAll { !$0.isActive }
        for route in routes.values { route.removeEnded() }
    }
}
