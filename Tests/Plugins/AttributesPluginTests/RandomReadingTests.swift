import EventLoops
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

/// Edits, answers, ends, uses and offers in any order. Debug builds check after each step that no document is forgotten.
@Suite("Readings at random")
struct RandomReadingTests {
    fileprivate final class Script {
        let fixture: ReadingFixture
        var uses: [(use: AttributeUse, viewer: ReadingFixture.Viewer)] = []
        var poison: Set<String> = []
        var random: SeededRandom
        var version = 1

        init(_ random: SeededRandom) throws {
            self.random = random
            fixture = try ReadingFixture(
                condition: DocumentFilter(.suffix([Array("jpg".utf8)])))
        }

        private func chosen() -> Document? {
            fixture.documents.documents.sorted { $0.key < $1.key }.randomElement(using: &random)
        }

        private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        func step() throws {
            switch number(0..<20) {
            case 0, 1:
                let first = fixture.documents.count + number(0..<3)
                let suffix = random.chance(0.8) ? "jpg" : "txt"
                let keys = fixture.add(
                    first..<(first + number(1..<120)), "n\(number(0..<1_000_000))-", suffix)
                for key in keys where random.chance(0.01) { poison.insert(key) }
            case 2: if let old = chosen() { fixture.documents.apply(removed: [old]) }
            case 3, 4: if let old = chosen() { try fixture.write(old.key, size: old.size + 1) }
            case 5:
                guard let old = chosen() else { break }
                let suffix = random.chance(0.7) ? "jpg" : "txt"
                let path = FileName("m\(number(0..<1_000_000_000)).\(suffix)")
                fixture.documents.apply(inserted: [old.with(root: "/r", path: path)])
            case 6:
                guard let old = chosen() else { break }
                fixture.documents.apply(inserted: [old.with(isLiked: !old.isLiked)])
            case 7: try addUse()
            case 8: if !uses.isEmpty { uses.remove(at: number(0..<uses.count)) }
            case 9: look()
            case 10:
                guard random.chance(0.3) else { break }
                version += 1
                fixture.replaceOffer(
                    by: ReadingFixture.offer(
                        version: "\(version)", condition: fixture.offer.condition))
            case 11: fixture.loop.advance(by: .milliseconds(number(0..<7000)))
            default: try answer()
            }
            if random.chance(0.7) { fixture.loop.turn() }
        }

        private func addUse() throws {
            let query = DocumentQuery(
                filter: random.chance(0.5)
                    ? nil : DocumentFilter(.size(.less, UInt64(number(0..<300)))))
            let names = ReadingFixture.names.map(\.name).filter { _ in random.chance(0.6) }
            let use =
                random.chance(0.7)
                ? try fixture.use(needed: names, query) : try fixture.use(shown: names)
            uses.append((use, ReadingFixture.Viewer()))
        }

        private func look() {
            guard let (use, viewer) = uses.randomElement(using: &random) else { return }
            let keys = fixture.documents.documents.map(\.key).sorted()
            guard !keys.isEmpty else { return }
            let start = number(0..<keys.count)
            fixture.show(Array(keys[start...].prefix(number(1..<90))), to: viewer, of: use)
        }

        func answer(isKind: Bool = false) throws {
            let reader = try fixture.reader
            guard let work = reader.waiting.first else { return }
            if !poison.isDisjoint(with: work.keys) { return try fall(isFault: true) }
            if isKind { return reader.answer(0, fixture.honest) }
            switch number(0..<12) {
            case 0: try fall(isFault: false)
            case 1: reader.answer(0) { _ in .refused("as told") }
            case 2:
                reader.answer(0) { batch in
                    .answers(
                        batch.files.map { file in
                            switch number(0..<4) {
                            case 0: .later
                            case 1: .values(["a.width": .integer(-1)], seen: nil)
                            default: fixture.honest(file.key)
                            }
                        })
                }
            default:
                // Out of order.
                let place = number(0..<reader.begunCount)
                let isSafe = poison.isDisjoint(with: reader.waiting[place].keys)
                reader.answer(isSafe ? place : 0, fixture.honest)
            }
        }

        private func fall(isFault: Bool) throws {
            let reader = try fixture.reader
            reader.room = 0
            reader.fall(isFault: isFault)
            fixture.loop.turn()
            reader.room = 2
        }

        /// Answers all until nothing is to be read.
        func finish() throws {
            let reader = try fixture.reader
            for _ in 0..<20_000 {
                fixture.loop.turn()
                if !reader.waiting.isEmpty {
                    try answer(isKind: true)
                } else if uses.allSatisfy({ $0.use.isSettled || $0.use.wish.needed.isEmpty }) {
                    return fixture.loop.advance(by: .seconds(6))
                } else {
                    fixture.loop.advance(by: .milliseconds(100))
                }
            }
            Issue.record("documents are left unread")
        }

        /// What is known is what the files say, of all that somebody needs.
        func check() throws {
            let width = try fixture.width
            let needed = uses.map(\.use.wish).filter { $0.needed.contains(width) }
            for document in fixture.documents.documents {
                let value = document.attributes[width]
                let isNeeded =
                    document.name.text.hasSuffix("jpg")
                    && needed.contains { $0.query.matches(document) }
                let isPoison = poison.contains(document.key)
                if isNeeded, !isPoison {
                    #expect(value == .integer(Int64(document.size)), "\(document)")
                }
                if isPoison { #expect(value == nil) }
                // Of what nobody needs, a new version of the reader knows not that it has changed.
                if let value, version == 1 {
                    #expect(value == .integer(Int64(document.size)), "\(document)")
                }
            }
            let pending = try fixture.listed()["pending"]
            #expect(pending == 0)
        }
    }

    @Test("After any script all that is needed is known, and true", .timeLimit(.minutes(2)))
    func script() throws {
        try withSeed { random in
            for _ in 0..<testRounds(8) {
                let script = try Script(SeededRandom(seed: random.next()))
                for _ in 0..<250 { try script.step() }
                try script.addNeed()
                try script.finish()
                try script.check()
                script.fixture.stop()
            }
        }
    }
}

extension RandomReadingTests.Script {
    /// Somebody needs the widths of all, so that there is something to be true.
    fileprivate func addNeed() throws {
        uses.append((try fixture.need(), ReadingFixture.Viewer()))
    }
}
