import ExactStatistics
import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite struct DocumentStatisticsTests {
    private let store = DocumentStore(epoch: "e")

    private func document(_ name: String, size: UInt64 = 0, at time: FileTime) -> Document {
        Document(key: store.mintKey(), root: "/r", path: FileName(name), size: size, modified: time)
    }

    private func meanTime(_ times: [FileTime]) -> FileTime? {
        DocumentStatistics(of: times.map { document("a", at: $0) }).meanTime
    }

    @Test("after each change, a running tally equals the statistics computed anew")
    func randomChanges() {
        withSeed { random in
            var tally = DocumentTally()
            var documents: [Document] = []
            for step in 0..<1_500 {
                var removed: [Document] = []
                var inserted: [Document] = []
                for _ in 0...Int.random(in: 0...3, using: &random) {
                    if let index = documents.indices.randomElement(using: &random),
                        random.chance(step / 200 % 2 == 0 ? 0.4 : 0.6)
                    {
                        removed.append(documents.remove(at: index))
                    } else {
                        let bits = UInt64.random(in: 0..<64, using: &random)
                        let new = document(
                            "n\(step)-\(inserted.count)",
                            size: UInt64.random(in: 0...UInt64.max >> bits, using: &random),
                            at: FileTime(
                                seconds: Int64.random(
                                    in: Int64.min >> bits...Int64.max >> bits, using: &random),
                                nanoseconds: UInt32.random(in: 0..<1_000_000_000, using: &random)))
                        inserted.append(new)
                    }
                }
                for document in removed { tally.remove(document) }
                for document in inserted { tally.add(document) }
                documents += inserted
                let seed = Comment(rawValue: "seed \(random.seed), step \(step)")
                #expect(tally.summary == DocumentStatistics(of: documents), seed)
            }
        }
    }

    @Test("a tally of rows equals one of their documents")
    func rows() throws {
        withSeed { random in
            store.apply(
                inserted: (0..<200).map { number in
                    document(
                        "n\(number)", size: random.next(),
                        at: FileTime(
                            seconds: Int64.random(in: Int64.min...Int64.max, using: &random),
                            nanoseconds: UInt32.random(in: 0..<1_000_000_000, using: &random)))
                })
            var tally = DocumentTally()
            let rows = store.listed.value
            for row in rows { tally.add(RowSubject(row: row, table: store.table)) }
            #expect(tally.summary == DocumentStatistics(of: store.documents))
            let gone = Set(rows.shuffled(using: &random).prefix(120))
            for row in gone { tally.remove(RowSubject(row: row, table: store.table)) }
            let left = rows.subtracting(gone).map { store.table.document(of: $0) }
            #expect(tally.summary == DocumentStatistics(of: left), "seed \(random.seed)")
        }
    }

    @Test("a mean time is exact to the nanosecond: before 1970, across a second, far from today")
    func times() {
        #expect(meanTime([]) == nil)
        let late = FileTime(seconds: 1_763_690_101, nanoseconds: 999_999_999)
        #expect(meanTime([late, late, late]) == late)
        #expect(
            meanTime([late, FileTime(seconds: 1_763_690_102, nanoseconds: 1)])
                == FileTime(seconds: 1_763_690_102, nanoseconds: 0))
        // Half nanoseconds are rounded to even.
        func nanoseconds(_ first: UInt32, _ second: UInt32) -> UInt32? {
            meanTime([
                FileTime(seconds: 0, nanoseconds: first), FileTime(seconds: 0, nanoseconds: second),
            ])?.nanoseconds
        }
        #expect(nanoseconds(0, 1) == 0 && nanoseconds(1, 2) == 2 && nanoseconds(2, 3) == 2)
        #expect(
            meanTime([FileTime(seconds: -1), FileTime(seconds: 0)])
                == FileTime(seconds: -1, nanoseconds: 500_000_000))
        #expect(
            meanTime([FileTime(seconds: -3), FileTime(seconds: -2), FileTime(seconds: -2)])
                == FileTime(seconds: -3, nanoseconds: 666_666_667))
        let ends = [FileTime(seconds: .max), FileTime(seconds: .max), FileTime(seconds: .min)]
        #expect(
            meanTime(ends)
                == FileTime(seconds: 3_074_457_345_618_258_602, nanoseconds: 0))
        #expect(meanTime([FileTime(seconds: .max), FileTime(seconds: .max)]) == ends[0])
    }

    @Test("sums of sizes beyond 64 bits are exact")
    func sizes() {
        let statistics = DocumentStatistics(
            of: [.max, .max, 2].map { document("a", size: $0, at: FileTime(seconds: 0)) })
        #expect(String(statistics.sizes.sum.wide) == "36893488147419103232")
        #expect(statistics.sizes.mean.rounded == 12_297_829_382_473_034_411)
        #expect(statistics.count == 3)
    }
}
