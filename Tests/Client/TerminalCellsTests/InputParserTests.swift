import TerminalCells
import TestSupport
import Testing

@Suite("What is typed on a terminal")
struct InputParserTests {
    private static let escape = "\u{1B}"

    private static func key(
        _ code: KeyPress.Code, _ modifiers: KeyPress.Modifiers = []
    ) -> TerminalInput { .key(KeyPress(code, modifiers)) }

    private static func mouse(
        _ action: MouseEvent.Action, _ button: Int = 0, _ modifiers: KeyPress.Modifiers = []
    ) -> TerminalInput {
        .mouse(
            MouseEvent(
                action, button: button, at: CellPlace(row: 4, column: 11), modifiers: modifiers))
    }

    /// Sequences, without the escape at their beginning, and what they mean.
    static let sequences: [(String, TerminalInput)] = [
        ("[A", key(.up)), ("[B", key(.down)), ("[C", key(.right)), ("[D", key(.left)),
        ("OA", key(.up)), ("OB", key(.down)), ("OC", key(.right)), ("OD", key(.left)),
        ("[H", key(.home)), ("[F", key(.end)), ("OH", key(.home)), ("OF", key(.end)),
        ("[1~", key(.home)), ("[7~", key(.home)), ("[4~", key(.end)), ("[8~", key(.end)),
        ("[2~", key(.insert)), ("[3~", key(.delete)), ("[5~", key(.pageUp)),
        ("[6~", key(.pageDown)), ("[1;5A", key(.up, .control)), ("[1;2B", key(.down, .shift)),
        ("[1;3C", key(.right, .alt)), ("[1;8D", key(.left, [.shift, .alt, .control])),
        ("[1;5H", key(.home, .control)), ("[3;5~", key(.delete, .control)),
        ("[3;3~", key(.delete, .alt)), ("[5;2~", key(.pageUp, .shift)),
        ("[1;9A", key(.up, .alt)), ("[3$", key(.delete, .shift)), ("[5^", key(.pageUp, .control)),
        ("[6@", key(.pageDown, [.control, .shift])), ("[a", key(.up, .shift)),
        ("Ob", key(.down, .control)), ("[Z", key(.tab, .shift)), ("OM", key(.enter)),
        ("OP", key(.function(1))), ("OQ", key(.function(2))), ("OR", key(.function(3))),
        ("OS", key(.function(4))), ("[P", key(.function(1))), ("[1;2P", key(.function(1), .shift)),
        ("[[A", key(.function(1))), ("[[E", key(.function(5))), ("[11~", key(.function(1))),
        ("[15~", key(.function(5))), ("[17~", key(.function(6))), ("[21~", key(.function(10))),
        ("[23~", key(.function(11))), ("[24~", key(.function(12))),
        ("[24;5~", key(.function(12), .control)),
        ("[<0;12;5M", mouse(.press)), ("[<0;12;5m", mouse(.release)),
        ("[<2;12;5M", mouse(.press, 2)),
        ("[<32;12;5M", mouse(.drag)), ("[<34;12;5M", mouse(.drag, 2)),
        ("[<64;12;5M", mouse(.wheelUp)),
        ("[<65;12;5M", mouse(.wheelDown)), ("[<20;12;5M", mouse(.press, 0, [.shift, .control])),
        ("[<72;12;5M", mouse(.wheelUp, 0, .alt)),
        ("[5;12R", .cursorPosition(CellPlace(row: 4, column: 11))),
        (
            "[200~two\r\nlines\u{1B}[20\u{7}\u{85}é\u{1B}[201~",
            .paste("two  lines [20  é", wasCut: false)
        ),
        ("[?62;4;22c", .report(.attributes([62, 4, 22]))),
        ("_Gi=28777;OK\u{1B}\\", .report(.kittyGraphics(true))),
        ("_Gi=1;ENOTSUPPORTED:no;OK\u{7}", .report(.kittyGraphics(false))),
        ("x", key(.character("x"), .alt)), ("X", key(.character("x"), [.alt, .shift])),
        ("é", key(.character("é"), .alt)), ("É", key(.character("é"), [.alt, .shift])),
        ("\u{7F}", key(.backspace, .alt)), ("\r", key(.enter, .alt)),
        ("\u{2}", key(.character("b"), [.alt, .control])), ("\u{1B}[A", key(.up, .alt)),
        ("\u{1B}OP", key(.function(1), .alt)),
    ]

    @Test("A sequence means the same wherever it is cut, and text around it comes through")
    func splits() {
        for (sequence, meaning) in Self.sequences {
            let bytes = Array("a\(Self.escape)\(sequence)b".utf8)
            for split in 0...bytes.count {
                var parser = InputParser()
                let inputs = parser.take(bytes[..<split]) + parser.take(bytes[split...])
                let joined = Self.joined(inputs)
                #expect(joined == [.text("a"), meaning, .text("b")], "\(sequence) at \(split)")
                #expect(!parser.isWaiting)
            }
        }
    }

    /// Inputs with texts that follow one another as one.
    static func joined(_ inputs: [TerminalInput]) -> [TerminalInput] {
        inputs.reduce(into: []) { joined, input in
            if case .text(let more) = input, case .text(let text)? = joined.last {
                joined[joined.count - 1] = .text(text + more)
            } else {
                joined.append(input)
            }
        }
    }

    @Test("The size of a cell is read")
    func cells() {
        var parser = InputParser()
        let size = CellPixels(width: 9, height: 18)
        #expect(parser.take("\u{1B}[6;18;9t".utf8) == size.map { [.report(.cellSize($0))] })
    }

    @Test("An answer to a question is one however late its parts come, and no part of it is typed")
    func lateAnswers() {
        let answers: [(String, TerminalReport)] = [
            ("\u{1B}[?62;4c", .attributes([62, 4])),
            ("\u{1B}_Gi=28777;OK\u{1B}\\", .kittyGraphics(true)),
        ]
        for (answer, report) in answers {
            let bytes = Array("\(answer)b".utf8)
            for split in 1..<bytes.count {
                var parser = InputParser()
                parser.isAsked = true
                var inputs = parser.take(bytes[..<split]) + parser.giveUp()
                inputs += parser.take(bytes[split...]) + parser.giveUp()
                // What came alone was a key.
                let keys = split == 1 ? [Self.key(.escape)] : []
                #expect(
                    Self.joined(inputs) == keys + [.report(report), .text("b")],
                    "\(answer.dropFirst()) at \(split)")
            }
        }
    }

    @Test("While an answer is missing, what is typed after an escape is typed")
    func typedBesideAnswers() {
        for text in ["[", "_", "a", "ab", "[ x"] {
            var parser = InputParser()
            parser.isAsked = true
            var inputs = parser.take([0x1B]) + parser.giveUp()
            for byte in text.utf8 { inputs += parser.take([byte]) + parser.giveUp() }
            #expect(Self.joined(inputs) == [Self.key(.escape), .text(text)])
        }
    }

    @Test("Control characters are keys")
    func controls() {
        var parser = InputParser()
        let inputs = parser.take([0x00, 0x01, 0x08, 0x09, 0x0A, 0x0D, 0x1A, 0x1C, 0x1F, 0x7F])
        #expect(
            inputs == [
                Self.key(.character(" "), .control), Self.key(.character("a"), .control),
                Self.key(.backspace), Self.key(.tab), Self.key(.character("j"), .control),
                Self.key(.enter), Self.key(.character("z"), .control),
                Self.key(.character("\\"), .control), Self.key(.character("/"), .control),
                Self.key(.backspace),
            ])
    }

    @Test("An escape alone waits, and is a key when the time for more is over")
    func alone() {
        for (bytes, expected) in [
            ("\u{1B}", [Self.key(.escape)]),
            ("\u{1B}\u{1B}", [Self.key(.escape), Self.key(.escape)]),
            ("\u{1B}[", [Self.key(.character("["), .alt)]),
            ("\u{1B}O", [Self.key(.character("o"), [.alt, .shift])]),
            ("\u{1B}]", [Self.key(.character("]"), .alt)]),
            ("\u{1B}_", [Self.key(.character("_"), .alt)]), ("\u{1B}_Gi=1;", []),
            ("\u{1B}[1;", []), ("\u{1B}[M\u{20}", []), ("\u{1B}]11;rgb:0/0/0", []),
        ] {
            var parser = InputParser()
            #expect(parser.take(bytes.utf8) == [] && parser.isWaiting)
            #expect(parser.giveUp() == expected && !parser.isWaiting)
            #expect(parser.take("[A".utf8) == [.text("[A")])
        }
    }

    @Test(
        "Answers to others, unknown sequences, bad UTF-8 and what is too long are dropped",
        arguments: [
            "\u{1B}[?2026;2$y", "\u{1B}[6;0;10t", "\u{1B}[6;20;999t", "\u{1B}[4;600;800t",
            "\u{1B}[?1:2c", "\u{1B}_x;OK\u{1B}\\", "\u{1B}_Gi=1\u{7}", "\u{1B}]11;rgb:0/0/0\u{7}",
            "\u{1B}]11;x\u{1B}\\",
            "\u{1B}P1$r0m\u{1B}\\", "\u{1B}[I", "\u{1B}[M !!", "\u{1B}[<35;1;1M", "\u{1B}[<0;0;1M",
            "\u{1B}[0;0R", "\u{1B}[99999;1R", "\u{1B}[42~", "\u{1B}Oz", "\u{85}",
            "\u{1B}[" + String(repeating: "1;", count: 5000) + "A",
        ])
    func dropped(sequence: String) {
        var parser = InputParser()
        #expect(Self.joined(parser.take("a\(sequence)b".utf8)) == [.text("ab")])
    }

    @Test("Bytes that are no UTF-8 are dropped, and what follows them is not")
    func badUTF8() {
        var parser = InputParser()
        let bytes: [UInt8] = [
            0x61, 0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0xF4, 0x90, 0x80, 0x80, 0xC3, 0x62, 0xE2,
            0x82, 0x0D, 0xC3,
        ]
        #expect(parser.take(bytes) == [.text("ab"), Self.key(.enter)])
        #expect(parser.take([0xA9]) == [.text("é")])
    }

    @Test("A pasted text of more than 64 KiB is cut")
    func longPaste() {
        var parser = InputParser()
        let text = String(repeating: "0123456789abcde\n", count: 5000)
        let inputs = parser.take("\u{1B}[200~\(text)\u{1B}[201~z".utf8)
        guard case .paste(let pasted, wasCut: true)? = inputs.first else {
            Issue.record("no pasted text that was cut")
            return
        }
        #expect(pasted.utf8.count == 65536 && inputs.dropFirst() == [.text("z")])
    }

    @Test("Typed text comes out as it is, wherever its bytes are cut")
    func typing() {
        withSeed { random in
            for _ in 0..<testRounds(200) {
                var text = ""
                for _ in 0..<20 {
                    let value = UInt32.random(
                        in: 0x20...(random.chance(0.5) ? 0x7E : 0x1_FFFF), using: &random)
                    guard let scalar = Unicode.Scalar(value), scalar.value < 0x7F || value > 0x9F
                    else { continue }
                    text.unicodeScalars.append(scalar)
                }
                var parser = InputParser()
                var rest = Array(text.utf8)[...]
                var inputs: [TerminalInput] = []
                while !rest.isEmpty {
                    let count = Int.random(in: 1...5, using: &random)
                    inputs += parser.take(rest.prefix(count))
                    rest = rest.dropFirst(count)
                }
                let joined = Self.joined(inputs)
                #expect(joined == (text.isEmpty ? [] : [.text(text)]))
            }
        }
    }

    @Test("After any bytes, text comes through once the time for a sequence is over")
    func anyBytes() {
        withSeed { random in
            for _ in 0..<testRounds(300) {
                var parser = InputParser()
                for _ in 0..<Int.random(in: 0...60, using: &random) {
                    let piece = Self.sequences.randomElement(using: &random)?.0 ?? ""
                    let bytes =
                        random.chance(0.5)
                        ? Array("\u{1B}\(piece)".utf8).prefix(
                            Int.random(in: 0...12, using: &random))
                        : [UInt8.random(in: 0...255, using: &random)]
                    _ = parser.take(bytes)
                    if random.chance(0.1) { _ = parser.giveUp() }
                }
                _ = parser.giveUp()
                // A pasted text may have begun; it ends by its own sequence alone.
                _ = parser.take("\u{1B}[201~".utf8)
                #expect(parser.take("plain".utf8) == [.text("plain")])
            }
        }
    }

    @Test("A sequence or pasted text of any length is held in bounded memory")
    func memory() {
        let pieces = [
            "\u{1B}[" + String(repeating: "1;", count: 100_000), "\u{1B}[200~", "\u{1B}]",
        ]
        for begun in pieces {
            var parser = InputParser()
            _ = parser.take(begun.utf8)
            #expect(parser.take(repeatElement(UInt8(ascii: "1"), count: 200_000)) == [])
            #expect(parser.heldBytes <= 65536 + 64, "after \(begun.prefix(6))")
        }
    }
}
