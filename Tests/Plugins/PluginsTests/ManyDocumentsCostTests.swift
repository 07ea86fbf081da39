// What lists of 20,000 documents cost: counted in steps, comparisons and lines, which no load of the machine alters.
// `contrib/benchmarks/million` has the times, for a million.

import JSONText
import ListRequests
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import ItemsPlugin

@Suite struct ManyDocumentsCostTests {
    private static let count = 20_000

    /// The most that is right for each document, with some room above what is counted here.
    private enum Most {
        /// Sorting takes 4 steps to read a document, 4 for its numbers, 8 in a run of 64, one in each of 9 merges of
        /// runs, and one more to take it over: 26, if the numbers differ.
        static let sorting = 40
        /// A selection of the first rows takes a comparison for each document, and few more.
        static let selecting = 2
        /// A search takes 5 steps to read a document and to note the answer, 2, and one for each 8 bytes of its name:
        /// 8 for the names here.
        static let searching = 12
        /// Comparisons: 17 to find the place among 24,000, in chunks; 6 merges to sort 4,000 that come at once, and
        /// 16 for each in the runs of 63 before, which are sorted by insertion. That is 39; to sort all for each of
        /// these would be 126.
        static let placing = 60
        /// Comparisons to sort 24,000: 9 merges, and 12 in the runs of 47 before.
        static let sortingAgain = 32
    }

    /// 20,000 documents, and a client that has read all of what it was sent.
    private final class Scene {
        /// A slice ends with the first step beyond. So the slices of some work are at most its steps by this, and one
        /// more for each list that waits for some.
        static let sliceSteps = 10_000
        private static let words = [
            "report", "budget", "tax", "photo", "letter", "notes", "plan", "travel",
        ]

        let fixture: ListFixture
        private let surveys: SurveyQueue
        private(set) var copies: [RequestID: ListCopy] = [:]
        private var gen = 0

        init() throws {
            var limits = SurveyLimits()
            limits.slice = Self.sliceSteps
            limits.stepsPerClockCheck = Self.sliceSteps
            let fixture = try ListFixture(limits: limits)
            self.fixture = fixture
            surveys = try #require(fixture.plugin.builder?.surveys)
            fixture.documents.apply(
                inserted: (0..<ManyDocumentsCostTests.count).map { Self.document($0, in: fixture) })
        }

        /// No two have the same name, size or time.
        static func document(_ number: Int, in fixture: ListFixture) -> Document {
            fixture.makeDocument(
                "\(words[number % words.count]) \(number).md", size: UInt64(number),
                seconds: Int64(number))
        }

        /// The steps of `work` and of all that follows from it, in whole slices. Ends when nothing is left to do or to
        /// read.
        func steps(_ work: () throws -> Void) throws -> Int {
            let before = surveys.slices
            try SelfChecks.$areMade.withValue(false) {
                try work()
                repeat {
                    fixture.loop.turn()
                    for line in fixture.session.read() {
                        let sub = line["params"]?["sub"]
                        let id = try #require(copies.keys.first(where: { $0.value == sub }))
                        try copies[id]?.take(line)
                    }
                } while !fixture.loop.isIdle || fixture.session.hasWork
            }
            for copy in copies.values { #expect(copy.isComplete && copy.isWhole) }
            return (surveys.slices - before) * Self.sliceSteps
        }

        func open(_ id: RequestID, _ query: JSONObject = [:]) throws {
            copies[id] = ListCopy(sub: id)
            var params = query
            params["window"] = ["count": 50]
            _ = try fixture.session.call("items.open", .object(params), id: id).get()
        }

        func update(_ id: RequestID, _ query: JSONObject) throws {
            gen += 1
            var params = query
            params["sub"] = id.value
            params["gen"] = JSONValue(gen)
            _ = try fixture.session.call("items.update", .object(params)).get()
        }

        /// Compares a list with the reference function.
        func check(_ id: RequestID, sort: SortOrder = .name, search: String? = nil) throws {
            let copy = try #require(copies[id])
            let expected = try ExpectedList(
                of: fixture.documents, sort: sort, search: search,
                window: ListWindow(start: 0, count: 50), fields: .all)
            #expect(copy.rows == expected.rows && copy.total == expected.total)
        }
    }

    /// Steps for each document, and a slice that is not used up for each list.
    private static func steps(_ each: Int, lists: Int = 1) -> Int {
        each * count + lists * Scene.sliceSteps
    }

    @Test("the first list is sorted in slices, and another of the same order takes none")
    func firstList() throws {
        let scene = try Scene()
        let first = try scene.steps { try scene.open(1) }
        #expect(first >= Self.count, "a sort reads each document")
        #expect(first <= Self.steps(Most.sorting))
        let other = try scene.steps { try scene.open(2) }
        #expect(other == 0)
        #expect(scene.copies[2]?.rows == scene.copies[1]?.rows)
        try scene.check(1)
    }

    @Test("an order never asked for is sorted once, and nothing is sorted on the way back")
    func orders() throws {
        let scene = try Scene()
        _ = try scene.steps { try scene.open(1) }
        for sort in ["-modified", "size"] {
            let new = try scene.steps { try scene.update(1, ["sort": [.string(sort)]]) }
            #expect(new <= Self.steps(Most.sorting), "\(sort)")
        }
        for sort in ["name", "-modified", "size", "name"] {
            let again = try scene.steps { try scene.update(1, ["sort": [.string(sort)]]) }
            #expect(again == 0, "\(sort)")
        }
        try scene.check(1)
    }

    @Test("a letter looks at each document once at most, a next letter at those found only")
    func letters() throws {
        let scene = try Scene()
        _ = try scene.steps { try scene.open(1) }
        func typed(_ text: String) throws -> Int {
            try scene.steps { try scene.update(1, ["search": .string(text)]) }
        }
        #expect(try typed("r") <= Self.steps(Most.searching))
        // Those found are so few that they are asked at once.
        #expect(try typed("re") == 0)
        #expect(try typed("rep") == 0)
        try scene.check(1, search: "rep")
        #expect(try typed("re") <= Self.steps(Most.searching))
        #expect(try typed("") == 0)
        try scene.check(1)
    }

    @Test("of letters that follow at once, only the last is searched for")
    func overtaken() throws {
        let scene = try Scene()
        _ = try scene.steps { try scene.open(1) }
        let all = try scene.steps {
            for text in ["b", "bu", "bud", "budg", "budge", "budget"] {
                try scene.update(1, ["search": .string(text)])
            }
        }
        #expect(all <= Self.steps(Most.searching))
        try scene.check(1, search: "budget")
    }

    @Test("the same rows asked for once more need no search")
    func again() throws {
        let scene = try Scene()
        func get() throws -> Int {
            let later = scene.fixture.session.begin("items.get", ["search": "tax"])
            let steps = try scene.steps {}
            let answer = try #require(later.value).get()
            #expect(answer["total"] == JSONValue(Self.count / 8))
            return steps
        }
        #expect(try get() <= Self.steps(Most.sorting + Most.searching))
        #expect(try get() == 0)
    }

    @Test("twenty lists of four orders sort each order once")
    func manyLists() throws {
        let scene = try Scene()
        let sorts = ["name", "-name", "-modified", "size"]
        let searches = ["re", "a", "1", "budget", "zzz"]
        let all = try scene.steps {
            for index in 0..<20 {
                try scene.open(
                    .integer(Int64(index)),
                    ["sort": [.string(sorts[index % 4])], "search": .string(searches[index % 5])])
            }
        }
        #expect(
            all
                <= Self.steps(
                    sorts.count * Most.sorting + 20 * Most.searching, lists: 20))
        for index in [2, 19] {
            try scene.check(
                .integer(Int64(index)), sort: SortOrder(keys: [sorts[index % 4]]),
                search: searches[index % 5])
        }
    }

    @Test(
        "5,000 documents that come, move or go at once reach each list in one line, by orders made again"
    )
    func bulk() throws {
        let scene = try Scene()
        let sorts = ["name", "-modified", "size", "path"]
        _ = try scene.steps {
            for (index, sort) in sorts.enumerated() {
                try scene.open(.integer(Int64(index)), ["sort": [.string(sort)]])
            }
        }
        let documents = scene.fixture.documents
        let made = (Self.count..<Self.count + 5000).map {
            Scene.document($0, in: scene.fixture)
        }
        let moved = made.map {
            $0.with(root: "/r", path: FileName("folder/0 " + $0.path.text))
        }
        // Those that arrive are sorted, and merged with the others, which are not sorted again. The first rows are
        // selected before.
        let merging = (3 + Most.selecting) * (Self.count + 5000)
        let arriving = merging + 5000 * Most.sorting
        let changes: [(most: Int, change: () -> Void)] = [
            (arriving, { documents.apply(inserted: made) }),
            (arriving, { documents.apply(inserted: moved) }),
            (merging, { documents.apply(removed: moved) }),
        ]
        for (most, change) in changes {
            let before = scene.fixture.session.lineCount
            let steps = try scene.steps(change)
            // Twice the end of the change is waited for, in slices of which little is used.
            let waiting = 2 * 16 * Scene.sliceSteps
            #expect((1...sorts.count * most + waiting).contains(steps), "\(steps) steps")
            #expect(scene.fixture.session.lineCount - before <= sorts.count)
            for copy in scene.copies.values { #expect(copy.total == documents.count + 1) }
            try scene.check(0)
        }
    }

    @Test("4,000 documents that come or go are placed by binary search, not by a sort of all")
    func comparisons() throws {
        var comparisons = 0
        let scene = try Scene()
        let documents = scene.fixture.documents
        let table = documents.table
        // As the orders of lists do.
        let sorted = documents.listed.sorted { left, right in
            comparisons += 1
            return table.compare(left, right, by: .name) < 0
        }
        let connection = sorted.extents.connect { _ in }
        defer { connection.disconnect() }
        while ObservableScheduler.current.performDeferredWork(budget: 10_000) {}
        #expect(sorted.isSorted)
        let made = (Self.count..<Self.count + 4000).map {
            Scene.document($0, in: scene.fixture)
        }
        let moved = made.map {
            $0.with(root: "/r", path: FileName("folder/0 " + $0.path.text))
        }
        func cost(_ change: () -> Void) -> Int {
            let before = comparisons
            SelfChecks.$areMade.withValue(false) { change() }
            return comparisons - before
        }
        #expect(cost { documents.apply(inserted: made) } <= Most.placing * made.count)
        #expect(sorted.count == Self.count + made.count)
        // One document that leaves and one that comes for each: more than a quarter of all, which are sorted anew.
        #expect(
            cost { documents.apply(inserted: moved) }
                <= Most.sortingAgain * (Self.count + made.count))
        #expect(cost { documents.apply(removed: moved) } <= Most.placing * made.count)
        #expect(sorted.count == Self.count)
    }
}
