import Observables
import PickerModel
import Testing

/// A store, and its stored marks.
struct MarkedStore {
    let documents = DocumentStore(epoch: "e")
    var stored: [Int64: StoredMark] = [:]

    /// A store of a daemon that starts with the stored marks of another.
    init(_ stored: [Int64: StoredMark] = [:]) {
        self.stored = stored
        documents.restoreMarks(stored.values.sorted { $0.id < $1.id })
    }

    /// Stores the pending changes.
    mutating func flush() {
        let changes = documents.marks.takeChanges()
        for id in changes.removals { stored[id] = nil }
        for mark in changes.puts { stored[mark.id] = mark }
    }

    /// Plans, stores and applies a wish, as the daemon does.
    mutating func wish(_ wish: MarkWish, _ keys: String...) {
        var planner = MarkPlanner(for: documents)
        for key in keys { _ = planner.plan(wish, for: key) }
        carryOut(planner)
    }

    mutating func carryOut(_ planner: MarkPlanner) {
        for plan in planner.changes {
            stored[plan.stored.id] = plan.stored.marks.isEmpty ? nil : plan.stored
        }
        documents.mark(planner.changes)
        flush()
    }

    func paths(_ marks: Marks) -> [String] {
        documents.documents.filter { documents.marks.marks(of: $0.key).isSuperset(of: marks) }
            .map(\.path.text).sorted()
    }

    var listed: [String] {
        documents.listed.value.map { documents.table.path(of: $0).text }.sorted()
    }
}

extension Document {
    fileprivate init(
        _ path: String, _ key: String, inode: UInt64, size: UInt64 = 1, seconds: Int64 = 1
    ) {
        self.init(
            key: key, root: "/r", path: FileName(path), size: size,
            modified: FileTime(seconds: seconds), inode: inode)
    }
}

@Suite struct DocumentMarksTests {
    private var marked = MarkedStore()

    /// `a` (inode 1) is liked, `b` (inode 2) is dropped, `c` is neither.
    private init() {
        marked.documents.marks.settle()
        marked.documents.apply(inserted: [
            Document("a", "k1", inode: 1), Document("b", "k2", inode: 2),
            Document("c", "k3", inode: 3),
        ])
        marked.wish(.like(true), "k1")
        marked.wish(.drop, "k2")
    }

    /// The next daemon, which finds `documents` one after another.
    private func restart(finding documents: [Document]) -> MarkedStore {
        var next = MarkedStore(marked.stored)
        for document in documents { next.documents.apply(inserted: [document]) }
        next.documents.marks.settle()
        next.flush()
        return next
    }

    @Test("A like is part of the document, and a dropped document is not listed")
    func marks() {
        #expect(marked.paths(.liked) == ["a"])
        #expect(marked.documents[key: "k1"]?.isLiked == true)
        #expect(marked.listed == ["a", "c"])
        #expect(marked.documents[key: "k2"]?.path.text == "b")
        #expect(marked.documents[root: "/r", path: FileName("b")]?.key == "k2")
        #expect(marked.documents.all.value.count == 3)
        for range in DocumentRange.allCases {
            let rows = marked.documents.documents(in: range).value
            #expect(marked.documents.bits(in: range).sorted() == rows.map(\.index).sorted())
        }
        #expect(marked.documents.droppedCount == 1)
    }

    @Test("Each effective wish is one revision, and one change of the lists")
    mutating func revisions() {
        var changes: [SetChange<DocumentRow>] = []
        let connection = marked.documents.listed.changes.connect { changes.append($0) }
        defer { connection.disconnect() }
        let rev = marked.documents.rev
        marked.wish(.like(true), "k1")
        marked.wish(.restore, "k3")
        #expect(marked.documents.rev == rev)
        marked.wish(.like(nil), "k1", "k3")
        #expect(marked.documents.rev == rev + 1)
        #expect(marked.paths(.liked) == ["c"])
        marked.wish(.drop, "k1", "k3")
        marked.wish(.restore, "k1", "k2")
        #expect(marked.documents.rev == rev + 3)
        #expect(marked.listed == ["a", "b"])
        #expect(changes.map(\.removed.count) == [2, 2, 0])
        #expect(changes.map(\.inserted.count) == [2, 0, 2])
    }

    @Test("Both sets change in one step: nobody sees a document in both or neither")
    mutating func atomic() {
        let (all, listed) = (marked.documents.all, marked.documents.listed)
        let table = marked.documents.table
        func keys(_ rows: Set<DocumentRow>) -> Set<String> {
            Set(rows.map { table.text(of: table.key(of: $0)) })
        }
        var counts: [Int] = []
        // Each is in the set all the time, and differs only by its own marks.
        let first = all.changes.connect { change in
            #expect(keys(change.removed) == keys(change.inserted))
        }
        let second = listed.changes.connect { [documents = marked.documents] _ in
            counts.append(documents.all.value.count)
            #expect(documents.listed.value.isDisjoint(with: documents.dropped.value))
        }
        defer {
            first.disconnect()
            second.disconnect()
        }
        marked.wish(.drop, "k1")
        marked.wish(.restore, "k1", "k2")
        #expect(counts == [3, 3], "\(counts)")
    }

    @Test("Marks follow renames, saves and renames over other files, and are stored with them")
    mutating func follow() throws {
        let document = try #require(marked.documents[key: "k1"])
        let moved = document.with(root: "/other", path: FileName("x/new"))
        marked.documents.apply(removed: [document], inserted: [moved])
        let saved = moved.with(
            size: 9, modified: FileTime(seconds: 9), device: 0, inode: 77)
        marked.documents.apply(removed: [moved], inserted: [saved])
        marked.flush()
        #expect(marked.documents[key: "k1"]?.isLiked == true)
        let stored = try #require(marked.stored.values.first { $0.marks == .liked })
        #expect(stored.file == MarkedFile(saved) && stored.goneSince == nil)
        // As the watcher creates it: a new value without marks.
        let remade = Document("made", "k1", inode: 5)
        marked.documents.apply(removed: [saved], inserted: [remade])
        #expect(marked.documents[key: "k1"]?.isLiked == true)
        #expect(marked.paths(.liked) == ["made"])
    }

    @Test("A removed file keeps its mark for its return: by key, path, or identity")
    mutating func returns() throws {
        marked.documents.marks.now = { 1234 }
        let document = try #require(marked.documents[key: "k1"])
        for back in [
            Document("elsewhere", "k1", inode: 9), Document("a", "k9", inode: 9, size: 5),
            Document("renamed", "k8", inode: 1),
        ] {
            var copy = restart(finding: [document])
            copy.documents.apply(removed: [document])
            copy.flush()
            #expect(copy.stored.values.first { $0.marks == .liked }?.goneSince != nil)
            copy.documents.apply(inserted: [back])
            copy.flush()
            #expect(copy.paths(.liked) == [back.path.text])
            #expect(copy.stored.values.first { $0.marks == .liked }?.goneSince == nil)
        }
        marked.documents.apply(removed: [document])
        marked.flush()
        #expect(marked.stored.values.first { $0.marks == .liked }?.goneSince == 1234)
        let others = [
            Document("reused", "k7", inode: 1, size: 2), Document("same size", "k6", inode: 8),
            Document("reused later", "k5", inode: 1, seconds: 2),
        ]
        marked.documents.apply(inserted: others)
        #expect(marked.paths(.liked) == [], "an inode number is no evidence by itself")
    }

    @Test("After a restart, documents are identified by path, or by file if they were renamed")
    func restarts() {
        let same = restart(finding: [
            Document("a", "f0", inode: 1), Document("b", "f1", inode: 2),
            Document("c", "f2", inode: 3),
        ])
        #expect(same.paths(.liked) == ["a"] && same.listed == ["a", "c"])
        #expect(same.stored == marked.stored, "what is as it was need not be stored again")

        let renamed = restart(finding: [
            Document("a2", "f0", inode: 1), Document("b2", "f1", inode: 2),
        ])
        #expect(renamed.paths(.liked) == ["a2"] && renamed.listed == ["a2"])

        let saved = restart(finding: [Document("a", "f0", inode: 50, size: 9, seconds: 9)])
        #expect(saved.paths(.liked) == ["a"])

        let modified = restart(finding: [Document("a", "f0", inode: 1, size: 9, seconds: 9)])
        #expect(modified.paths(.liked) == ["a"])
    }

    @Test("Renamed and replaced while no daemon ran: the mark follows the file, in any order")
    func replaced() {
        let gone = Document("a.old", "f0", inode: 1)
        let new = Document("a", "f1", inode: 60, size: 4, seconds: 4)
        for order in [[gone, new], [new, gone]] {
            let next = restart(finding: order)
            #expect(next.paths(.liked) == ["a.old"], "\(order)")
            #expect(next.documents[key: "f1"]?.isLiked == false)
        }
    }

    @Test("A second name of a file does not take the mark of the first, in any order")
    func hardLinks() {
        let first = Document("a", "f0", inode: 1)
        let second = Document("link", "f1", inode: 1)
        for order in [[first, second], [second, first]] {
            #expect(restart(finding: order).paths(.liked) == ["a"], "\(order)")
        }
    }

    @Test("Nothing is stored before the end of the first scan")
    func provisional() {
        var next = MarkedStore(marked.stored)
        next.documents.apply(inserted: [Document("a", "f0", inode: 60, size: 9)])
        next.flush()
        #expect(next.stored == marked.stored)
        #expect(next.paths(.liked) == ["a"])
        next.documents.apply(inserted: [Document("z", "f1", inode: 1)])
        #expect(next.paths(.liked) == ["z"])
        next.documents.marks.settle()
        next.flush()
        #expect(next.stored != marked.stored)
    }

    @Test("Wishes during a scan hold, whatever the scan finds")
    func wishesInScans() {
        var next = MarkedStore(marked.stored)
        next.documents.apply(inserted: [Document("a", "f0", inode: 60, size: 9)])
        next.wish(.like(true), "f0")
        next.wish(.drop, "f0")
        next.documents.apply(inserted: [Document("z", "f1", inode: 1)])
        next.documents.marks.settle()
        next.flush()
        #expect(next.paths(.liked) == ["a"])
        #expect(next.paths(.dropped) == ["a"])
        var again = MarkedStore(next.stored)
        again.documents.apply(inserted: [Document("a", "f0", inode: 60, size: 9)])
        again.documents.marks.settle()
        again.flush()
        #expect(again.paths([.liked, .dropped]) == ["a"])
    }

    @Test("Everything can be restored, including missing files; likes stay")
    mutating func restoreAll() throws {
        marked.wish(.drop, "k1", "k3")
        let document = try #require(marked.documents[key: "k3"])
        marked.documents.apply(removed: [document])
        var planner = MarkPlanner(for: marked.documents)
        planner.planRestoringAll()
        marked.carryOut(planner)
        #expect(marked.listed == ["a", "b"])
        #expect(marked.stored.values.map(\.marks) == [.liked])
        marked.documents.apply(inserted: [document])
        #expect(marked.listed == ["a", "b", "c"])
    }

    @Test("Wishes planned together build on each other; toggling twice has no effect")
    mutating func planned() {
        var planner = MarkPlanner(for: marked.documents)
        #expect(planner.plan(.like(nil), for: "k3") == .planned(.liked))
        #expect(planner.plan(.drop, for: "k3") == .planned([.liked, .dropped]))
        #expect(planner.plan(.like(nil), for: "k3") == .planned(.dropped))
        #expect(planner.plan(.like(nil), for: "k1") == .planned([]))
        #expect(planner.plan(.like(nil), for: "k1") == .planned(.liked))
        #expect(planner.plan(.drop, for: "nobody") == .noDocument)
        planner.planRestoringAll()
        #expect(planner.plan(.like(false), for: "k2") == .planned([]))
        #expect(planner.changes.map(\.key) == ["k2"])
        marked.carryOut(planner)
        #expect(marked.listed == ["a", "b", "c"])
    }

    @Test("Wishes can be rolled back together, and earlier ones remain")
    mutating func takenBack() {
        var planner = MarkPlanner(for: marked.documents)
        planner.begin()
        #expect(planner.plan(.drop, for: "k1") == .planned([.liked, .dropped]))
        let before = planner.changes
        planner.begin()
        #expect(planner.plan(.restore, for: "k1") == .planned(.liked))
        #expect(planner.plan(.like(nil), for: "k1") == .planned([]))
        #expect(planner.plan(.drop, for: "k3") == .planned(.dropped))
        #expect(planner.plan(.like(true), for: "k3") == .planned([.liked, .dropped]))
        planner.takeBack()
        #expect(planner.changes == before)
        // It begins where it was, and k3 is new again.
        #expect(planner.plan(.like(nil), for: "k1") == .planned(.dropped))
        #expect(planner.plan(.like(nil), for: "k3") == .planned(.liked))
        marked.carryOut(planner)
        #expect(marked.listed == ["c"])
    }

    @Test("Planned and stored marks are not changes to store again")
    mutating func storedOnce() {
        for wish in [MarkWish.like(nil), .drop, .like(nil), .restore, .like(true), .like(false)] {
            var planner = MarkPlanner(for: marked.documents)
            for key in ["k1", "k2", "k3"] { _ = planner.plan(wish, for: key) }
            marked.documents.mark(planner.changes)
            #expect(!marked.documents.marks.hasChanges, "\(wish)")
        }
    }

    @Test("Changes between plan and storage are followed: moved, gone, put at a mark's path")
    mutating func overtaken() throws {
        var planner = MarkPlanner(for: marked.documents)
        _ = planner.plan(.like(true), for: "k3")
        let document = try #require(marked.documents[key: "k3"])
        let moved = document.with(root: "/r", path: FileName("moved"))
        marked.documents.apply(removed: [document], inserted: [moved])
        marked.carryOut(planner)
        #expect(marked.stored.values.contains { $0.file == MarkedFile(moved) })

        planner = MarkPlanner(for: marked.documents)
        _ = planner.plan(.drop, for: "k3")
        marked.documents.apply(removed: [moved])
        marked.carryOut(planner)
        #expect(marked.stored.values.contains { $0.marks == [.liked, .dropped] })
        marked.documents.apply(inserted: [Document("moved", "k4", inode: 3)])
        #expect(marked.paths([.liked, .dropped]) == ["moved"])
    }

    @Test("Of the marks of missing files, the last few are kept")
    func bounded() {
        let marks = DocumentMarks(mostGone: 32)
        let stored = (1...40).map { number in
            StoredMark(
                id: Int64(number), marks: .liked,
                file: MarkedFile(Document("\(number)", "k", inode: UInt64(number))),
                goneSince: Int64(100 - number))
        }
        marks.restore(stored)
        marks.settle()
        let changes = marks.takeChanges()
        #expect(changes.removals == Array(11...40).suffix(10).map { Int64($0) })
        #expect(marks.count == 30)
    }

    @Test("Changes that could not be stored are returned again")
    mutating func putBack() throws {
        let document = try #require(marked.documents[key: "k1"])
        marked.documents.apply(
            removed: [document], inserted: [document.with(root: "/r", path: FileName("n"))])
        let changes = marked.documents.marks.takeChanges()
        #expect(changes.puts.count == 1)
        #expect(!marked.documents.marks.hasChanges)
        marked.documents.marks.putBack(changes)
        #expect(marked.documents.marks.takeChanges() == changes)
    }

    @Test("A document known to be new does not keep the marks of its path")
    mutating func unmark() throws {
        let document = try #require(marked.documents[key: "k2"])
        marked.documents.apply(removed: [document])
        let rev = marked.documents.rev
        marked.documents.apply(inserted: [Document("b", "k9", inode: 9)])
        #expect(marked.listed == ["a", "c"])
        marked.documents.unmark(key: "k9")
        marked.documents.unmark(key: "k1")
        marked.documents.unmark(key: "k3")
        #expect(marked.listed == ["a", "b", "c"] && marked.paths(.liked) == [])
        #expect(marked.documents.rev == rev + 3)
        marked.flush()
        #expect(marked.stored.isEmpty)
    }

    @Test("Liked documents can be sorted first or last")
    mutating func sorted() throws {
        marked.wish(.like(nil), "k1", "k3")
        for (keys, paths) in [
            (["-liked", "name"], ["c", "a", "b"]), (["liked", "-name"], ["b", "a", "c"]),
        ] {
            let order = try SortOrder(keys: keys)
            #expect(order.keys == keys)
            let documents = marked.documents.documents.sorted(by: order.comparator)
            #expect(documents.map(\.path.text) == paths)
        }
    }
}
