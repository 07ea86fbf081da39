internal import EventLoops
internal import MediaTypes
internal import PluginInterface
internal import SystemInterface
internal import WireProtocol

/// The trash, on a thread of its own that may wait for the disk. It is started when it is first needed, and sleeps
/// without work.
final class TrashDesk {
    /// The most tasks that wait.
    static let mostWaiting = 1024

    private enum Deed: Sendable {
        case look([[UInt8]], time: Int64)
        case find(TrashedFile)
        case restore([String], roots: [[UInt8]])
    }

    private enum Finding: Sendable {
        case looked([Result<TrashedFile, TrashError>])
        case found(String?)
        case restored([ActionOutcome])
    }

    private struct Task: Sendable {
        let number: Int
        let deed: Deed
    }

    private struct Answer: Sendable {
        let number: Int
        let finding: Finding
    }

    private let loop: any EventLoop
    private let can: TrashCan
    private var worker: Worker<Task, Answer>?
    private var answers: (any LoopSource)?
    private var waiting: [Int: (Finding) -> Void] = [:]
    private var lastNumber = 0

    init(on loop: any EventLoop, _ can: TrashCan) {
        self.loop = loop
        self.can = can
    }

    deinit {
        // The thread ends once it has nothing more to do.
        worker?.post(Task(number: 0, deed: .look([], time: 0)))
    }

    /// Looks at files that are about to be moved to the trash.
    func look(
        at paths: [[UInt8]], done: @escaping ([Result<TrashedFile, TrashError>]) -> Void
    ) throws(ProtocolError) {
        try post(.look(paths, time: Int64(loop.wallSeconds))) {
            if case .looked(let files) = $0 { done(files) }
        }
    }

    /// Finds a file in the trash: its URI. Nil if it is not found, or if there is too much to do.
    func find(_ file: TrashedFile, done: @escaping (String?) -> Void) {
        do throws(ProtocolError) {
            try post(.find(file)) { if case .found(let uri) = $0 { done(uri) } }
        } catch {
            done(nil)
        }
    }

    /// Puts files back that are in the trash by these URIs.
    func restore(
        _ uris: [String], below roots: [[UInt8]], done: @escaping ([ActionOutcome]) -> Void
    ) throws(ProtocolError) {
        try post(.restore(uris, roots: roots)) { if case .restored(let all) = $0 { done(all) } }
    }

    private func post(
        _ deed: Deed, _ done: @escaping (Finding) -> Void
    ) throws(ProtocolError) {
        lastNumber += 1
        let task = Task(number: lastNumber, deed: deed)
        guard waiting.count < Self.mostWaiting, try started().post(task) else {
            throw .overloaded(
                retryAfterMs: 1000,
                "\(waiting.count) tasks wait for the trash, which is the limit: try again")
        }
        waiting[lastNumber] = done
    }

    private func started() throws(ProtocolError) -> Worker<Task, Answer> {
        if let worker { return worker }
        do throws(SystemError) {
            let mailbox = try Mailbox<Answer>(limit: Self.mostWaiting)
            answers = try mailbox.deliver(on: loop) { [unowned self] answer in
                waiting.removeValue(forKey: answer.number)?(answer.finding)
            }
            let worker = try Worker<Task, Answer>(
                limit: Self.mostWaiting, answer: { mailbox.post($0) },
                { [can] desk in
                    while true {
                        guard let task = desk.next(within: nil) else { continue }
                        if task.number == 0 { return }
                        let finding = Self.carryOut(task.deed, in: can)
                        desk.answer(Answer(number: task.number, finding: finding))
                    }
                })
            self.worker = worker
            return worker
        } catch {
            throw .internalError("no thread for the trash could be started: \(error)")
        }
    }

    // MARK: On the thread

    private static func carryOut(_ deed: Deed, in can: TrashCan) -> Finding {
        switch deed {
        case .look(let paths, let time):
            return .looked(
                paths.map { bytes in
                    guard let path = RawPath(bytes: bytes) else {
                        return .failure(TrashError("its path has a NUL"))
                    }
                    do throws(TrashError) {
                        return .success(try can.look(at: path, time: time))
                    } catch {
                        return .failure(error)
                    }
                })
        case .find(let file):
            return .found(can.find(file).flatMap { FileURI.text(ofPath: $0.bytes.span) })
        case .restore(let uris, let roots):
            return .restored(uris.map { restore($0, roots, in: can) })
        }
    }

    private static func restore(
        _ uri: String, _ roots: [[UInt8]], in can: TrashCan
    ) -> ActionOutcome {
        do throws(TrashError) {
            let path = try can.restore(uri, below: roots)
            return FileURI.text(ofPath: path.bytes.span).map { .moved(to: $0) } ?? .done
        } catch {
            return .failed(error.description)
        }
    }
}
