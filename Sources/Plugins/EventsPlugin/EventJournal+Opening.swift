internal import DataBus
internal import EventStorage
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import SystemInterface
internal import WireProtocol

// Restores the events of the last run to the bus.

extension EventJournal {
    /// Restores the events stored at `path` to the bus, which must be empty, and stores new events there
    /// from now on.
    ///
    /// - Returns: the journal, the epoch of the numbers, and the gaps in them.
    /// - Complexity: O(bytes stored): some tens of milliseconds for 24 MiB.
    static func open(
        at path: String, keeping count: Int, in context: PluginContext,
        openFolder: @escaping @Sendable (String) throws(StorageError) -> any StorageFolder
    ) throws(StorageError) -> (journal: EventJournal, epoch: String, gaps: EventGaps) {
        let folder = try openFolder(path)
        let path = folder.path
        // Without an identifier, the machine counts as restarted.
        let boot = (try? CurrentProcess.bootIdentifier()) ?? context.documents.epoch
        let opened = try EventStore.open(
            in: folder, limits: .init(count: count, bytes: context.bus.limits.bytes), boot: boot,
            newEpoch: context.documents.epoch)
        for note in opened.notes {
            context.report(
                .warning, note,
                fields: ["PICKERD_EVENT": "events-store-damaged", "PICKERD_PATH": path])
        }
        let last = opened.mark.content.lastNumber
        let events = restorable(opened.events, path, context)
        let journal = try EventJournal(
            opened, at: path, keeping: count, in: context, openFolder: openFolder)
        context.bus.restore(events, lastSequence: last)
        return (
            journal, opened.mark.content.epoch,
            EventGaps(between: events.map(\.sequence), upTo: last)
        )
    }

    /// The valid events. Checksums detect damage, but a file may still contain what no daemon wrote.
    private static func restorable(
        _ stored: [StoredEvent], _ path: String, _ context: PluginContext
    ) -> [SentEvent] {
        let events = stored.compactMap { SentEvent($0) }
        if events.count < stored.count {
            context.report(
                .warning,
                "\(stored.count - events.count) of \(stored.count) events in '\(path)' are not what "
                    + "pickerd writes, and were left out",
                fields: ["PICKERD_EVENT": "events-store-damaged", "PICKERD_PATH": path])
        }
        return events
    }
}

extension SentEvent {
    /// Nil if the topic or the JSON of the data is invalid.
    fileprivate init?(_ stored: StoredEvent) {
        guard let topic = try? Topic(validating: stored.topic) else { return nil }
        var data: JSONFragment?
        if let bytes = stored.data {
            guard let fragment = try? JSONFragment(validating: bytes) else { return nil }
            data = fragment
        }
        self.init(
            sequence: stored.number, time: stored.time, event: WireEvent(topic: topic, data: data))
    }
}
