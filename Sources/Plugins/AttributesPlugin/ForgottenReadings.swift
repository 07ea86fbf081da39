internal import AttributeStorage
internal import DequeModule
internal import EventLoops

/// What the cache is to forget, until it has room for that. Meanwhile it is not asked about a reader of which it would know
/// what is to be forgotten.
final class ForgottenReadings {
    /// The most that wait; beyond, all of a reader is forgotten.
    static let most = 64
    static let retryTime = Duration.milliseconds(100)

    private var waiting = Deque<(extractor: Extractor, files: [FileVersion]?)>()
    private var timer: (any TimerSource)?
    private let loop: any EventLoop

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    func contains(_ extractor: Extractor) -> Bool {
        waiting.contains { $0.extractor == extractor }
    }

    /// Forgets files of a reader, or all, now or later: `forget` answers whether there was room.
    func add(
        _ extractor: Extractor, _ files: [FileVersion]?,
        _ forget: @escaping (Extractor, [FileVersion]?) -> Bool
    ) {
        if waiting.isEmpty, forget(extractor, files) { return }
        if files == nil || waiting.count >= Self.most {
            // This includes what was to be forgotten of it before.
            waiting.removeAll { $0.extractor == extractor }
            waiting.append((extractor, nil))
        } else if !waiting.contains(where: { $0.extractor == extractor && $0.files == nil }) {
            waiting.append((extractor, files))
        }
        retry(forget)
    }

    private func retry(_ forget: @escaping (Extractor, [FileVersion]?) -> Bool) {
        if timer != nil { return }
        timer = try? loop.schedule(after: Self.retryTime) { [weak self] in
            guard let self else { return }
            timer = nil
            while let first = waiting.first, forget(first.extractor, first.files) {
                waiting.removeFirst()
            }
            if !waiting.isEmpty { retry(forget) }
        }
    }

    func end() {
        timer = nil
        waiting = []
    }
}
