internal import JSONText
internal import WireProtocol

// The frames of a list's items, as the daemon's layout has them.
//
// The newest frame of each key is kept, and those of keys that left are dropped; nothing else is to be
// known of the order of messages. The layout goes by its list: whenever that is opened, be it for the first
// time, on a new connection, or because the two sides disagreed, the layout is opened behind it. The frames
// stay as they were until the first new ones are there.

/// Where the items of a list are shown, kept current by the daemon.
public final class LiveLayout {
    /// The list that is laid out.
    public let list: LiveList
    /// What was asked for last.
    public private(set) var query: LayoutQuery
    /// The frame of each item, by key. Items that were just inserted may have none yet.
    public private(set) var frames: [String: LayoutFrame] = [:]
    /// The width of all that is shown and of the window, in px.
    public private(set) var contentWidth = 0.0
    /// The height of all that is shown and of the window, in px.
    public private(set) var contentHeight = 0.0
    /// The revision of the list that the frames belong to. Whatever the list says, this comes to be its
    /// revision: the daemon tells of those, too, that move no frame.
    public private(set) var rev = 0
    /// How many ticks a force layout has had since something changed.
    public private(set) var tick = 0
    /// How far its cells moved in the last tick, added up, in px.
    public private(set) var movement = 0.0
    /// Whether the cells of a force layout have come to rest: all frames are exact then.
    public private(set) var isFinished = false

    /// Is told after each message with frames, or of a revision that moves none.
    public var onChange: (() -> Void)?
    /// Is told when the cells have come to rest; false if they had the ticks that they are allowed before.
    public var onFinish: ((_ isAtRest: Bool) -> Void)?
    /// Is told when the daemon refuses the layout or closes it. The frames stand still then.
    public var onError: ((ClientError) -> Void)?

    /// The connection and the id that it is open under, and whether frames came since.
    private var opened: (connection: PickerConnection, sub: RequestID)?
    private var isStale = false

    /// A layout of a list, opened with it and as often as it is. Hold it for as long as it is wanted.
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
                // The list tells of a lost connection, and is refused first if its query is wrong.
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
        if connection.isOpen { connection.request("layout.close", RawJSON(["sub": sub.value])) }
    }

    // MARK: Calls

    /// Gives the layout another window or other options.
    ///
    /// - Parameters:
    ///   - width: The window's new width, in px.
    ///   - height: Its new height.
    ///   - options: The options that change, as a JSON object; those left out stay.
    /// - Returns: The daemon's word on it. If it refuses, the layout goes on as it was.
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

    /// Options of which one takes the place of the other.
    private static let alternatives = ["cell": "minWidth", "minWidth": "cell"]

    /// All options of a layout that had `old` and was given `new`, as `layout.open` takes them.
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

    /// Tells the daemon how large items are: a list or a flow takes that in place of its estimate.
    @discardableResult
    public func measure(
        _ sizes: [(key: String, width: Double, height: Double)]
    ) -> Reply<Void>? {
        let measured = sizes.map { entry -> JSONValue in
            [.string(entry.key), .double(entry.width), .double(entry.height)]
        }
        return send("layout.measure", ["sizes": .array(measured)])
    }

    /// Pushes the cell of a force layout, for one tick: so many px to the right and down.
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
                // With its list it is opened again.
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
        // Cells that rest go on resting if the message is about a revision that moves none of them.
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

    /// The list is told as well, and says what becomes of it.
    func lose(_ error: ClientError) {
        opened = nil
        isFinished = false
        // That the connection has ended, the list tells.
        if error.code == .refused { onError?(error) }
    }
}
