// The additional cost of a list's change for its layout.

import JSONText
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct LayoutCostTests {
    /// So many documents, and a client with a list of them all, and perhaps a layout of that.
    private final class Scene {
        private let fixture: LayoutFixture
        private let middle: Int
        private var documents: [Document]

        init(_ count: Int, kind: String?) throws {
            middle = count / 2
            fixture = try LayoutFixture()
            fixture.session.looksAtLines = false
            documents = fixture.lists.add((0..<count).map { "file \($0 + 1_000_000).md" })
            try fixture.openList()
            if let kind {
                try fixture.call(
                    "layout.open", ["items": 1, "kind": .string(kind), "bounds": [400, 300]], id: 2)
            }
            _ = fixture.lists.read()
            fixture.loop.turn()
        }

        /// What it costs to send what comes of the last of some changes, and how many lines that is.
        private func costOfLast(_ changes: Range<Int>, _ change: (Int) -> Void) -> (
            cost: Cost, lines: Int
        ) {
            SelfChecks.$areMade.withValue(false) {
                var last = (cost: Cost(), lines: 0)
                for number in changes {
                    change(number)
                    let before = fixture.session.lineCount
                    last.cost = Cost.of { _ = fixture.session.read() }
                    last.lines = fixture.session.lineCount - before
                }
                return last
            }
        }

        /// A save in the middle, which moves nothing.
        func costOfSave() -> (cost: Cost, lines: Int) {
            costOfLast(10..<20) { [self] size in
                let old = documents[middle]
                documents[middle] = old.with(size: UInt64(size), modified: old.modified)
                fixture.lists.replace(old, with: documents[middle])
            }
        }

        /// A new file behind all others.
        func costOfNewFile() -> (cost: Cost, lines: Int) {
            costOfLast(10..<20) { [self] in fixture.lists.add(["last \($0)"]) }
        }
    }

    /// What a layout costs beyond its list. The numbers are what was measured when this was written, in a debug
    /// build of Swift 6.3.
    struct Case: CustomStringConvertible {
        let kind: String
        let count: Int
        let newFile: Cost

        var description: String { "\(kind) of \(count)" }
    }

    /// In all cases two writers of 16 KiB, which a line of frames begins with.
    private static let save = Cost(allocations: 8, bytes: 33_800, retains: 66)
    /// As that; a flow has its rows in a tree.
    private static let cases = [
        Case(
            kind: "list", count: 1000,
            newFile: Cost(allocations: 47, bytes: 34_000, retains: 247)),
        Case(
            kind: "list", count: 20_000,
            newFile: Cost(allocations: 47, bytes: 34_000, retains: 247)),
        Case(
            kind: "grid", count: 1000,
            newFile: Cost(allocations: 38, bytes: 34_000, retains: 189)),
        Case(
            kind: "grid", count: 20_000,
            newFile: Cost(allocations: 38, bytes: 34_000, retains: 189)),
        Case(
            kind: "flow", count: 1000,
            newFile: Cost(allocations: 177, bytes: 40_000, retains: 591)),
        Case(
            kind: "flow", count: 20_000,
            newFile: Cost(allocations: 267, bytes: 46_000, retains: 850)),
    ]
    /// A new item goes into new arrays of keys and of frames, in one piece each: 16 and 32 bytes an item. (A
    /// thousand of these have room for some more.)
    private static let bytesOfItem = 50

    @Test(
        "a save costs a layout nothing but a line, and a new file no more steps among many items than among few",
        arguments: cases)
    func changes(example: Case) throws {
        let bare = try Scene(example.count, kind: nil)
        let scene = try Scene(example.count, kind: example.kind)
        let (save, list) = (scene.costOfSave(), bare.costOfSave())
        #expect(save.lines == 2 && list.lines == 1)
        #expect(
            (save.cost - list.cost).isWithinHalfMore(of: Self.save),
            "a save: \(save.cost), and \(list.cost) without a layout")
        let (new, listed) = (scene.costOfNewFile(), bare.costOfNewFile())
        #expect(new.lines == 2 && listed.lines == 1)
        let measured = example.newFile + Cost(bytes: example.count * Self.bytesOfItem)
        #expect(
            (new.cost - listed.cost).isWithinHalfMore(of: measured),
            "a new file: \(new.cost), and \(listed.cost) without a layout")
    }
}
