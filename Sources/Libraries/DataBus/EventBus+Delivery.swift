// Delivery of events to subscribers. Queued events, and events sent from code that doesn't know their
// type, take the same path as all others; it only takes longer.

extension EventBus {
    /// Delivers `event` to all subscribers on the route of its type that existed when it was sent.
    @inlinable
    func deliver<E: Event>(_ event: E, _ stamp: Stamp) {
        // `routes` keeps the route alive.
        unsafe route(for: event)._withUnsafeGuaranteedRef { route in
            if route.deliversSentEvents {
                deliver(event, as: sent(event, stamp), on: route)
            } else {
                deliver(event, stamp, on: route)
            }
        }
    }

    /// Like `deliver(_:_:)`, for a route on which nobody wants a `SentEvent`.
    @inlinable
    func deliver<E: Event>(_ event: E, _ stamp: Stamp, on route: Route<E>) {
        for index in 0..<route.calls.count { deliver(event, stamp, to: route.calls[index]) }
    }

    /// Calls the handler of a subscriber that wants no `SentEvent`.
    @inlinable
    @inline(__always)
    func deliver<E: Event>(_ event: E, _ stamp: Stamp, to call: Call<E>) {
        // The route keeps each of them alive, and does not change here. A handler is retained while it
        // runs.
        switch call {
        case .exactly(let subscriber):
            unsafe subscriber._withUnsafeGuaranteedRef {
                if $0.next <= stamp.sequence { $0.receive(event) }
            }
        case .numbered(let subscriber):
            unsafe subscriber._withUnsafeGuaranteedRef {
                if $0.next <= stamp.sequence { $0.receive(event, stamp) }
            }
        case .cast(let receiver):
            unsafe receiver._withUnsafeGuaranteedRef {
                if $0.next <= stamp.sequence { $0.handler(event) }
            }
        case .anyEvent, .sent: break
        }
    }

    /// Like `deliver(_:_:)`, for a route on which some subscribers want a `SentEvent`.
    @inlinable
    func deliver<E: Event>(_ event: E, as sent: SentEvent, on route: Route<E>) {
        let stamp = Stamp(sequence: sent.sequence, time: sent.time)
        for index in 0..<route.calls.count {
            let call = route.calls[index]
            // As in the method above.
            switch call {
            case .exactly, .numbered, .cast: deliver(event, stamp, to: call)
            case .anyEvent(let subscriber):
                unsafe subscriber._withUnsafeGuaranteedRef {
                    if $0.next <= sent.sequence { $0.receive(sent.event) }
                }
            case .sent(let subscriber):
                unsafe subscriber._withUnsafeGuaranteedRef {
                    if $0.next <= sent.sequence { $0.receive(sent) }
                }
            }
        }
    }

    /// The route for the type of `event`, which `routes` keeps alive.
    @inlinable
    func route<E: Event>(for event: E) -> Unmanaged<Route<E>> {
        let isKnown = unsafe lastRoute._withUnsafeGuaranteedRef {
            $0.type == ObjectIdentifier(E.self) && $0.asked == lastSubscriber
        }
        guard isKnown else { return unsafe Unmanaged.passUnretained(findRoute(for: event)) }
        // The type identity of a route is that of its generic parameter.
        return unsafe Unmanaged.fromOpaque(lastRoute.toOpaque())
    }

    /// The `SentEvent` of an event. If the event is kept, it shares its memory.
    @usableFromInline
    func sent<E: Event>(_ event: E, _ stamp: Stamp) -> SentEvent {
        buffer.last(ifNumbered: stamp.sequence)
            ?? SentEvent(sequence: stamp.sequence, time: stamp.time, event: event)
    }

    /// The route for the type of `event`, updated with subscribers newer than its last use.
    @usableFromInline
    func findRoute<E: Event>(for event: E) -> Route<E> {
        let type = ObjectIdentifier(E.self)
        let route: Route<E>
        if let known = routes[type] {
            // As in `route(for:)`: the type identity matches.
            route = unsafe unsafeDowncast(known, to: Route<E>.self)
        } else {
            route = Route<E>()
            routes[type] = route
        }
        if route.asked < lastSubscriber {
            let newer = subscribers.reversed().prefix { $0.number > route.asked }
            for subscriber in newer.reversed() where subscriber.isActive {
                if let receiver = subscriber.receiver(for: event) {
                    route.append(receiver)
                }
            }
            route.asked = lastSubscriber
        }
        unsafe lastRoute = Unmanaged.passUnretained(route)
        return route
    }

    /// Queues an event that was sent during a delivery.
    @usableFromInline
    func enqueue(_ event: any Event, bytes: Int) -> Int? {
        guard pending.count < Self.pendingLimit else { return nil }
        var entry = EventBuffer.Entry(bytes: bytes, event: event)
        let stamp = keep(&entry)
        pending.append(
            SentEvent(sequence: stamp.sequence, time: stamp.time, event: event))
        hasMoreToDo = true
        return stamp.sequence
    }

    /// Delivers queued events and notifies armed wakeups until there are none.
    @usableFromInline
    func settle() {
        repeat {
            while let sent = pending.popFirst() { deliver(opening: sent.event, as: sent) }
            let due = armedWakeups.filter { $0.isDue(at: lastSequence) }
            if !due.isEmpty { armedWakeups.removeAll { $0.isDue(at: lastSequence) } }
            for wakeup in due { wakeup.ring() }
        } while pending.count > 0
        if hasManyEnded { removeEnded() }
        hasMoreToDo = !armedWakeups.isEmpty
    }

    private func deliver<E: Event>(opening event: E, as sent: SentEvent) {
        // `routes` keeps the route alive.
        unsafe route(for: event)._withUnsafeGuaranteedRef { deliver(event, as: sent, on: $0) }
    }

    /// Sends an event whose class is a subclass of its static type.
    @usableFromInline
    func send<E: Event>(subclass event: E) -> Int? {
        func send<Subclass: Event>(as type: Subclass.Type) -> Int? {
            guard let event = event as? Subclass else { return nil }
            return self.send(event)
        }
        // A subclass conforms to the protocols of its superclass.
        let type: any Event.Type = type(of: event)
        return send(as: type)
    }
}
