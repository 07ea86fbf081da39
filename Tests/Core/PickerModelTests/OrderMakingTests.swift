// Orders sorted in slices, while documents change, compared with a plain sort.

import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite struct OrderMakingTests {
    private static let names = [
        "report 1.txt", "report 2.md", "report 10.pdf", "Report.md", "a", "", "ä", "e\u{301}.md",
        "zz\u{FB01}.txt",
        "report of a long week 1", "report of a long week 12", "report of a long week 2",
    ]

    private static func document(
        _ store: DocumentStore, _ number: Int, _ random: inout SeededRandom
    ) -> Document {
        let name =
            (names.randomElement(using: &random) ?? "") + (random.chance(0.5) ? "\(number)" : "")
        let folder =
            random.chance(0.5) ? "f\(Int.random(in: 0..<3, using: &random))/" : "\(number)/"
        return Document(
            key: store.mintKey(), root: random.chance(0.5) ? "/r" : "/s",
            path: FileName(folder + "\(number)" + name),
            size: random.chance(0.1) ? .max : UInt64.random(in: 0...5, using: &random),
            modified: FileTime(
                seconds: Int64.random(in: -3...3, using: &random),
                nanoseconds: UInt32.random(in: 0...2, using: &random))
        ).with(isLiked: random.chance(0.3))
    }

    private static let orders: [[String]] = [
        ["name"], ["-name"], ["path"], ["-path", "size"], ["size"], ["-size", "name"],
        ["size", "-path"],
        ["modified"], ["-modified", "name"], ["type", "-modified"], ["-type", "-name"],
        ["liked", "-type", "name"],
        ["-liked", "path"], ["date"],
    ]

    @Test("an order sorted in slices is that of the documents at its end")
    func randomChanges() throws {
        try withSeed { random in
            for round in 0..<250 {
                let store = DocumentStore(epoch: "e")
                var number = 0
                // Some of the removed ones return as the identical value.
                var away: [Document] = []
                func change(_ count: Int, _ random: inout SeededRandom) {
                    var known = store.documents.sorted { $0.key < $1.key }
                    var removed: [Document] = []
                    var inserted: [Document] = []
                    if random.chance(0.5), let back = away.popLast() { inserted.append(back) }
                    for _ in 0..<count {
                        number += 1
                        if known.isEmpty || random.chance(0.6) {
                            inserted.append(document(store, number, &random))
                            continue
                        }
                        let old = known.remove(at: Int.random(in: known.indices, using: &random))
                        if random.chance(0.5) {
                            removed.append(old)
                        } else {
                            inserted.append(old.with(size: 3, modified: FileTime(seconds: 1)))
                        }
                    }
                    store.apply(removed: removed, inserted: inserted)
                    away += removed
                }
                func document(
                    _ store: DocumentStore, _ number: Int, _ random: inout SeededRandom
                ) -> Document { Self.document(store, number, &random) }
                func drop(_ random: inout SeededRandom) {
                    // Leaves the set, and may return.
                    let known = store.documents.sorted { $0.key < $1.key }
                    guard let document = known.randomElement(using: &random) else { return }
                    var planner = MarkPlanner(for: store)
                    let isDropped = store.marks.marks(of: document.key).contains(.dropped)
                    _ = planner.plan(isDropped ? .restore : .drop, for: document.key)
                    store.mark(planner.changes)
                }
                change(Int.random(in: 0...300, using: &random), &random)
                let keys = try #require(Self.orders.randomElement(using: &random))
                let sortOrder = try SortOrder(keys: keys)
                let orders = DocumentOrders(of: store.listed)
                let making = orders.making(by: sortOrder)
                #expect(orders.making(by: sortOrder) === making && orders.count == 1)
                #expect(orders.has(sortOrder) && !orders.isAtHand(sortOrder))
                // Occasionally far more documents arrive than there were.
                let most = random.chance(0.1) ? 400 : 4
                while true {
                    let before = making.stepsTaken
                    let budget = Int.random(in: 1...400, using: &random)
                    if making.advance(budget: budget) { break }
                    #expect(making.stepsTaken - before < budget + 4500, "a slice has its budget")
                    if random.chance(0.3) {
                        change(
                            Int.random(
                                in: 1...(most > 4 && number > 2000 ? 4 : most), using: &random),
                            &random)
                    }
                    if random.chance(0.2) { drop(&random) }
                }
                let order = try #require(making.order)
                func check(_ when: String) {
                    let wanted = store.documents.filter { !$0.isDropped }
                        .sorted(by: sortOrder.comparator)
                    let rows = order.items.value.dropFirst().compactMap(\.document)
                    #expect(rows == wanted, "round \(round), \(keys), \(when)")
                }
                check("at its end")
                #expect(orders.isAtHand(sortOrder) && orders.order(by: sortOrder) === order)
                for _ in 0..<3 {
                    change(3, &random)
                    drop(&random)
                    check("later")
                }
            }
        }
    }

    @Test("an unreferenced sort is given up, and a completed order stays with its owner")
    func givenUp() throws {
        let store = DocumentStore(epoch: "e")
        store.apply(
            inserted: (0..<100).map {
                Document(
                    key: store.mintKey(), root: "/r", path: FileName("\($0)"), size: 1,
                    modified: FileTime(seconds: 0))
            })
        let orders = DocumentOrders(of: store.listed)
        var making: OrderMaking? = orders.making(by: .date)
        #expect(making?.advance(budget: 10) == false)
        making = nil
        #expect(!orders.has(.date) && orders.count == 0)
        making = orders.making(by: .date)
        #expect(making?.advance(budget: .max) == true)
        for keys in [["size"], ["-size"], ["path"], ["-path"], ["type"]] {
            _ = orders.order(by: try SortOrder(keys: keys))
        }
        #expect(orders.isAtHand(.date))
        making = nil
        #expect(!orders.isAtHand(.date))
    }
}

extension PickerItem {
    fileprivate var document: Document? {
        if case .document(let document) = self { document } else { nil }
    }
}
