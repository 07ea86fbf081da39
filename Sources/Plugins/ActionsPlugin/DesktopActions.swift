internal import EventLoops
internal import JSONText
internal import MediaTypes
internal import PickerModel
internal import PluginInterface
internal import SystemInterface
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
            guard let uri = uri(of: target) else {
                tally.set(Self.hasNoAddress, at: place)
                continue
            }
            runner.run(.open(uri), tally.ticket) { [weak documents] end in
                // The user is where it was opened, so it is a visit.
                if end.isDone { documents?.visits.record?(target.key) }
                tally.set(end, at: place)
            }
        }
    }

    private func reveal(_ run: ActionRun) throws(ProtocolError) {
        try runner.requireRoom(for: run.targets.count)
        let tally = OutcomeTally(of: run)
        var files: [(place: Int, uri: String)] = []
        for (place, target) in run.targets.enumerated() {
            if let uri = fileURI(of: target) {
                files.append((place, uri))
            } else {
                tally.set(.failed("it is no file, and a file manager shows files"), at: place)
            }
        }
        var start = 0
        while start < files.count {
            var end = start
            var bytes = 0
            repeat {
                bytes += files[end].uri.utf8.count
                end += 1
            } while end < files.count && bytes + files[end].uri.utf8.count <= Self.mostRevealedBytes
            let shown = files[start..<end]
            runner.run(.reveal(shown.map(\.uri)), tally.ticket) { end in
                for file in shown { tally.set(end, at: file.place) }
            }
            start = end
        }
    }

    private static let hasNoAddress = ActionOutcome.failed(
        "its source says no address of it that could be opened")

    /// What opens a target; nil for an item of a source that has no URI with a scheme.
    private func uri(of target: ActionTarget) -> String? {
        if let file = fileURI(of: target) { return file }
        guard let uri = target.uri, let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")),
            let first = uri.utf8.first, 0x61...0x7A ~= first | 0x20,
            uri.utf8[..<colon].allSatisfy({
                0x61...0x7A ~= $0 | 0x20 || 0x30...0x39 ~= $0 || "+-.".utf8.contains($0)
            })
        else { return nil }
        return uri
    }

    private func fileURI(of target: ActionTarget) -> String? {
        target.path.flatMap { FileURI.text(ofPath: $0.bytes.span) }
    }

    // MARK: The trash

    /// Each file is looked at before, so that it is found in the trash, where it may have another name.
    private func trash(_ run: ActionRun) throws(ProtocolError) {
        try runner.requireRoom(for: run.targets.count)
        let tally = OutcomeTally(of: run)
        var documents: [(place: Int, path: FileName, uri: String)] = []
        for (place, target) in run.targets.enumerated() {
            if target.uri == nil, let path = target.path, let uri = fileURI(of: target) {
                documents.append((place, path, uri))
            } else {
                tally.set(
                    .failed("it is an item of a source: only documents go to the trash"), at: place)
            }
        }
        if documents.isEmpty { return }
        try trashCan.look(at: documents.map(\.path.bytes)) { [self] files in
            for (file, (place, _, uri)) in zip(files, documents) {
                switch file {
                case .failure(let error): tally.set(.failed(error.description), at: place)
                case .success(let file):
                    runner.run(.trash(uri), tally.ticket) { [trashCan] end in
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
