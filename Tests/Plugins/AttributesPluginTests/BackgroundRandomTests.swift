import EventLoops
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("Background reading, whatever happens meanwhile")
struct BackgroundRandomTests {
    /// What happens to documents and their reader, and what is true of them.
    private final class Script {
        let fixture: BackgroundFixture
        var random: SeededRandom
        private var keys: [String] = []
        /// How often the values of a document have changed while its file stayed.
        private var changes: [String: Int] = [:]
        /// What the reader will answer: what was true when the batch came.
        private var answers: [Int: ReadingOutcome] = [:]
        private var answered = 0
        private var added = 0
        private var use: AttributeUse?
        /// Documents that could not be read at some time.
        private(set) var delayed: Set<String> = []

        init(_ fixture: BackgroundFixture, seed: UInt64) {
            self.fixture = fixture
            random = SeededRandom(seed: seed)
            fixture.answer = nil
        }

        var base: ReadingFixture { fixture.base }

        func value(of key: String) -> Int64? {
            base.documents[key: key].map { Int64($0.size) * 1000 + Int64(changes[key] ?? 0) }
        }

        private func truth(_ batch: ReadingBatch) -> ReadingOutcome {
            .answers(
                batch.files.map { file in
                    guard let document = base.documents[key: file.key],
                        let value = value(of: file.key)
                    else { return .failed("it is gone") }
                    return .values(
                        ["a.width": .integer(value)], seen: ReadingFixture.seen(document))
                })
        }

        /// Notes what is true of batches that have come.
        private func look() {
            for (index, batch) in fixture.reader.batches.enumerated() where index >= answered {
                if answers[index] == nil { answers[index] = truth(batch) }
            }
        }

        func answerFirst() {
            look()
            guard !fixture.reader.waiting.isEmpty else { return }
            let outcome = answers[answered] ?? .refused("not seen")
            answered += 1
            fixture.reader.answer(0) { _ in outcome }
        }

        private func end() {
            guard !fixture.reader.waiting.isEmpty else { return }
            let isRefused = Int.random(in: 0..<2, using: &random) == 0
            answered += 1
            fixture.reader.answer(0) { batch in
                delayed.formUnion(batch.files.map(\.key))
                return isRefused ? .refused("by chance") : .ended(isFault: false)
            }
        }

        func step() throws {
            look()
            let key = keys.randomElement(using: &random)
            switch Int.random(in: 0..<16, using: &random) {
            case 0:
                keys += base.add(added..<added + 40)
                added += 40
            case 1: if let key { try base.write(key, size: .random(in: 1..<5000, using: &random)) }
            case 2: try remove(key)
            case 3: try change(key)
            case 4: use = use == nil ? try base.need() : nil
            case 5: fixture.reader.room = fixture.reader.room == 0 ? 2 : 0
            case 6:
                let isOn = Bool.random(using: &random)
                base.directory.readInBackground(isOn, base.offer)
            case 7: end()
            case 8...11: answerFirst()
            default: fixture.run(for: .milliseconds(.random(in: 1..<3000, using: &random)))
            }
        }

        private func remove(_ key: String?) throws {
            guard let key, keys.count > 20 else { return }
            keys.removeAll { $0 == key }
            base.documents.apply(removed: [try #require(base.documents[key: key])])
        }

        private func change(_ key: String?) throws {
            let some = Int.random(in: 0..<4, using: &random) == 0 ? nil : key.map { [$0] }
            for key in some ?? keys { changes[key, default: 0] += 1 }
            #expect(try base.change("g", some) == nil)
        }

        /// Lets all be read, until nothing is left.
        func finish() {
            use = nil
            fixture.reader.room = 2
            base.directory.readInBackground(true, base.offer)
            #expect(
                fixture.run {
                    while !fixture.reader.waiting.isEmpty { answerFirst() }
                    return fixture.isDone
                })
        }

        /// Lets somebody ask: he gets what is true, and the reader is asked about nothing.
        func check() throws {
            let count = fixture.asked.count
            let use = try base.need()
            #expect(
                fixture.run {
                    while !fixture.reader.waiting.isEmpty { answerFirst() }
                    return use.isSettled
                })
            for key in keys { #expect(try base.width(of: key) == value(of: key)) }
            #expect(Set(fixture.asked[count...]).isSubset(of: delayed))
        }
    }

    @Test(
        "In the end the cache has what is true of each document", arguments: 0..<12 as Range<UInt64>
    )
    func random(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let script = Script(try BackgroundFixture(in: folder), seed: seed)
        for _ in 0..<150 { try script.step() }
        script.finish()
        try script.check()
    }
}
