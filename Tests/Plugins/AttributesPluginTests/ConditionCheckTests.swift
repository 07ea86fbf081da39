// Conditions of actions that name attributes: files are read for them.

import EventLoops
import PickerModel
import TestSupport
import Testing

@testable import ActionsPlugin

@Suite struct ConditionCheckTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    /// What a check has found.
    private final class Findings {
        var holds: [Bool] = []
        var isDone = false
        weak var check: ConditionCheck?
    }

    /// A condition on the width that files tell of themselves, and perhaps another one.
    private func wide(_ least: Int64, and rest: FilterExpression? = nil) throws -> DocumentFilter {
        let test = try #require(
            AttributeTest(try fixture.width, .comparison(.atLeast), .integer(least)))
        return DocumentFilter(.all([.attribute(test)] + (rest.map { [$0] } ?? [])))
    }

    private func begin(
        _ filter: DocumentFilter?, for keys: [String], _ question: ConditionCheck.Question = .each
    ) -> Findings {
        let findings = Findings()
        let check = ConditionCheck(
            [filter], for: keys, question, of: fixture.documents, on: fixture.loop
        ) { (_, _, isKept) in
            findings.holds.append(isKept)
        } done: { error in
            #expect(error == nil && !findings.isDone)
            findings.isDone = true
        }
        findings.check = check
        check.run()
        return findings
    }

    private func turn() { while fixture.loop.turn() > 0 {} }

    @Test(
        "files are read for the attributes that a condition names, before all others, and then it is decided"
    )
    func reads() throws {
        let keys = fixture.add(0..<4)
        let before = fixture.loop.now
        let findings = begin(try wide(2), for: keys)
        turn()
        let reader = try fixture.reader
        #expect(!findings.isDone && reader.waiting.first?.batch.isUrgent == true)
        try fixture.readAll()
        turn()
        #expect(findings.isDone && findings.holds == [false, false, true, true])
        #expect(before.duration(to: fixture.loop.now) < ConditionCheck.limit)
        #expect(findings.check == nil && fixture.directory.users.isEmpty)
    }

    @Test("after two seconds it is decided: of what is not known no condition holds")
    func unknown() throws {
        let keys = fixture.add(0..<3)
        let findings = begin(try wide(0), for: keys)
        turn()
        fixture.loop.advance(by: ConditionCheck.limit - .milliseconds(1))
        turn()
        #expect(!findings.isDone)
        fixture.loop.advance(by: .milliseconds(1))
        turn()
        #expect(findings.isDone && findings.holds == [false, false, false])
        #expect(findings.check == nil && fixture.directory.users.isEmpty)
    }

    @Test("what is known is decided without reading anything again")
    func known() throws {
        let keys = fixture.add(0..<3)
        let first = begin(try wide(1), for: keys)
        try fixture.readAll()
        turn()
        #expect(first.isDone)
        let second = begin(try wide(1), for: keys)
        turn()
        #expect(second.isDone && second.holds == [false, true, true])
        #expect(try fixture.reader.waiting.isEmpty)
    }

    @Test(
        "only documents are read of which the rest of the condition keeps those that are asked for")
    func rest() throws {
        let keys = fixture.add(5..<6) + fixture.add(6..<7, "f", "txt")
        let jpg = FilterExpression.suffix([Array("jpg".utf8)])
        let all = begin(try wide(1, and: jpg), for: keys, .all)
        turn()
        // It does not hold for all of them, whatever they are.
        #expect(all.isDone && all.holds == [true, false] || all.holds == [false])
        #expect(try fixture.reader.waiting.isEmpty)
        let each = begin(try wide(1, and: jpg), for: keys)
        turn()
        #expect(try fixture.reader.waiting.first?.batch.files.map(\.key) == [keys[0]])
        try fixture.readAll()
        turn()
        #expect(each.isDone && each.holds == [true, false])
    }

    @Test("conditions without attributes, and those of nobody who reads, are decided at once")
    func atOnce() throws {
        let keys = fixture.add(0..<2)
        #expect(begin(nil, for: keys + ["zz"]).holds == [true, true, false])
        let filter = try wide(0)
        fixture.stop()
        let findings = begin(filter, for: keys)
        turn()
        #expect(findings.isDone && findings.holds == [false, false])
    }

    @Test("a check that is cancelled is over, and wants nothing any more")
    func cancelled() throws {
        let keys = fixture.add(0..<2)
        let findings = begin(try wide(0), for: keys)
        turn()
        findings.check?.cancel()
        #expect(findings.check == nil && fixture.directory.users.isEmpty)
        fixture.loop.advance(by: .seconds(3))
        turn()
        #expect(!findings.isDone && findings.holds.isEmpty)
    }
}
