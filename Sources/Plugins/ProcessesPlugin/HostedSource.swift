internal import DequeModule
internal import EventLoops
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import PluginProcesses
internal import SystemInterface
internal import WireProtocol

/// A source of a plugin: it is opened when somebody wants its collection, and kept up to date while its process runs.
///
/// | state of the collection | goes on when | to |
/// |---|---|---|
/// | waiting | somebody wants it | scanning |
/// | scanning | it has resumed, or all of a reset is there; the plugin is given up | watching; missing |
/// | watching | its process ends; nobody has wanted the plugin for a while | missing; waiting |
/// | missing | it has resumed, or all of a reset is there | watching |
///
/// What comes is taken in slices, in its order, and answered when it has been taken. A change that is faulty, or does not
/// follow the one before, is refused; then only a reset is accepted, and if none comes the source is opened again. A faulty
/// item is left out, which the answer says.
final class HostedSource {
    /// The most changes that wait here, and the most bytes of one.
    static let mostWaiting = 4
    static let longestChange = 256 << 10
    /// The items that are taken in one piece.
    static let itemsAtOnce = 64
    /// The slots that are looked at in one piece for items that a reset did not have.
    static let slotsAtOnce = 4096
    static let openTime = Duration.seconds(30)
    static let resetTime = Duration.seconds(30)
    static let longestPause = Duration.seconds(60)
    static let longestEpoch = 64

    let name: String
    let collection: SourcedCollection
    private unowned let plugin: HostedPlugin
    private let reader: SourceReader
    /// The process that has it open, or is being asked to.
    private weak var process: PluginProcess?
    private var isOpen = false
    /// Counts how often it was opened: what belongs to a former time is not taken.
    private var opening = 0
    /// What has been taken: nil before a first reset is complete.
    private var epoch: String?
    private var revision: Int64 = 0
    /// The epoch of a reset that is due or under way.
    private var pendingEpoch: String?
    private var progress = SourceProgress()
    private var waiting = Deque<SourceWork>()
    private let changes: SlicedChanges
    private var failures = 0
    private var timer: (any TimerSource)?
    private var isWanted = false
    private var isTold = false

    init(_ source: ProcessManifest.Source, of plugin: HostedPlugin) {
        name = source.name
        self.plugin = plugin
        reader = SourceReader(of: plugin.house.context.documents)
        collection = plugin.house.context.documents.sources.add(
            "\(plugin.id):\(source.name)", title: source.title)
        changes = SlicedChanges(of: plugin.house.context.documents, on: plugin.loop)
        changes.step = { [weak self] in self?.step() ?? false }
        collection.whenWanted = { [weak self] in self?.want() }
    }

    private var loop: any EventLoop { plugin.loop }
    private var documents: DocumentStore { plugin.house.context.documents }

    /// Whether somebody uses what it has.
    var isNeeded: Bool {
        isWanted || plugin.manifest?.keep == .always
            || documents.views.has(collection.name)
    }

    // MARK: Open

    /// Somebody wants its items: called in the middle of other work.
    private func want() {
        if isWanted { return }
        isWanted = true
        loop.enqueue { [weak self] in self?.beWanted() }
    }

    private func beWanted() {
        guard collection.isOffered else { return }
        if collection.state == .waiting { documents.sources.set(.scanning, of: collection) }
        plugin.sourceIsWanted(self)
        // While a process has it, that is used, and no flag is needed.
        if isOpen { isWanted = false }
    }

    /// Asks a process for it, unless it has been.
    func open(with process: PluginProcess) {
        guard isNeeded, self.process !== process || !isOpen, timer?.isSet != true else { return }
        self.process = process
        isOpen = true
        isWanted = false
        opening += 1
        waiting = []
        progress = SourceProgress()
        if collection.state == .waiting { documents.sources.set(.scanning, of: collection) }
        let (name, since) = (name, epoch.map { "\($0):\(revision)" })
        let opening = opening
        process.call(
            "source.open", within: Self.openTime,
            { line in
                line.object { line in
                    line.member("source", name)
                    if let since { line.member("since", since) }
                }
            }
        ) { [weak self, weak process] answer in
            // With a process that ends, more than this call does: see `leave`.
            guard let self, opening == self.opening, process?.isEnding != true else { return }
            opened(answer, since: since)
        }
    }

    private func opened(_ answer: Result<JSONView, ProtocolError>, since: String?) {
        do throws(ProtocolError) {
            let reader: ParameterReader
            switch answer {
            case .success(let view): reader = try ParameterReader(view)
            case .failure(let error): throw error
            }
            let told = try reader.string("epoch")
            guard 1...Self.longestEpoch ~= told.utf8.count else {
                throw reader.invalid("epoch", mustBe: "1 to \(Self.longestEpoch) bytes long")
            }
            let rev = Int64(try reader.int("rev", in: 0...Int.max))
            let isResumed = try reader.bool("resumed")
            if isResumed {
                guard let since, since == "\(told):\(rev)" else {
                    epoch = nil
                    throw .invalidParams(
                        at: "resumed",
                        "it resumes at \(told):\(rev), and was asked for "
                            + (since ?? "all that it has"))
                }
                progress.resume(at: rev)
                isUpToDate()
            } else {
                progress.awaitReset()
                epoch = nil
                pendingEpoch = told
                setTimer(Self.resetTime)
            }
        } catch {
            failed("source.open: \(error.message)")
        }
    }

    private func isUpToDate() {
        failures = 0
        timer?.unschedule()
        documents.sources.set(.watching, of: collection)
    }

    /// It did not answer as agreed, or has not sent what it owes. It is opened again after a while.
    private func failed(_ why: String) {
        tell(why)
        isOpen = false
        opening += 1
        refuseAll(.conflict("the source is opened again: \(why)"))
        failures += 1
        isWanted = isWanted || !collection.isWhole
        documents.sources.set(.missing, of: collection)
        let pause = Duration.seconds(1 << min(failures - 1, 6))
        setTimer(min(pause, Self.longestPause))
    }

    private func tell(_ why: String) {
        if isTold { return }
        isTold = true
        plugin.house.context.report(
            .warning, "the source '\(collection.name)' does not do as agreed: \(why)",
            fields: ["PICKERD_PLUGIN": plugin.id, "PICKERD_EVENT": "plugin-source"])
    }

    private func setTimer(_ delay: Duration) {
        if let timer { return timer.reschedule(after: delay) }
        timer = try? loop.schedule(after: delay) { [weak self] in self?.timeIsUp() }
    }

    private func timeIsUp() {
        if isOpen {
            failed("a reset was due, and nothing came for \(Self.resetTime.inSeconds) s")
        } else if isNeeded {
            plugin.sourceIsWanted(self)
        }
    }

    // MARK: Leave

    /// Its process is no more, or is told to stop.
    func leave(_ process: PluginProcess) {
        guard self.process === process else { return }
        self.process = nil
        isOpen = false
        opening += 1
        waiting = []
        timer?.unschedule()
        // A request may wait for it.
        isWanted = isWanted || collection.state == .scanning
        if collection.state == .watching { documents.sources.set(.missing, of: collection) }
    }

    /// Nobody has wanted the plugin for a while.
    func rest() {
        isWanted = false
        documents.sources.set(.waiting, of: collection)
    }

    /// The plugin does not run any more.
    func giveUp() {
        isWanted = false
        if collection.state != .waiting { documents.sources.set(.missing, of: collection) }
    }

    /// It is there no more: its items are removed in slices.
    func withdraw() {
        opening += 1
        isOpen = false
        waiting = []
        timer = nil
        documents.sources.withdraw(collection)
        SourceRemoval(of: collection, from: documents, on: loop).begin()
    }

    // MARK: What comes

    /// A request of its process: `source.change` or `source.reset`, which is answered when it has been taken.
    func take(_ request: RequestEnvelope, from process: PluginProcess) {
        guard isOpen, self.process === process else {
            // Such as from a process of which another has taken the place.
            return refuse(
                request.id,
                .conflict("the source '\(name)' is not open: it is asked for when it is wanted"),
                process)
        }
        do throws(ProtocolError) {
            if waiting.count >= Self.mostWaiting {
                throw .limitExceeded(
                    limit: Self.mostWaiting,
                    "\(Self.mostWaiting) changes of '\(name)' are not answered yet: wait until one is"
                )
            }
            let bytes = request.params?.bytes.count ?? 0
            if bytes > Self.longestChange {
                throw .limitExceeded(
                    limit: Self.longestChange,
                    "a change of \(bytes) bytes; \(Self.longestChange) at most: send several")
            }
            let work = try reader.work(request)
            try progress.accept(work.step)
            waiting.append(work)
            if case .reset(_, let chunk, _) = work.step, chunk == 0 { beginReset() }
        } catch {
            refuse(request.id, error, process)
            return faulty(error)
        }
        changes.goOn()
    }

    /// After a fault it has other items than its plugin: it must send all.
    private func faulty(_ error: ProtocolError) {
        tell(error.message)
        progress.awaitReset()
        refuseAll(.conflict("a change before it was refused: send a reset"))
        beginReset()
        if isOpen { setTimer(Self.resetTime) }
    }

    /// What is there belongs to no revision until all of a reset is there.
    private func beginReset() {
        pendingEpoch = pendingEpoch ?? epoch
        epoch = nil
    }

    private func refuseAll(_ error: ProtocolError) {
        let refused = waiting
        waiting = []
        for work in refused { refuse(work.id, error, process) }
    }

    private func refuse(_ id: RequestID?, _ error: ProtocolError, _ process: PluginProcess?) {
        if let id { process?.reply(id, .failure(error)) }
    }

    // MARK: Work

    /// Takes the next items of the oldest change.
    /// - Returns: whether there is more to do.
    private func step() -> Bool {
        takeNext()
        return !waiting.isEmpty
    }

    private func takeNext() {
        guard var work = waiting.popFirst() else { return }
        do throws(ProtocolError) {
            if work.isFirstStep, work.step.isResetBegin { collection.beginReset() }
            let removed = work.takeRemoved(atMost: Self.itemsAtOnce)
            // What is removed and put again is there in the end.
            let items =
                work.hasRemoved ? reader.items(of: &work, atMost: Self.itemsAtOnce) : []
            do throws(SourceLimit) {
                try documents.sources.edit(collection, removing: removed, putting: items)
            } catch {
                throw .limitExceeded(limit: error.most, error.description)
            }
        } catch {
            refuse(work.id, error, process)
            return faulty(error)
        }
        if !work.isDone { return waiting.prepend(work) }
        if case .reset(_, _, isLast: true) = work.step, sweep(&work) {
            return waiting.prepend(work)
        }
        finish(work)
    }

    /// Removes some of the items that the reset did not have.
    /// - Returns: whether more are to be looked at.
    private func sweep(_ work: inout SourceWork) -> Bool {
        let slots = work.sweptSlots..<work.sweptSlots + Self.slotsAtOnce
        let gone = collection.unnamed(inSlots: slots).prefix(Self.itemsAtOnce)
        // Removals never exceed a limit.
        try? documents.sources.edit(collection, removing: gone)
        if gone.count < Self.itemsAtOnce { work.sweptSlots = slots.upperBound }
        return work.sweptSlots < collection.slotCount
    }

    private func finish(_ work: SourceWork) {
        switch work.step {
        case .change(_, let to): revision = to
        case .reset(let rev, _, isLast: true):
            revision = rev
            epoch = pendingEpoch
            pendingEpoch = nil
            isUpToDate()
        case .reset: setTimer(Self.resetTime)
        }
        if let reason = work.reason { tell("an item is left out: \(reason)") }
        if let id = work.id { process?.reply(id, .success(work)) }
    }
}
