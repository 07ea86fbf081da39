package import FeedStorage
internal import JSONText
internal import PickerModel
package import PluginInterface
internal import WireProtocol

/// What the user says of documents: that they like them, and that lists shall do without them.
///
/// Both are marks of the document, kept by the set of documents itself, so that lists, sort orders and
/// filters see them like any other change. This plugin takes the wishes in, and has them stored first
/// (`MarkJournal`): what a client was told outlives the daemon.
package final class FeedPlugin: Plugin {
    package let manifest = PluginManifest(
        "feed", "What the user likes, and what lists shall do without.",
        methods: [.itemsLike, .itemsDrop, .itemsRestore],
        info: [
            .optional(
                "feed",
                .object([
                    .required("marked", .count, "Documents that are liked or dropped"),
                    .required("dropped", .count),
                    .required("gone", .count, "Marked, and not there"),
                    .optional("degraded", .string, "Why nothing can be stored"),
                ]))
        ], keepsState: true)

    private let makeStore: (_ path: String) -> any MarkStore
    /// How long the end waits for what is left to be stored, in milliseconds.
    private let finishLimit: Int32
    private var journal: MarkJournal?

    package convenience init() {
        self.init(finishWithin: MarkJournal.finishLimit) { DiskMarkStore(at: $0) }
    }

    /// One that keeps marks in the store that is made for a folder, and at its end waits so many
    /// milliseconds for the last of them.
    package init(
        finishWithin limit: Int32, makeStore: @escaping (_ path: String) -> any MarkStore
    ) {
        finishLimit = limit
        self.makeStore = makeStore
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        let store = context.settings.stateFolder.map { makeStore($0) }
        let journal = MarkJournal(in: store, context)
        self.journal = journal
        journal.start()
        let methods:
            [(
                definition: MethodDefinition,
                read: (ParameterReader) throws(ProtocolError) -> MarkRequest
            )] = [
                (.itemsLike, MarkRequest.like), (.itemsDrop, MarkRequest.drop),
                (.itemsRestore, MarkRequest.restore),
            ]
        for method in methods {
            context.register(method.definition) { (call, writer) throws(ProtocolError) in
                try journal.handle(method.read(call.reader()), call, &writer)
            }
        }
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
