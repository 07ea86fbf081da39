import TestSupport
import Testing

@testable import PickerModel

@Suite struct FoldedLettersTests {
    @Test("Texts of letters with known foldings fold as any text does")
    func equal() {
        let values = (0x20..<0x500).compactMap { Unicode.Scalar(UInt32($0)) }
        for scalar in values {
            let text = String(scalar)
            #expect(FoldedName.bytes(of: text) == FoldedName.wideBytes(of: text), "\(scalar.value)")
        }
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        // Marks, syllables and digits of other scripts among the letters.
        let others = [
            0x301, 0x308, 0x345, 0x37E, 0x3099, 0x1100, 0x1161, 0xAC00, 0x9BE, 0x661, 0xFFFD,
        ]
        .compactMap { Unicode.Scalar(UInt32($0)) }
        for _ in 0..<30_000 {
            var text = ""
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let isOther = Int.random(in: 0..<20, using: &random) == 0
                guard let scalar = (isOther ? others : values).randomElement(using: &random) else {
                    continue
                }
                text.unicodeScalars.append(scalar)
            }
            let scalars = text.unicodeScalars.map(\.value)
            #expect(
                FoldedName.bytes(of: text) == FoldedName.wideBytes(of: text),
                "seed \(seed), \(scalars)")
        }
    }
}
