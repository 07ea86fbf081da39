import EventLoops
import Observables
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("Values that sources give")
struct SourcedAttributesTests {
    /// A store with a source of items `0`, `1` …, of which each second one has a width.
    private final class Bench {
        let fixture: ReadingFixture
        let collection: SourcedCollection
        let range = DocumentRange(.listed, of: CollectionSet(["p:s"]))

        init(_ count: Int) throws {
            fixture = try ReadingFixture()
            collection = fixture.documents.sources.add("p:s", title: "S")
            try put(0..<count)
        }

        func put(_ numbers: Range<Int>) throws {
            try fixture.documents.sources.edit(
                collection,
                putting: numbers.map { number in
                    SourcedItem(
                        id: "\(number)", name: "n\(number)", uri: "x:\(number)",
                        values: number % 2 == 0 ? ["a.width": .integer(Int64(number))] : [:])
                })
        }

        func use(_ names: [String], in range: DocumentRange? = nil) throws -> AttributeUse {
            let attributes = try names.map {
                try #require(fixture.directory.attribute(named: $0))
            }
            return try fixture.directory.use(
                AttributeWish(
                    shown: [], needed: Set(attributes), query: DocumentQuery(),
                    range: range ?? self.range))
        }

        /// The values of an attribute that are known, by name.
        func values(_ name: String = "a.width") throws -> [String: AttributeValue] {
            let attribute = try #require(fixture.directory.attribute(named: name))
            let documents = fixture.documents.documents.compactMap { document in
                document.attributes[attribute].map { (document.name.text, $0) }
            }
            return Dictionary(uniqueKeysWithValues: documents)
        }

        static func expected(_ numbers: Range<Int>) -> [String: AttributeValue] {
            Dictionary(
                uniqueKeysWithValues: numbers.filter { $0 % 2 == 0 }.map {
                    ("n\($0)", .integer(Int64($0)))
                })
        }
    }

    @Test("When a column begins, the items are given their values in slices, and nothing is read")
    func slices() throws {
        let bench = try Bench(1000)
        let loop = bench.fixture.loop
        loop.turn()
        let use = try bench.use(["a.width"])
        #expect(try bench.values().isEmpty)
        var (known, most) = (0, 0)
        while loop.runOne() {
            let now = try bench.values().count
            most = max(most, now - known)
            known = now
        }
        #expect(try bench.values() == Bench.expected(0..<1000))
        #expect(most <= SourcedAttributes.mostAtOnce && most > 0)
        #expect(use.isSettled && use.pending?.values.allSatisfy { $0 == 0 } == true)
        #expect(try bench.fixture.reader.batches.isEmpty)
        bench.fixture.documents.checkInvariants()
    }

    @Test("Until all are given, those who need them wait, and items that come have theirs at once")
    func waits() throws {
        let bench = try Bench(1000)
        let loop = bench.fixture.loop
        let width = try bench.fixture.width
        loop.turn()
        bench.fixture.documents.hold.begin()
        let use = try bench.use(["a.width"])
        loop.advance(by: .seconds(1))
        #expect(!use.isSettled && use.pending?[width] == 1000)
        // Those who need nothing of the source do not wait for it.
        let other = try bench.use(["a.width"], in: .listed)
        loop.advance(by: .seconds(1))
        #expect(other.isSettled)
        bench.fixture.documents.hold.end()
        #expect(loop.runOne())
        try bench.put(1000..<1002)
        #expect(try bench.values()["n1000"] == .integer(1000))
        loop.advance(by: .seconds(1))
        #expect(use.isSettled && use.pending == [width: 0])
        #expect(try bench.values() == Bench.expected(0..<1002))
        #expect(try bench.fixture.listed() == ["known": 501, "pending": 0, "failed": 0])
    }

    @Test(
        "A change of an item changes its values, and one that has none any more is known to have none"
    )
    func changes() throws {
        let bench = try Bench(4)
        let use = try bench.use(["a.width"])
        bench.fixture.loop.turn()
        let sources = bench.fixture.documents.sources
        try sources.edit(
            bench.collection,
            putting: [
                SourcedItem(id: "0", name: "n0"),
                SourcedItem(id: "1", name: "n1", values: ["a.width": .integer(7)]),
                SourcedItem(id: "2", name: "n2", values: ["a.width": .text("wide")]),
            ])
        #expect(try bench.values() == ["n1": .integer(7)])
        bench.fixture.loop.advance(by: .seconds(1))
        #expect(use.isSettled && use.pending?.values.allSatisfy { $0 == 0 } == true)
        #expect(try bench.fixture.reader.batches.isEmpty)
    }

    @Test("A list of documents and items has those read, and these given")
    func mixed() throws {
        let bench = try Bench(100)
        let keys = bench.fixture.add(5000..<5010, "f")
        let use = try bench.use(
            ["a.width"], in: DocumentRange(.listed, of: CollectionSet(["documents", "p:s"])))
        try bench.fixture.readAll()
        #expect(try Set(bench.fixture.reader.keys.joined()) == Set(keys))
        var expected = Bench.expected(0..<100)
        for number in 5000..<5010 { expected["f\(number).jpg"] = .integer(Int64(number)) }
        #expect(try bench.values() == expected && use.isSettled)
    }

    @Test("The URI is an attribute, unless it is longer than a text may be")
    func uris() throws {
        let bench = try Bench(3)
        let long = "x:" + String(repeating: "u", count: AttributeValue.longestText)
        let longest = String(long.dropLast(2))
        try bench.fixture.documents.sources.edit(
            bench.collection,
            putting: [
                SourcedItem(id: "l", name: "long", uri: long),
                SourcedItem(id: "m", name: "longest", uri: longest),
                SourcedItem(id: "o", name: "none"),
            ])
        bench.fixture.add(0..<1)
        let use = try bench.use(["uri"])
        bench.fixture.loop.turn()
        let texts: [String: AttributeValue] = [
            "n0": .text("x:0"), "n1": .text("x:1"), "n2": .text("x:2"), "longest": .text(longest),
        ]
        #expect(try bench.values("uri") == texts && use.isSettled)
    }

    @Test("A column that ended and begins again has the values that the items have by then")
    func again() throws {
        let bench = try Bench(10)
        var use: AttributeUse? = try bench.use(["a.width"])
        bench.fixture.loop.turn()
        #expect(use?.isSettled == true)
        use = nil
        bench.fixture.loop.advance(by: .seconds(120))
        #expect(bench.fixture.directory.columns.isEmpty)
        try bench.put(10..<20)
        use = try bench.use(["a.width"])
        bench.fixture.loop.turn()
        #expect(try bench.values() == Bench.expected(0..<20))
        // One that is withdrawn meanwhile has nobody who waits for it.
        bench.fixture.documents.sources.withdraw(bench.collection)
        bench.fixture.loop.advance(by: .seconds(1))
        #expect(use?.isSettled == true)
    }
}
