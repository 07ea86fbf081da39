internal import EventLoops
package import FeedStorage
internal import JSONText
internal import PickerModel
package import PluginInterface
internal import WireProtocol

/// Marks on documents: liked, dropped (hidden from lists), and visited.
///
/// The set of documents holds the marks, so lists, sort orders and filters treat them like any other
/// change. This plugin takes requests and stores the marks first (`MarkJournal`): what a client was told
/// outlives the daemon.
package final class FeedPlugin: Plugin {
    package let manifest = PluginManifest(
        "feed", "What the user likes and visits, and what lists shall do without.",
        methods: [.itemsLike, .itemsDrop, .itemsRestore, .itemsVisited],
        info: [
            .optional(
                "feed",
                .object([
                    .required("marked", .count, "Documents that are liked or dropped"),
                    .required("dropped", .count),
                    .required("visited", .count, "Documents whose visits are kept"),
                    .required("gone", .count, "Marked or visited, and not there"),
                    .optional("degraded", .string, "Why nothing can be stored"),
                ]))
        ], keepsState: true)

    private let makeStore: (_ path: String) -> any MarkStore
    /// The time limit for storing the last marks at the end, in milliseconds.
    private let finishLimit: Int32
    private var journal: MarkJournal?

    /// A plugin that stores marks in the store that `makeStore` returns for a folder. At its end it waits
    /// at most `limit` milliseconds for the last of them.
    package init(
        finishWithin limit: Int32 = 2000,
        makeStore: @escaping (_ path: String) -> any MarkStore = { DiskMarkStore(at: $0) }
    ) {
        finishLimit = limit
        self.makeStore = makeStore
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        let store = context.settings.stateFolder.map { makeStore($0) }
        let journal = MarkJournal(in: store, context)
        self.journal = journal
        journal.start()
        func register(
            _ definition: MethodDefinition,
            _ read: @escaping (ParameterReader) throws(ProtocolError) -> MarkRequest
        ) {
            context.register(definition) { (call, writer) throws(ProtocolError) in
                try journal.handle(read(call.reader()), call, &writer)
            }
        }
        register(.itemsLike, MarkRequest.like)
        register(.itemsDrop, MarkRequest.drop)
        register(.itemsRestore, MarkRequest.restore)
        let loop = context.loop
        register(.itemsVisited) { [unowned loop] (params) throws(ProtocolError) in
            try MarkRequest.visit(params, at: loop.wallSeconds)
        }
        context.documents.visits.record = { [weak journal] in journal?.recordVisit(of: $0) }
        context.contributeInfo("feed") { journal.writeInfo(into: &$0) }
    }

    package func adopt(_ settings: PluginSettings) throws(PluginError) {
        journal?.retry()
    }

    package func deactivate() {
        journal?.finish(within: finishLimit)
        journal = nil
    }
}
