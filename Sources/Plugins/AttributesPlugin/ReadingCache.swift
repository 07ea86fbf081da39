internal import AttributeStorage
internal import EventLoops
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import SystemInterface

/// The cache of what was read, as it is asked on the loop. It is opened when it is needed for the first time.
final class ReadingCache {
    private let context: PluginContext
    private var cache: AttributeCache?
    private var answers: Mailbox<AttributeCache.Answer>?
    private var delivery: (any LoopSource)?
    private var questions: [Int: (FoundReadings) -> Void] = [:]
    private var lastQuestion = 0
    private let forgotten: ForgottenReadings
    /// It can't be opened, or can't be used any more.
    private var isGivenUp = false
    /// Called when what it knew is lost.
    var whenLost: () -> Void = {}

    init(in context: PluginContext) {
        self.context = context
        forgotten = ForgottenReadings(on: context.loop)
    }

    /// Whether what is read can be kept, as far as that is known.
    var isUsable: Bool {
        open()
        return cache != nil && !isGivenUp
    }

    /// Asks for values of some attributes. It answers later.
    /// - Returns: false if it can't be asked now, or at all; then `answer` is not called.
    func ask(
        _ extractor: Extractor, _ files: [FileVersion],
        _ attributes: [(name: String, kind: Attribute.Kind)],
        _ answer: @escaping (FoundReadings) -> Void
    ) -> Bool {
        open()
        lastQuestion += 1
        guard let cache, !forgotten.contains(extractor),
            cache.find(question: lastQuestion, extractor, files, attributes, today: today)
        else { return false }
        questions[lastQuestion] = answer
        return true
    }

    /// Asks for values of some attributes. It answers later, that it knows nothing if it can't be asked.
    func find(
        _ extractor: Extractor, _ files: [FileVersion],
        _ attributes: [(name: String, kind: Attribute.Kind)],
        _ answer: @escaping (FoundReadings) -> Void
    ) {
        if ask(extractor, files, attributes, answer) { return }
        let nothing = FoundReadings(files: files.count, attributes: attributes.count)
        context.loop.enqueue { answer(nothing) }
    }

    /// Keeps what was read.
    /// - Returns: false if there is no cache, or no room for what waits for it: then it is not kept.
    @discardableResult
    func put(
        _ extractor: Extractor, _ readings: [(file: FileVersion, reading: CachedReading)]
    ) -> Bool {
        if readings.isEmpty { return true }
        return cache?.put(extractor, readings, today: today) ?? false
    }

    /// Forgets what was read of files, or all values of a reader.
    func forget(_ extractor: Extractor, _ files: [FileVersion]?) {
        open()
        if cache == nil { return }
        forgotten.add(extractor, files) { [weak self] extractor, files in
            self?.cache?.forget(extractor, files) ?? true
        }
    }

    func end() {
        forgotten.end()
        cache?.finish(within: 500)
        cache = nil
        questions = [:]
        isGivenUp = true
    }

    /// In days since 1970.
    private var today: Int64 { Int64(context.loop.wallSeconds) / 86_400 }

    private func open() {
        guard cache == nil, !isGivenUp, let folder = context.settings.cacheFolder else { return }
        do throws(SystemError) {
            let answers = try Mailbox<AttributeCache.Answer>(limit: 256)
            delivery = try answers.deliver(on: context.loop) { [unowned self] in take($0) }
            self.answers = answers
            do throws(StorageError) {
                cache = try AttributeCache(at: folder + "/pickerd") { answers.post($0) }
            } catch {
                give(up: "\(error)")
            }
        } catch {
            give(up: "\(error)")
        }
    }

    private func give(up reason: String) {
        isGivenUp = true
        context.report(
            .warning, "attributes are not cached: \(reason)",
            fields: ["PICKERD_EVENT": "attribute-cache"])
    }

    private func take(_ answer: AttributeCache.Answer) {
        switch answer {
        case .found(let question, let readings):
            questions.removeValue(forKey: question)?(readings)
        case .fault(let message, let isOver):
            if isOver { isGivenUp = true }
            context.report(.warning, message, fields: ["PICKERD_EVENT": "attribute-cache"])
            whenLost()
        }
    }
}
