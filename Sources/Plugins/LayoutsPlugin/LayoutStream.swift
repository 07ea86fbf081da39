internal import JSONText
internal import Layouts
internal import PluginInterface
internal import WireProtocol

/// One open layout of one client. It follows the rows of a list as its client was sent them.
///
/// Lines about a revision follow the list's own, because the layout learns of the revision only then. When
/// the list is closed or grows beyond the limits, the layout ends with a last line; its id is free from
/// that decision on.
final class LayoutStream: SessionStream {
    let plugin = LayoutsPlugin.identifier
    private enum State {
        case open
        /// The last line must be sent.
        case ending(LayoutClosed)
        case closed
    }

    let id: RequestID
    let itemsID: RequestID
    var place: (any StreamPlace)?
    private(set) var settings: LayoutSettings
    /// The keys of the items, in the order of the list.
    private(set) var keys: [String] = []
    private let body: any LayoutBody
    private unowned let session: any ClientSession
    /// The state shared with the client's other layouts.
    private let shared: SessionLayouts
    private let ledger: LayoutLedger
    private let context: PluginContext
    private var source: (any FollowableItems)?
    private var state = State.open

    init(
        id: RequestID, following itemsID: RequestID, settings: LayoutSettings,
        body: any LayoutBody, session: any ClientSession, shared: SessionLayouts,
        ledger: LayoutLedger, context: PluginContext
    ) {
        self.id = id
        self.itemsID = itemsID
        self.settings = settings
        self.body = body
        self.session = session
        self.shared = shared
        self.ledger = ledger
        self.context = context
        body.stream = self
    }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    var force: ForceFrames? { body as? ForceFrames }

    func start(following source: any FollowableItems) {
        ledger.opened()
        shared.add(self)
        self.source = source
        source.add(self)
    }

    /// Changes bounds and options. After an error nothing is changed.
    func update(with params: ParameterReader) throws(ProtocolError) {
        if let kind = try params.optionalString("kind"), kind != settings.kind.rawValue {
            throw .invalidParams(
                at: "kind", "a layout keeps its kind: close this one and open another")
        }
        var changed = settings
        try changed.change(by: params)
        settings = changed
        body.adopt(changed)
    }

    /// Applies new sizes of the items with these indices.
    func measured(_ sizes: [(index: Int, size: Size)]) { body.measured(sizes) }

    func produce(into sink: any LineSink) -> Bool {
        switch state {
        case .open:
            return body.produce(into: sink)
        case .ending(let message):
            guard sink.hasRoom else { return true }
            sink.send { $0.notification(message) }
            session.close(id)
            return false
        case .closed:
            return false
        }
    }

    func close() {
        letGo()
        state = .closed
    }

    /// Ends the layout from the daemon's side.
    func end(_ reason: String, _ message: String) {
        guard isOpen else { return }
        letGo()
        state = .ending(
            LayoutClosed(sub: id, items: itemsID, reason: reason, message: message))
        requestRoom()
    }

    private func letGo() {
        guard isOpen else { return }
        source?.remove(self)
        source = nil
        body.close()
        ledger.closed(with: keys.count)
        shared.remove(self)
        keys = []
    }

    /// Applies new items, unless there are too many.
    private func take(_ new: [String]) -> Bool {
        if let reason = ledger.reasonAgainst(new.count, insteadOf: keys.count) {
            end("limit", reason)
            return false
        }
        ledger.changed(from: keys.count, to: new.count)
        keys = new
        return true
    }
}

extension LayoutStream {
    /// Called each time the cells have come to rest, with their number.
    func didFinish(_ finished: LayoutFinished, cells: Int) {
        context.publish("layout.finished") { writer in
            writer.object { writer in
                finished.writeMembers(to: &writer)
                writer.member("items", itemsID)
                writer.member("cells", cells)
            }
        }
    }
}

extension LayoutStream: ItemsFollower {
    func itemsWereReset(to keys: [String], rev: Int) {
        let old = self.keys
        guard take(keys) else { return }
        shared.recordDepartures(old)
        body.reset(to: keys, from: old, rev: rev)
    }

    func itemsChanged(by delta: ItemsDelta) {
        let old = keys
        var new = old
        if !delta.deleted.isEmpty || !delta.moved.isEmpty || !delta.inserted.isEmpty {
            // The list made this delta from these very rows, so it applies to them.
            guard let arranged = try? delta.arrange(old, inserting: { $0.item.key }) else {
                return end("failed", "a delta of the list does not fit its items: open it again")
            }
            new = arranged
        }
        guard take(new) else { return }
        if !delta.deleted.isEmpty { shared.recordDepartures(delta.deleted.map { old[$0] }) }
        body.change(by: delta, to: new, from: old)
    }

    func itemsEnded() {
        source = nil
        end("items", "the list \(itemsID) that was laid out is closed")
    }
}
