internal import DataBus
internal import JSONText
internal import Layouts
package import PluginInterface
internal import WireProtocol

/// Layouts of picker items: frames that follow a client's own list.
///
/// A `LayoutStream` follows an open list of its session, whichever plugin serves the list. Its frames come
/// from an `OrderedFrames` (list, grid and flow: on the loop; a change costs as much as it moves) or a
/// `ForceFrames` (on a worker). `SessionLayouts` holds what a client's layouts share.
package final class LayoutsPlugin: Plugin {
    static let identifier = "layouts"

    package let manifest = PluginManifest(
        identifier, "Frames for the rows of a list: list, grid, flow, force.",
        methods: [.layoutOpen, .layoutUpdate, .layoutMeasure, .layoutPush, .layoutClose],
        reservedWords: ["layout"],
        info: [
            .optional(
                "layouts",
                .object([
                    .required("open", .count), .required("items", .count),
                    .required("moving", .count, "Force layouts that are not at rest"),
                ]))
        ])

    private let limits: LayoutLimits
    private let ledger: LayoutLedger
    private var sessions: [ObjectIdentifier: SessionLayouts] = [:]
    private var workers: LayoutWorkers?

    package init(limits: LayoutLimits = LayoutLimits()) {
        self.limits = limits
        ledger = LayoutLedger(limits)
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        let workers = LayoutWorkers(on: context.loop, limit: limits.layouts)
        self.workers = workers
        context.register(.layoutOpen) {
            [unowned self] (call, writer) throws(ProtocolError) in
            try open(call, in: context, workers)
            writer.object { $0.member("sub", call.id ?? 0) }
            return .answered
        }
        context.register(command: .layoutUpdate) { (call) throws(ProtocolError) in
            let params = try call.reader()
            try call.stream(LayoutStream.self, named: params).update(with: params)
        }
        context.register(command: .layoutMeasure) {
            [unowned self] (call) throws(ProtocolError) in
            let params = try call.reader()
            _ = try call.stream(LayoutStream.self, named: params)
            try shared(by: call.session).measure(params)
        }
        context.register(command: .layoutPush) { [unowned self] (call) throws(ProtocolError) in
            try push(call)
        }
        context.register(closing: .layoutClose, LayoutStream.self)
        context.contributeInfo("layouts") { [unowned self] writer in
            writer.object { writer in
                writer.member("open", ledger.layouts)
                writer.member("items", ledger.items)
                writer.member("moving", moving)
            }
        }
    }

    /// The number of force layouts that are not at rest.
    private var moving: Int {
        sessions.values.reduce(0) { $0 + $1.layouts.count { $0.force?.isMoving == true } }
    }

    package func deactivate() {
        workers?.end()
        workers = nil
        sessions = [:]
    }

    // MARK: Methods

    private func open(
        _ call: MethodCall, in context: PluginContext, _ workers: LayoutWorkers
    ) throws(ProtocolError) {
        let id = try call.streamID()
        let params = try call.reader()
        let itemsID = try params.requestID("items")
        let settings = try LayoutSettings(reading: params)
        let session = call.session
        guard let source = session.stream(itemsID) as? any FollowableItems else {
            throw .noSuchSubscription(itemsID)
        }
        try ledger.admit(source.rowCount)
        let shared = shared(by: session)
        let body: any LayoutBody
        if settings.kind == .force {
            body = try ForceFrames(
                sub: id, items: itemsID, settings: settings, workers: workers, loop: context.loop)
        } else {
            body = try OrderedFrames(
                sub: id, items: itemsID, settings: settings, shared: shared)
        }
        let stream = LayoutStream(
            id: id, following: itemsID, settings: settings, body: body, session: session,
            shared: shared, ledger: ledger, context: context)
        do {
            try session.open(stream, as: id)
        } catch {
            body.close()
            throw error
        }
        sessions[ObjectIdentifier(session)] = shared
        stream.start(following: source)
    }

    private func push(_ call: MethodCall) throws(ProtocolError) {
        let params = try call.reader()
        let layout = try call.stream(LayoutStream.self, named: params)
        guard let force = layout.force else {
            throw .invalidParams(
                at: "sub",
                "'sub' names a \(layout.settings.kind.rawValue) layout: only the cells of a force "
                    + "layout can be pushed")
        }
        let key = try params.string("key")
        guard let push = try params.optionalNumbers("force", "dx", "dy", in: .coordinate) else {
            throw params.invalid("force", mustBe: "[dx, dy]")
        }
        if force.contains(key) {
            force.push(key, by: Force(push[0], push[1]))
        } else if !shared(by: call.session).knows(key) {
            throw .noSuchItem(
                "\(ProtocolError.quoted(key)) is the key of no item in the list laid out here")
        }
    }

    /// The shared state of a session's layouts; it is stored once there is a layout.
    private func shared(by session: any ClientSession) -> SessionLayouts {
        let name = ObjectIdentifier(session)
        if let shared = sessions[name] { return shared }
        let shared = SessionLayouts(limits)
        // A session may close after the plugin was deactivated.
        shared.onEmpty = { [weak self] in self?.sessions[name] = nil }
        return shared
    }
}
