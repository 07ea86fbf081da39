// The way of an event to its subscribers. What waits, and what is sent from code that doesn't know its type,
// takes the same way as all others; it only takes longer.

extension EventBus {
    /// Hands `event` to all on the route of its type that are there now and were when it was sent.
    @inlinable
    func deliver<E: Event>(_ event: E, as sent: SentEvent) {
        let route = route(for: event)
        // Those who subscribe meanwhile come after this one.
        let receivers = route.receivers
        for index in receivers.indices {
            switch receivers[index] {
            case .exactly(let subscriber):
                if subscriber.next <= sent.sequence { subscriber.handler?(event) }
            case .anyEvent(let subscriber):
                if subscriber.next <= sent.sequence { subscriber.handler?(sent.event) }
            case .cast(let receiver):
                if receiver.next <= sent.sequence { receiver.handler(event) }
            case .sent(let subscriber):
                if subscriber.next <= sent.sequence { subscriber.receive(sent) }
            }
        }
    }

    @inlinable
    func route<E: Event>(for event: E) -> Route<E> {
        if let lastRoute, lastRoute.type == ObjectIdentifier(E.self),
            lastRoute.asked == lastSubscriber
        {
            // A route is made for the type whose identity it has.
            return unsafe unsafeDowncast(lastRoute, to: Route<E>.self)
        }
        return findRoute(for: event)
    }

    /// The route for the type of `event`, with those who have subscribed since it was used.
    @usableFromInline
    func findRoute<E: Event>(for event: E) -> Route<E> {
        let type = ObjectIdentifier(E.self)
        let route: Route<E>
        if let known = routes[type] {
            // As above.
            route = unsafe unsafeDowncast(known, to: Route<E>.self)
        } else {
            route = Route<E>()
            routes[type] = route
        }
        if route.asked < lastSubscriber {
            let newer = subscribers.reversed().prefix { $0.number > route.asked }
            for subscriber in newer.reversed() where subscriber.isActive {
                if let receiver = subscriber.receiver(for: event) {
                    route.receivers.append(receiver)
                }
            }
            route.asked = lastSubscriber
        }
        lastRoute = route
        return route
    }

    /// Keeps an event that was sent by a handler until its turn comes.
    @usableFromInline
    func enqueue(_ event: any Event, bytes: Int) -> Int? {
        guard pending.count < Self.pendingLimit else { return nil }
        let sent = keep(event, bytes: bytes)
        pending.append(sent)
        hasMoreToDo = true
        return sent.sequence
    }

    /// Delivers what waits, and rings for those who asked for it, until there is nothing more to do.
    @usableFromInline
    func settle() {
        repeat {
            while let sent = pending.popFirst() { deliver(sent.event, as: sent) }
            let due = armedWakeups.filter { $0.isDue(at: lastSequence) }
            if !due.isEmpty { armedWakeups.removeAll { $0.isDue(at: lastSequence) } }
            for wakeup in due { wakeup.ring() }
        } while pending.count > 0
        hasMoreToDo = !armedWakeups.isEmpty
    }

    /// Sends an event whose class is a subclass of the one that it is known as.
    @usableFromInline
    func send<E: Event>(subclass event: E) -> Int? {
        func send<Subclass: Event>(as type: Subclass.Type) -> Int? {
            guard let event = event as? Subclass else { return nil }
            return self.send(event)
        }
        // A subclass conforms to what its superclass conforms to.
        let type: any Event.Type = type(of: event)
        return send(as: type)
    }
}
