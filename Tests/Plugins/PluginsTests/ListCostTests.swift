// The cost of one change: the same in a long list as in a short one.

import JSONText
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct ListCostTests {
    /// So many documents, and a client that opens a list of them.
    private final class Scene {
        private let fixture: ListFixture
        private var documents: [Document]

        init(rows: Int) throws {
            fixture = try ListFixture()
            documents = fixture.add((0..<rows).map { "file \($0 + 1_000_000).md" })
        }

        /// Saves a file like an editor, and reads the resulting lines.
        private func save(_ index: Int, size: UInt64) {
            let old = documents[index]
            let new = old.with(size: size, modified: old.modified)
            documents[index] = new
            fixture.replace(old, with: new)
            _ = fixture.session.read()
        }

        /// What a save in row `index` costs for a list with these parameters.
        func costOfSave(at index: Int, list: JSONValue) throws -> Cost {
            let session = fixture.session
            session.looksAtLines = false
            _ = try session.call("items.open", list, id: 1).get()
            _ = session.read()
            fixture.loop.turn()
            // One-time costs do not count.
            for size in 10..<20 { save(index, size: UInt64(size)) }
            let before = session.lineCount
            let cost = SelfChecks.$areMade.withValue(false) {
                Cost.of { save(index, size: 20) }
            }
            #expect(session.lineCount == before + 1)
            session.close(1)
            return cost
        }
    }

    private static let first: JSONValue = ["window": ["start": 0, "count": 50]]
    private static let all: JSONValue = ["window": ["start": 0, "count": .null]]

    @Test("a saved file costs the same in a window of fifty rows and in a list shown whole")
    func save() throws {
        let scenes = try [1000, 20_000].map { try Scene(rows: $0) }
        for row in [3, 40] {
            let least = try scenes[0].costOfSave(at: row, list: Self.first)
            for scene in scenes {
                for list in [Self.first, Self.all] {
                    let cost = try scene.costOfSave(at: row, list: list)
                    #expect(cost.isAbout(least), "\(cost), not \(least)")
                }
            }
        }
    }
}
