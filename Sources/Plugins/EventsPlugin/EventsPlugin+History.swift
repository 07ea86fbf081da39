internal import DataBus
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import WireProtocol

// The events of the last run, and the start of a subscription.

extension EventsPlugin {
    /// Restores the events of the last run to the bus and stores new ones. Without a folder, or after an
    /// error, the bus starts empty and nothing is stored.
    func openJournal(in context: PluginContext) {
        epoch = context.documents.epoch
        // The documents may go on in another.
        context.numberEvents(in: epoch)
        context.contributeInfo("events") { [unowned self] writer in writeInfo(into: &writer) }
        guard context.settings.values.boolean(Self.store) else { return }
        guard let path = context.settings.stateFolder else {
            journalFault = "there is no folder for it"
            context.report(
                .notice,
                "events are not kept across restarts: there is no folder for it. Set HOME or "
                    + "XDG_STATE_HOME, or give --state FOLDER; or set store = false in [plugins.events]",
                fields: ["PICKERD_EVENT": "events-store-off"])
            return
        }
        do throws(StorageError) {
            let opened = try EventJournal.open(
                at: path, keeping: replayCount, in: context, openFolder: openFolder)
            journal = opened.journal
            epoch = opened.epoch
            gaps = opened.gaps
        } catch {
            journalFault = error.description
            context.report(
                .warning,
                "events are not kept across restarts: \(error.description). Mend that and restart pickerd, "
                    + "or give --state FOLDER; or set store = false in [plugins.events]",
                fields: ["PICKERD_EVENT": "events-store-off", "PICKERD_PATH": path])
            context.publish(fault: error.description, of: "events-store", at: path)
            return
        }
        context.numberEvents(in: epoch)
        context.beforeOutput { [journal] in journal?.markLast() }
    }

    private func writeInfo(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("epoch", epoch)
            if let journal {
                journal.writeInfo(into: &writer)
            } else if let journalFault {
                writer.member("degraded", journalFault)
            }
        }
    }

    /// The first number of a new subscription, and how many events after `since` are no longer kept.
    func start(
        _ params: ParameterReader, _ filter: TopicFilter, in bus: EventBus
    ) throws(ProtocolError) -> (from: Int, lost: Int) {
        let count = try params.optionalInt("replay", in: 0...Int(Int32.max))
        guard let since = try params.eventPosition("since") else {
            let numbers = lastNumbers(count ?? 0, matching: filter, in: bus)
            return (numbers.first ?? bus.lastSequence + 1, 0)
        }
        guard count == nil else {
            throw .invalidParams(
                at: "since",
                "'since' and 'replay' exclude each other: leave out 'replay' for all after "
                    + "'since', or 'since' for the last few")
        }
        // A number of another epoch has no meaning.
        let last = since.epoch == epoch ? since.number : 0
        guard last <= bus.lastSequence else {
            throw .invalidParams(
                at: "since",
                "'since' is \(since.epoch):\(since.number), and the newest event is "
                    + "\(epoch):\(bus.lastSequence): nothing can have come after that yet")
        }
        // Events that are kept only for delivery are not replayed.
        let offered = max(last, bus.lastSequence - replayCount)
        let from = bus.firstKept(after: offered)?.sequence ?? bus.lastSequence + 1
        return (from, offered - last + bus.missing(after: offered))
    }
}

extension ParameterReader {
    /// The position `"epoch:seq"` in the member `name`: the number of the last event that the client has,
    /// or 0. Nil if the member is absent or null.
    ///
    /// - Throws: `invalidParams` for an invalid position.
    fileprivate func eventPosition(_ name: String) throws(ProtocolError) -> EpochNumber? {
        guard let view = view(name) else { return nil }
        guard let position = view.stringValue.flatMap(EpochNumber.init) else {
            throw invalid(
                name,
                mustBe: "\"epoch:seq\", the epoch that events.subscribe answered and the number of "
                    + "the last event received")
        }
        return position
    }
}
