import TestSupport
import Testing

@testable import PickerModel

@Suite("The texts of attributes")
struct AttributeTextsTests {
    @Test("Each text has a number of its own, and is found by it")
    func numbers() {
        var texts = AttributeTexts()
        let all = (0..<3_000).map { "text \($0)" }
        let numbers = all.map { texts.number(of: $0) }
        #expect(Set(numbers).count == all.count && !numbers.contains(nil))
        #expect(texts.count == all.count)
        for (text, number) in zip(all, numbers) {
            let again = texts.number(of: text)
            #expect(again == number && texts.known(text) == number)
            #expect(number.map { texts[UInt64($0)].text } == text)
        }
        #expect(texts.known("another") == nil)
    }

    @Test("No step allocates or gives back more than a small part of all, however many there are")
    func steps() {
        var texts = AttributeTexts()
        var most = 0
        for index in 0..<60_000 {
            let text = "a text of some length \(index)"
            most = max(most, Cost.of { _ = texts.number(of: text) }.bytes)
        }
        #expect(most < 120_000, "one step took \(most) bytes")
        texts.removeAll()
        #expect(texts.count == 0 && texts.bytes == 0)
        // New ones do not wait for the end of the old ones.
        let new = texts.number(of: "new")
        #expect(new == 0)
        var steps = 1
        while !texts.discardSome() { steps += 1 }
        // The parts of the numbers, and blocks of 512 texts.
        #expect((256 + 60_000 / 512...400).contains(steps), "\(steps)")
        #expect(texts.known("new") == 0 && texts[0].text == "new")
        let isEmpty = texts.discardSome()
        #expect(isEmpty)
    }

    @Test("Where there is no room for a text, it has no number, and others stay")
    func limit() {
        var texts = AttributeTexts(limit: 1_000)
        var count = 0
        while texts.number(of: "text \(count)") != nil { count += 1 }
        #expect(count > 1 && texts.bytes <= 1_000)
        let first = texts.number(of: "text 0")
        #expect(first == 0)
        texts.removeAll()
        let next = texts.number(of: "text \(count)")
        #expect(next == 0)
    }
}
