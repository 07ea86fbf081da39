internal import EventLoops
internal import SystemInterface

/// Whether the machine runs on a battery, for work that can wait. It is looked at when that is asked, on a thread, as
/// some machines ask their batteries for that; what was seen counts for a minute.
final class PowerWatch {
    static let time = Duration.seconds(60)

    private let loop: any EventLoop
    private let folder: RawPath
    private var answers: Mailbox<Bool>?
    private var delivery: (any LoopSource)?
    private var last: (isOnBattery: Bool, at: MonotonicInstant)?
    private var whenSeen: (() -> Void)?
    private(set) var isLooking = false
    private(set) var looks = 0

    init(in folder: String, on loop: any EventLoop) {
        self.folder = RawPath(folder)
        self.loop = loop
    }

    /// What was seen within the last minute; nil if nothing was.
    var isOnBattery: Bool? {
        guard let last, last.at.duration(to: loop.now) < Self.time else { return nil }
        return last.isOnBattery
    }

    /// When what was seen counts no more.
    var end: MonotonicInstant? { last.map { $0.at.advanced(by: Self.time) } }

    /// Looks, unless it is looking, and calls `whenSeen` later. If it can't look, the machine counts as on a battery.
    func look(_ whenSeen: @escaping () -> Void) {
        self.whenSeen = whenSeen
        if isLooking { return }
        isLooking = true
        looks += 1
        do throws(SystemError) {
            let answers = try openMailbox()
            try WorkerThread.start(isBackground: true) { [folder] in
                answers.post(PowerSupplies.isOnBattery(folder))
            }
        } catch {
            loop.enqueue { [weak self] in self?.take(true) }
        }
    }

    private func openMailbox() throws(SystemError) -> Mailbox<Bool> {
        if let answers { return answers }
        let new = try Mailbox<Bool>(limit: 4)
        delivery = try new.deliver(on: loop) { [unowned self] in take($0) }
        answers = new
        return new
    }

    private func take(_ isOnBattery: Bool) {
        isLooking = false
        last = (isOnBattery, loop.now)
        let told = whenSeen
        whenSeen = nil
        told?()
    }
}
