internal import StateFolder
internal import Synchronization
internal import SystemInterface

/// Reads the frames of a file on a thread, some before they are asked for: while one is used, the next are read, their
/// sums are compared, and their records are read.
final class ReadAhead<Records: Sendable>: Sendable {
    enum Step: Sendable {
        case header(FileHeader)
        /// Nil for what can't be used.
        case records(Records?)
        /// A snapshot ends here.
        case mark
        /// Without records, if the batch has none.
        case batch(Numbers, Records?, isUsable: Bool)
        /// The file ends here, or what comes is no frame.
        case end(validEnd: Int, isWhole: Bool)
        case failed(SystemError)
    }

    private let steps: Mailbox<Step>
    private let room: Mailbox<Bool>

    /// Steps that wait. The one who asks for them begins late, after he has made room for the documents.
    private static var most: Int { 64 }

    init(
        _ file: any StorageFile, decode: @escaping @Sendable (ArraySlice<UInt8>) -> Records?
    ) throws(SystemError) {
        steps = try Mailbox(limit: Self.most + 1)
        room = try Mailbox(limit: Self.most + 1)
        for _ in 0..<Self.most { room.post(true) }
        try WorkerThread.start { [steps, room] in Self.run(file, decode, steps, room) }
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
        _ file: any StorageFile, _ decode: (ArraySlice<UInt8>) -> Records?, _ steps: Mailbox<Step>,
        _ room: Mailbox<Bool>
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
                switch frame {
                case .header(let header): steps.post(.header(header))
                case .records(let records): steps.post(.records(decode(records)))
                case .end: steps.post(.mark)
                case .batch(let numbers, let records):
                    let read = records.isEmpty ? nil : decode(records)
                    steps.post(
                        .batch(numbers, read, isUsable: read != nil || records.isEmpty))
                }
            }
        } catch {
            steps.post(.failed(error))
        }
    }
}
