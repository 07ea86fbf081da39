internal import JSONText
internal import WireProtocol

// The frames of a list's items from a layout of the daemon.
//
// The newest frame of each key is kept, and frames of removed keys are dropped; no other knowledge of the
// order of messages is needed. The layout follows its list: whenever the list is opened (for the first
// time, on a new connection, or after an inconsistency), the layout is opened after it. The old frames stay
// until the first new ones arrive.

/// A live layout of the items of a list.
public final class LiveLayout {
    /// The list of the items.
    public let list: LiveList
    /// The latest query.
    public private(set) var query: LayoutQuery
    /// The frame of each item, by key. Items that were just inserted may have none yet.
    public private(set) var frames: [String: LayoutFrame] = [:]
    /// The width of the window and all frames together, in px.
    public private(set) var contentWidth = 0.0
    /// The height of the window and all frames together, in px.
    public private(set) var contentHeight = 0.0
    /// The revision of the list that the frames belong to. It always reaches the list's revision, because
    /// the daemon also reports revisions that move no frame.
    public private(set) var rev = 0
    /// The ticks of a force layout since the last change.
    public private(set) var tick = 0
    /// The sum of the distances that its cells moved in the last tick, in px.
    public private(set) var movement = 0.0
    /// Whether the cells of a force layout are at rest: then all frames are exact.
    public private(set) var isFinished = false

    /// Called after each message with frames, or for a revision that moves none.
    public var onChange: (() -> Void)?
    /// Called when the cells are at rest, or with false when they reached the limit of ticks before.
    public var onFinish: ((_ isAtRest: Bool) -> Void)?
    /// Called when the daemon refuses or closes the layout. The frames then no longer change.
    public var onError: ((ClientError) -> Void)?

    /// The connection and the id of the open layout, and whether frames have arrived since.
    private var opened: (connection: PickerConnection, sub: RequestID)?
    private var isStale = false

    /// A layout that is opened whenever `list` is. It ends when it is released.
    public init(of list: LiveList, _ query: LayoutQuery) {
        self.list = list
        self.query = query
        list.onOpening[ObjectIdentifier(self)] = { [weak self] connection, sub in
            self?.open(on: connection, items: sub)
        }
        if let (connection, sub) = list.opened { open(on: connection, items: sub) }
    }

    deinit { close() }

    private func open(on connection: PickerConnection, items: RequestID) {
        leave()
        let sub = connection.nextID()
        opened = (connection, sub)
        isStale = true
        isFinished = false
        var parameters = query.parameters
        parameters["items"] = items.value
        connection.setSink(self, for: sub)
        connection.send("layout.open", RawJSON(parameters), as: sub)
            .then { [weak self] outcome in
                guard case .failure(let error) = outcome, let self, opened?.sub == sub else {
                    return
                }
                leave()
                // The list reports a lost connection, and is refused first if its query is invalid.
                if error.code == .refused, !error.isRefusal(.noSuchSubscription) {
                    onError?(error)
                }
            }
    }

    private func leave() {
        guard let (connection, sub) = opened else { return }
        opened = nil
        connection.setSink(nil, for: sub)
    }

    /// Closes the layout for good. The frames stay as they are.
    public func close() {
        list.onOpening[ObjectIdentifier(self)] = nil
        guard let (connection, sub) = opened else { return }
        leave()
        if connection.isOpen { connection.send(.nothing("layout.close", ["sub": sub.value])) }
    }

    // MARK: Calls

    /// Changes the window or the options of the layout.
    ///
    /// - Parameters:
    ///   - width: The window's new width, in px.
    ///   - height: Its new height.
    ///   - options: The options to change, as a JSON object; absent ones stay.
    /// - Returns: The daemon's reply. If it refuses, the layout stays unchanged.
    @discardableResult
    public func update(
        width: Double, height: Double, options: RawJSON? = nil
    ) -> Reply<Void>? {
        let before = query
        query.width = width
        query.height = height
        var parameters: JSONObject = ["bounds": query.bounds]
        if let options, let value = try? options.fragment.value() {
            parameters["options"] = value
            query.options = Self.merged(query.options, value)
        }
        let asked = query
        return send("layout.update", parameters)?.then { [weak self] outcome in
            guard let self, case .failure(let error) = outcome, error.code == .refused,
                query == asked
            else { return }
            query = before
        }
    }

    /// Options that replace each other.
    private static let alternatives = ["cell": "minWidth", "minWidth": "cell"]

    /// Merges the options `old` and `new`, as parameters of `layout.open`.
    private static func merged(_ old: RawJSON, _ new: JSONValue) -> RawJSON {
        guard var members = (try? old.fragment.value())?.objectValue,
            let changes = new.objectValue
        else { return old }
        for member in changes.members {
            members[member.key] = member.value
            if let other = alternatives[member.key], changes[other] == nil {
                members[other] = nil
            }
        }
        return RawJSON(members)
    }

    /// Sends the measured sizes of items, which replace the estimates of a list or a flow.
    @discardableResult
    public func measure(
        _ sizes: [(key: String, width: Double, height: Double)]
    ) -> Reply<Void>? {
        let measured = sizes.map { entry -> JSONValue in
            [.string(entry.key), .double(entry.width), .double(entry.height)]
        }
        return send("layout.measure", ["sizes": .array(measured)])
    }

    /// Pushes a cell of a force layout for one tick, by a distance in px to the right and down.
    @discardableResult
    public func push(key: String, dx: Double, dy: Double) -> Reply<Void>? {
        send("layout.push", ["key": .string(key), "force": [.double(dx), .double(dy)]])
    }

    private func send(_ method: String, _ parameters: JSONObject) -> Reply<Void>? {
        guard let (connection, sub) = opened else { return nil }
        var parameters = parameters
        parameters["sub"] = sub.value
        return connection.call(method, RawJSON(parameters)) { _ in .success(()) }
    }
}

extension LiveLayout: NotificationSink {
    func receive(_ notification: RequestEnvelope) {
        guard let params = notification.params else { return }
        do throws(MessageError) {
            switch notification.method {
            case "\(LayoutFrames.method)": take(try LayoutFrames(decoding: params))
            case "\(LayoutFinished.method)":
                let finished = try LayoutFinished(decoding: params)
                tick = finished.ticks
                movement = finished.movement
                isFinished = true
                onFinish?(finished.isAtRest)
            case "\(LayoutClosed.method)":
                let closed = try LayoutClosed(decoding: params)
                leave()
                // It is opened again with its list.
                if closed.reason != "items" { onError?(ClientError(.refused, closed.message)) }
            default: return
            }
        } catch {
            close()
            onError?(
                ClientError(.badMessage, "the daemon's frames are not as agreed: \(error)"))
        }
    }

    private func take(_ message: LayoutFrames) {
        if isStale {
            frames = [:]
            isStale = false
        }
        for key in message.gone { frames[key] = nil }
        for frame in message.frames {
            frames[frame.key] = LayoutFrame(
                x: frame.x, y: frame.y, width: frame.width, height: frame.height)
        }
        // Cells at rest stay so if the message is about a revision that moves none of them.
        let moves =
            !message.frames.isEmpty || !message.gone.isEmpty || message.tick != tick
        if moves { isFinished = false }
        contentWidth = message.contentWidth
        contentHeight = message.contentHeight
        rev = message.rev
        tick = message.tick
        movement = message.movement
        onChange?()
    }

    /// The list gets the error as well, and decides what follows.
    func lose(_ error: ClientError) {
        opened = nil
        isFinished = false
        // The list reports the end of the connection.
        if error.code == .refused { onError?(error) }
    }
}
