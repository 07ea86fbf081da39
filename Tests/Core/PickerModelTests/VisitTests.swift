import Foundation
import Observables
import PickerModel
import Testing

@Suite struct VisitTests {
    private static let day = 86_400.0
    private static let now = 1_763_690_000.0

    private func document(_ path: String, inode: UInt64, key: String? = nil) -> Document {
        Document(
            key: key ?? path, root: "/r", path: FileName(path), size: 1,
            modified: FileTime(seconds: 1), inode: inode)
    }

    @Test("A visit counts 1, and half of it 14 days later")
    func halfLife() {
        let once = VisitScore(visitedAt: Self.now)
        #expect(once.count(at: Self.now) == 1)
        #expect(once.count(at: Self.now + 14 * Self.day) == 0.5)
        #expect(once.count(at: Self.now + 42 * Self.day) == 0.125)
        let twice = VisitScore(visitedAt: Self.now, after: once)
        #expect(twice.count(at: Self.now) == 2)
        #expect(twice.seconds == Self.now + 14 * Self.day)
    }

    @Test("The number of many visits is the sum of all, each halved by its age, and orders by it")
    func sums() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        for _ in 0..<200 {
            var results: [(sum: Double, score: VisitScore)] = []
            for _ in 0..<2 {
                let times = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                    Self.now - Double.random(in: 0...400, using: &random) * Self.day
                }.sorted()
                var score: VisitScore?
                for time in times { score = VisitScore(visitedAt: time, after: score) }
                let sum = times.reduce(0) {
                    $0 + pow(0.5, (Self.now - $1) / VisitScore.halfLife)
                }
                guard let score else { continue }
                #expect(abs(score.count(at: Self.now) / sum - 1) < 1e-6, "seed \(seed)")
                results.append((sum, score))
            }
            if abs(results[0].sum / results[1].sum - 1) < 1e-5 { continue }
            #expect(
                (results[0].sum < results[1].sum) == (results[0].score < results[1].score),
                "seed \(seed)")
        }
    }

    @Test(
        "A clock that is set to anything makes a score that can be stored",
        arguments: [
            0, -1e300, 1e300, .infinity, -.infinity, .nan, 4e12,
        ])
    func clocks(_ strange: Double) {
        for (first, then) in [(strange, Self.now), (Self.now, strange), (strange, strange)] {
            let score = VisitScore(visitedAt: then, after: VisitScore(visitedAt: first))
            #expect(VisitScore(milliseconds: score.milliseconds) == score)
        }
        #expect(VisitScore(milliseconds: .max) == nil && VisitScore(milliseconds: .min) == nil)
    }

    @Test("A visit changes no document and no revision, and its observers are told the key")
    func observed() {
        var marked = MarkedStore()
        marked.documents.marks.settle()
        marked.documents.apply(inserted: [document("a", inode: 1), document("b", inode: 2)])
        let rev = marked.documents.rev
        var told: [Set<String>] = []
        let connection = marked.documents.visits.changes.connect { told.append($0) }
        marked.wish(.visit(Self.now), "a")
        #expect(told == [["a"]] && marked.documents.rev == rev)
        #expect(marked.documents.visits.score(of: "a")?.seconds == Self.now)
        #expect(marked.documents.visits.score(of: "b") == nil)
        marked.wish(.like(true), "a")
        #expect(told.count == 1 && marked.documents[key: "a"]?.isLiked == true)
        marked.wish(.visit(Self.now), "a", "b", "b")
        #expect(told.last == ["a", "b"] && marked.documents.visits.count == 2)
        let score = marked.documents.visits.score(of: "b")
        #expect(score == marked.documents.visits.score(of: "a"))
        marked.wish(.like(false), "a")
        #expect(marked.stored.values.allSatisfy { $0.marks == .visited && $0.visits == score })
        #expect(marked.documents.marks.wishedCount == 0)
        withExtendedLifetime(connection) {}
    }

    @Test("Visits follow a file that is renamed, whether or not a daemon runs")
    func renames() {
        var marked = MarkedStore()
        marked.documents.marks.settle()
        marked.documents.apply(inserted: [document("a", inode: 1)])
        marked.wish(.visit(Self.now), "a")
        marked.documents.apply(inserted: [document("b", inode: 1, key: "a")])
        #expect(marked.documents.visits.score(of: "a")?.seconds == Self.now)
        marked.flush()
        let next = MarkedStore(marked.stored)
        var told: [Set<String>] = []
        let connection = next.documents.visits.changes.connect { told.append($0) }
        next.documents.apply(inserted: [document("c", inode: 1), document("d", inode: 9)])
        next.documents.marks.settle()
        #expect(next.documents.visits.score(of: "c")?.seconds == Self.now)
        #expect(told == [["c"]])
        withExtendedLifetime(connection) {}
    }

    @Test("Beyond the limit the lowest scores are forgotten, and likes are not")
    func limit() {
        let documents = DocumentStore(epoch: "e", marks: DocumentMarks(mostVisited: 32))
        documents.marks.settle()
        documents.apply(inserted: (0..<35).map { document("d\($0)", inode: UInt64($0 + 1)) })
        func wish(_ wish: MarkWish, _ key: String) {
            var planner = MarkPlanner(for: documents)
            _ = planner.plan(wish, for: key)
            documents.mark(planner.changes)
        }
        wish(.like(true), "d32")
        // The highest numbers are the lowest scores.
        for index in 0..<35 { wish(.visit(Self.now - Double(index)), "d\(index)") }
        #expect(documents.visits.count == 32)
        #expect(documents.visits.score(of: "d31") != nil)
        for index in 32..<35 { #expect(documents.visits.score(of: "d\(index)") == nil) }
        #expect(documents.marks.count == 33 && documents.marks.marks(of: "d32") == .liked)
        // Another visit makes the lowest score the highest.
        wish(.visit(Self.now), "d31")
        wish(.visit(Self.now), "d33")
        #expect(documents.visits.count == 32)
        #expect(documents.visits.score(of: "d30") == nil)
        #expect(documents.visits.score(of: "d31") != nil)
        let changes = documents.marks.takeChanges()
        #expect(changes.removals.count == 3, "they leave the store, too")
        #expect(changes.puts.contains { $0.marks == .liked && $0.visits == nil })
    }

    @Test(
        "Of missing files, those that were only visited are forgotten before those that are liked")
    func gone() {
        let documents = DocumentStore(epoch: "e", marks: DocumentMarks(mostGone: 16))
        documents.marks.settle()
        let all = (0..<17).map { document("d\($0)", inode: UInt64($0 + 1)) }
        documents.apply(inserted: all)
        var planner = MarkPlanner(for: documents)
        for index in 0..<17 {
            _ = planner.plan(index < 15 ? .like(true) : .visit(1), for: "d\(index)")
        }
        documents.mark(planner.changes)
        documents.apply(removed: all)
        #expect(documents.marks.wishedCount == 15 && documents.visits.count == 0)
    }
}
