internal import JSONText
internal import MediaTypes
internal import PickerModel
internal import PluginInterface
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

/// What every desktop does with files: opens them, shows them in its file manager, moves them to its trash, and back.
///
/// The first three are done by its own programs (`DesktopProgram`), which know its settings and rules. A file goes back
/// by a rename that replaces nothing (`TrashCan`): no desktop has a program for it that works without a service of its
/// own.
final class DesktopActions: ActionProvider {
    static let open = OfferedAction(
        id: "documents.open", title: "Open", takesMany: true, writes: false)
    static let reveal = OfferedAction(
        id: "documents.reveal", title: "Show in the file manager", takesMany: true, writes: false)
    static let trash = OfferedAction(
        id: "documents.trash", title: "Move to the trash", takesMany: true, writes: true)
    static let untrash = OfferedAction(
        id: "documents.untrash", title: "Put back from the trash", takesMany: true, writes: true,
        isForDocuments: false)

    /// The most documents that are opened by one request.
    static let mostOpened = 64
    /// The most bytes of URIs that one program gets: an argument may have twice as many.
    static let mostRevealedBytes = 65_536

    let actions = [open, reveal, trash, untrash]

    private let documents: DocumentStore
    private let runner: ProgramRunner
    private let trashCan: TrashDesk
    private var roots: [FileName]

    init(in context: PluginContext, environment: [String: String]) {
        documents = context.documents
        roots = context.settings.roots
        runner = ProgramRunner(
            on: context.loop, environment: environment,
            runtimeFolder: context.settings.processes.runtimeFolder)
        trashCan = TrashDesk(on: context.loop, TrashCan(environment))
    }

    func adopt(_ settings: PluginSettings) {
        roots = settings.roots
        runner.runtimeFolder = settings.processes.runtimeFolder
    }

    func end() { runner.end() }

    func begin(_ run: ActionRun) throws(ProtocolError) {
        switch run.action.id {
        case Self.open.id: try open(run)
        case Self.reveal.id: try reveal(run)
        case Self.trash.id: try trash(run)
        default: try untrash(run)
        }
    }

    // MARK: Open and reveal

    private func open(_ run: ActionRun) throws(ProtocolError) {
        guard run.targets.count <= Self.mostOpened else {
            throw .limitExceeded(
                limit: Self.mostOpened,
                "\(run.targets.count) documents would be opened at once; \(Self.mostOpened) at most"
            )
        }
        try runner.requireRoom(for: run.targets.count)
        let tally = OutcomeTally(of: run)
        for (place, target) in run.targets.enumerated() {
            runner.run(.open(uri(of: target)), tally.ticket) { [weak documents] end in
                // The user is where it was opened, so it is a visit.
                if end.isDone { documents?.visits.record?(target.key) }
                tally.set(end, at: place)
            }
        }
    }

    private func reveal(_ run: ActionRun) throws(ProtocolError) {
        try runner.requireRoom(for: run.targets.count)
        let tally = OutcomeTally(of: run)
        let uris = run.targets.map { uri(of: $0) }
        var start = 0
        while start < uris.count {
            var end = start
            var bytes = 0
            repeat {
                bytes += uris[end].utf8.count
                end += 1
            } while end < uris.count && bytes + uris[end].utf8.count <= Self.mostRevealedBytes
            let places = start..<end
            runner.run(.reveal(Array(uris[places])), tally.ticket) { end in
                for place in places { tally.set(end, at: place) }
            }
            start = end
        }
    }

    private func uri(of target: ActionTarget) -> String {
        // A path that is absolute and has no NUL always has one.
        FileURI.text(ofPath: target.path.bytes.span) ?? ""
    }

    // MARK: The trash

    /// Each file is looked at before, so that it is found in the trash, where it may have another name.
    private func trash(_ run: ActionRun) throws(ProtocolError) {
        try runner.requireRoom(for: run.targets.count)
        let tally = OutcomeTally(of: run)
        let uris = run.targets.map { uri(of: $0) }
        let paths = run.targets.map(\.path.bytes)
        try trashCan.look(at: paths) { [self] files in
            for (place, file) in files.enumerated() {
                switch file {
                case .failure(let error): tally.set(.failed(error.description), at: place)
                case .success(let file):
                    runner.run(.trash(uris[place]), tally.ticket) { [trashCan] end in
                        guard end.isDone else { return tally.set(end, at: place) }
                        trashCan.find(file) { uri in
                            tally.set(uri.map { .moved(to: $0) } ?? .done, at: place)
                        }
                    }
                }
            }
        }
    }

    private func untrash(_ run: ActionRun) throws(ProtocolError) {
        let uris: [String]
        do throws(ProtocolError) {
            let arguments = try ParameterReader(
                (run.arguments ?? JSONFragment(.object([:]))).view)
            uris = try arguments.strings("uris", limit: ActionRequest.mostKeys)
        } catch {
            throw .invalidParams(at: "args.uris", "in 'args', \(error.message)")
        }
        if uris.isEmpty {
            throw .invalidParams(
                at: "args.uris", "'args.uris' must have the URIs that documents.trash has answered")
        }
        try trashCan.restore(uris, below: roots.map(\.bytes)) { outcomes in
            run.finish(.success(outcomes))
        }
    }
}
