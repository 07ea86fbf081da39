internal import StateFolder
internal import Synchronization
internal import SystemInterface

/// Reads the frames of a file on a thread, a few before they are asked for: while one is used, the next are read and their
/// sums are compared.
final class ReadAhead: Sendable {
    enum Step: Sendable {
        case frame(Frame)
        /// The file ends here, or what comes is no frame.
        case end(validEnd: Int, isWhole: Bool)
        case failed(SystemError)
    }

    private static let most = 8

    private let steps: Mailbox<Step>
    private let room: Mailbox<Bool>

    init(_ file: any StorageFile) throws(SystemError) {
        steps = try Mailbox(limit: Self.most + 1)
        room = try Mailbox(limit: Self.most + 1)
        for _ in 0..<Self.most { room.post(true) }
        try WorkerThread.start { [steps, room] in Self.run(file, steps, room) }
    }

    /// Lets the thread end.
    deinit { room.post(false) }

    /// The next step. Nothing comes behind an end or a failure.
    func next() -> Step {
        while true {
            guard let step = steps.next(within: nil) else { continue }
            room.post(true)
            return step
        }
    }

    private static func run(
        _ file: any StorageFile, _ steps: Mailbox<Step>, _ room: Mailbox<Bool>
    ) {
        do throws(SystemError) {
            var reader = try FrameReader(file)
            while true {
                guard let isWanted = room.next(within: nil) else { continue }
                guard isWanted else { return }
                guard let frame = try reader.next() else {
                    steps.post(.end(validEnd: reader.validEnd, isWhole: reader.isAtEnd))
                    return
                }
                steps.post(.frame(frame))
            }
        } catch {
            steps.post(.failed(error))
        }
    }
}
