package import PickerClient
package import Picking
package import StateFeedback

// A picker and the daemon: the state of the picker says what it wants, and what comes of that changes the state.
//
// A folder that the picker was called with is opened as a collection on each connection, which names it; the list waits
// for the name. Without a folder the list is asked for at once.

/// A picker that is live on a daemon.
package final class PickSession {
    /// Makes a preview, and tells what it shows, until it is cancelled.
    package typealias Previewing = (PreviewRequest, @escaping (PreviewContent) -> Void) ->
        Cancellation

    package struct Parameters {
        package var options = PickOptions()
        /// The bytes of an absolute path: only what is in this folder is picked.
        package var folder: [UInt8]?
        /// The members of rows; nil for all of documents.
        package var fields: [String]?
        package var previewing: Previewing?
        /// Makes the picture of a tile.
        package var picturing: Previewing?

        package init() {}
    }

    /// Called with each state.
    package var onState: (PickState) -> Void = { _ in }
    /// Called when keys of before mean other documents now, after the state was told.
    package var onNewHistory: () -> Void = {}

    private let session: ReconnectingSession
    private let parameters: Parameters
    private let list: PickList
    /// The marked documents, wherever they are in the list or out of it: one more list, of their keys.
    private let marks: PickList
    private let deeds: PickDeeds
    private var collection: String?
    /// Marked documents are followed on a connection from its first rows on, which tell whether keys still mean what they
    /// did.
    private var waitsWithMarks = false
    private var search: PickRange?
    private var system: FeedbackSystem<PickState, PickEvent>?

    package init(_ parameters: Parameters, on session: ReconnectingSession) {
        self.parameters = parameters
        self.session = session
        list = PickList(on: session.loop, fields: parameters.fields)
        marks = PickList(on: session.loop, fields: parameters.fields)
        deeds = PickDeeds(on: session)
    }

    package var state: PickState? { system?.state }

    /// Starts with a screen of this size.
    package func begin(_ first: PickState) {
        list.onRows = { [weak self] in self?.take($0) }
        list.onRefusal = { [weak self] in self?.send(.refused($0)) }
        marks.onRows = { [weak self] in self?.takeMarked($0) }
        marks.onRefusal = { [weak self] in self?.send(.refused($0)) }
        system = FeedbackSystem(
            initial: first, reduce: PickState.reduce,
            feedback: [
                .observe { [weak self] in self?.list.follow($0.wantedList) },
                followingMarks, rangeOfList, previews, pictures, offers, commands, timer,
                attributeNames,
                .observe { [weak self] in self?.onState($0) },
            ])
        session.onState = { [weak self] in self?.enter($0) }
        session.onConnect = { [weak self] in self?.use($0) }
        if let connection = session.connection {
            send(.link(.connected))
            use(connection)
        }
    }

    /// Tells the state what has happened.
    package func send(_ event: PickEvent) { system?.send(event) }

    /// Ends it, after the visit of what was picked was told.
    package func end(visiting keys: [String]) {
        session.onState = nil
        session.onConnect = nil
        system?.stop()
        list.close()
        marks.close()
        search?.close()
        if !keys.isEmpty { deeds.visited(keys, within: .milliseconds(200)) }
        session.close()
    }

    private func take(_ rows: RowsUpdate) {
        let isNewHistory = rows.isNewHistory && state?.rows != nil
        send(.rows(rows))
        if isNewHistory { onNewHistory() }
        guard waitsWithMarks, let connection = session.connection else { return }
        waitsWithMarks = false
        marks.attach(to: connection, collection: collection)
    }

    /// A document that is not found yet is not gone.
    private func takeMarked(_ rows: RowsUpdate) {
        if rows.isComplete { send(.markedRows(rows.items, request: rows.query)) }
    }

    /// Asks for documents by their keys, and tells those that are there; nil if that can't be told now.
    package func find(_ keys: [String], _ tell: @escaping ([ListItem]?) -> Void) {
        guard let connection = session.connection, !waitsWithMarks else { return tell(nil) }
        let query = list(of: KeysRequest(number: 0, keys: keys)).query
        search = PickRange(
            RangeRequest(number: 0, query: query), fields: parameters.fields,
            collection: collection, on: connection
        ) { [weak self] outcome in
            // Its end is not to be in its own call.
            self?.session.loop.atEndOfTurn { self?.search = nil }
            tell(try? outcome.get())
        }
    }

    // MARK: Connections

    private func enter(_ state: ReconnectingSession.State) {
        switch state {
        case .connected: send(.link(.connected))
        case .lost, .retrying: send(.link(.reconnecting))
        case .closed: break
        }
    }

    private func use(_ connection: PickerConnection) {
        waitsWithMarks = true
        collection = nil
        guard let folder = parameters.folder else {
            return list.attach(to: connection, collection: nil)
        }
        connection.send(.openCollection(pathBytes: folder)).then { [weak self] outcome in
            guard let self, session.connection === connection else { return }
            switch outcome {
            case .success(let opened):
                collection = opened.name
                list.attach(to: connection, collection: opened.name)
            case .failure(let error):
                if error.code == .refused { send(.refused("\(error)")) }
            }
        }
    }

    // MARK: What a state wants

    private typealias Loop = Feedback<PickState, PickEvent>

    private var followingMarks: Loop {
        var before: KeysRequest?
        return .observe { [weak self] state in
            let wanted = state.wantedMarked
            if wanted == before { return }
            before = wanted
            self?.marks.follow(wanted.map { self?.list(of: $0) } ?? nil)
        }
    }

    /// Dropped documents are in the list, too: a mark is of a document.
    private func list(of marked: KeysRequest) -> WantedList {
        WantedList(
            number: marked.number,
            query: ListQuery(
                sort: ["name"], filter: .keys(marked.keys) && (.dropped || !.dropped),
                collections: parameters.options.collections))
    }

    private var rangeOfList: Loop {
        .react(to: \.wantedRange) { [weak self] request, send in
            guard let self, let connection = session.connection else {
                send(.range(request: request.number, []))
                return .none
            }
            let range = PickRange(
                request, fields: parameters.fields, collection: collection, on: connection
            ) { outcome in
                if case .failure(let error) = outcome { send(.refused("\(error)")) }
                send(.range(request: request.number, (try? outcome.get()) ?? []))
            }
            return Cancellation { range.close() }
        }
    }

    private var previews: Loop {
        .react(to: \.wantedPreview) { [weak self] request, send in
            self?.make(request, self?.parameters.previewing) {
                send(.preview(request: request.number, $0))
            } ?? .none
        }
    }

    private var pictures: Loop {
        .reactToEach(of: \.wantedPictures) { [weak self] request, send in
            self?.make(request, self?.parameters.picturing) {
                send(.picture(request: request.number, $0))
            } ?? .none
        }
    }

    /// Has a preview made, with the thumbnail that the daemon knows of.
    private func make(
        _ request: PreviewRequest, _ previewing: Previewing?,
        _ tell: @escaping (PreviewContent) -> Void
    ) -> Cancellation {
        guard let previewing else { return .none }
        guard request.wantsThumbnail, let connection = session.connection else {
            return previewing(request, tell)
        }
        let preview = ThumbnailedPreview(request, on: connection, previewing, tell)
        return Cancellation { preview.end() }
    }

    private var offers: Loop {
        .react(to: \.wantedOffer) { [weak self] request, send in
            self?.deeds.offer(for: request, send)
            return .none
        }
    }

    private var commands: Loop {
        .reactToEach(of: \.wantedCommands) { [weak self] command, send in
            self?.deeds.perform(command, send)
            return .none
        }
    }

    private var timer: Loop {
        .react(to: \.wantedTimer) { [weak self] request, send in
            let delay = Duration.milliseconds(max(0, request.milliseconds))
            let timer = self?.session.loop.schedule(after: delay) { send(.timeOut(request.number)) }
            return Cancellation { timer?.cancel() }
        }
    }

    private var attributeNames: Loop {
        .react(to: { $0.wantsAttributes ? true : nil }) { [weak self] _, send in
            self?.deeds.attributes(send)
            return .none
        }
    }
}
