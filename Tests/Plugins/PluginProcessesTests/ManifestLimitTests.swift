import PluginProcesses
import TestSupport
import Testing

@Suite struct ManifestLimitTests {
    /// The fault of the least manifest with more members.
    private func fault(_ more: String) -> String? {
        fault(text: ExampleManifest.least(", " + more))
    }

    private func fault(text: String) -> String? {
        do throws(ManifestFault) {
            _ = try ProcessManifest(reading: Array(text.utf8))
            return nil
        } catch {
            return error.message
        }
    }

    private func list(_ count: Int, _ element: (Int) -> String) -> String {
        "[" + (0..<count).map(element).joined(separator: ",") + "]"
    }

    @Test("64 KiB are read, a byte more is not")
    func size() {
        let text = ExampleManifest.text
        let blanks = String(repeating: " ", count: 65_536 - text.utf8.count)
        #expect(fault(text: text + blanks) == nil)
        #expect(fault(text: text + blanks + " ") == "the text is longer than 65536 bytes")
    }

    @Test("an id has 1 to 32 letters")
    func ids() {
        func fault(_ letters: Int) -> String? {
            let id = String(repeating: "a", count: letters)
            return self.fault(
                text: ExampleManifest.least().replacing(#""id": "x""#, with: #""id": "\#(id)""#))
        }
        #expect(fault(1) == nil)
        #expect(fault(32) == nil)
        #expect(fault(33)?.hasPrefix("'id' must be a word of a-z") == true)
        #expect(fault(0)?.hasPrefix("'id' must be a word of a-z") == true)
    }

    @Test(
        "each list has its most elements",
        arguments: [
            ("methods", 64, #"{"name": "x.m#"}"#, "objects"),
            ("topics", 64, #""x.t#""#, "elements"),
            ("attributes", 64, #"{"name": "a.b#", "type": "text"}"#, "objects"),
            ("sources", 16, #"{"name": "s#", "title": "S"}"#, "objects"),
            ("actions", 64, #"{"id": "a#", "title": "A"}"#, "objects"),
        ])
    func lists(_ name: String, _ most: Int, _ element: String, _ unit: String) {
        func fault(_ count: Int) -> String? {
            let elements = list(count) { element.replacing("#", with: "\($0)") }
            return self.fault("\"\(name)\": \(elements)")
        }
        #expect(fault(0) == nil)
        #expect(fault(most) == nil)
        #expect(
            fault(most + 1)
                == "'\(name)' has more than \(most) elements; right is an array of \(most) \(unit) at most"
        )
    }

    @Test("lists inside other members have their most elements, too")
    func innerLists() {
        let files = { (count: Int) in #""requires": {"files": \#(list(count) { "\"/\($0)\"" })}"# }
        #expect(fault(files(64)) == nil)
        #expect(fault(files(65))?.hasPrefix("'requires.files' has more than 64") == true)
        let paths = { (count: Int) in #""needs": {"write": \#(list(count) { "\"/\($0)\"" })}"# }
        #expect(fault(paths(16)) == nil)
        #expect(fault(paths(17))?.hasPrefix("'needs.write' has more than 16") == true)
        let exec = { (count: Int) in
            ExampleManifest.least().replacing(
                #"["/bin/true"]"#, with: list(count) { _ in "\"/bin/true\"" })
        }
        #expect(fault(text: exec(64)) == nil)
        #expect(fault(text: exec(65))?.hasPrefix("'exec' has more than 64 elements") == true)
    }

    @Test("texts have their most bytes")
    func texts() {
        func fault(_ name: String, _ old: String, _ count: Int) -> String? {
            // Each letter has two bytes.
            let text = String(repeating: "é", count: count / 2) + (count % 2 == 1 ? "a" : "")
            return self.fault(
                text: ExampleManifest.least().replacing(
                    "\"\(name)\": \"\(old)\"", with: "\"\(name)\": \"\(text)\""))
        }
        #expect(fault("name", "X", 128) == nil)
        #expect(fault("name", "X", 129)?.hasPrefix("'name' must be a text") == true)
        #expect(fault("version", "1", 64) == nil)
        #expect(fault("version", "1", 65)?.hasPrefix("'version' must be a text") == true)
        func summary(_ count: Int) -> String {
            let text = String(repeating: "a", count: count)
            return #""methods": [{"name": "x.m", "summary": "\#(text)"}]"#
        }
        #expect(self.fault(summary(256)) == nil)
        #expect(self.fault(summary(257))?.hasPrefix("'methods[0].summary' must be") == true)
        let argument = { (count: Int) in
            ExampleManifest.least().replacing(
                "/bin/true", with: "/" + String(repeating: "a", count: count - 1))
        }
        #expect(self.fault(text: argument(4096)) == nil)
        #expect(self.fault(text: argument(4097))?.hasPrefix("'exec[0]' must be") == true)
    }

    @Test("dotted names have 128 bytes, of words of 32")
    func names() {
        let word = String(repeating: "a", count: 31)
        func attribute(_ name: String) -> String {
            #""attributes": [{"name": "\#(name)", "type": "time"}]"#
        }
        #expect(fault(attribute("a\(word).b")) == nil)
        #expect(fault(attribute("aa\(word).b")) != nil)
        let long = [word, word, word, word + "a"].joined(separator: ".")
        #expect(long.utf8.count == 128)
        #expect(fault(attribute(long)) == nil)
        #expect(fault(attribute([word, word, word, word, "a"].joined(separator: "."))) != nil)
        #expect(fault(#""topics": ["x.\#(word).\#(word).\#(word).\#(word)"]"#) != nil)
        let letters = String(repeating: "m", count: 126)
        #expect(fault(#""methods": [{"name": "x.\#(letters)"}]"#) == nil)
        #expect(fault(#""methods": [{"name": "x.\#(letters)m"}]"#) != nil)
    }

    @Test(
        "limits have their ranges",
        arguments: [
            ("memoryMiB", 16...65_536), ("tasks", 1...1024), ("callMs", 10...600_000),
            ("parallel", 1...64),
        ])
    func limits(_ name: String, _ range: ClosedRange<Int>) {
        func fault(_ value: Int) -> String? { self.fault(#""limits": {"\#(name)": \#(value)}"#) }
        #expect(fault(range.lowerBound) == nil)
        #expect(fault(range.upperBound) == nil)
        #expect(fault(range.lowerBound - 1) != nil)
        #expect(fault(range.upperBound + 1) != nil)
    }

    @Test("arrays and objects are nested 24 deep at most")
    func depth() {
        func nested(_ levels: Int) -> String {
            let inner = String(repeating: "[", count: levels - 1)
            return #""new": \#(inner)\#(String(repeating: "]", count: levels - 1))"#
        }
        #expect(fault(nested(24)) == nil)
        #expect(fault(nested(25)) == "nested deeper than 24 levels")
    }

    @Test("conditions are nested 16 deep at most, and 256 in all")
    func conditions() {
        func attribute(_ condition: String) -> String {
            #""attributes": [{"name": "a.b", "type": "time", "for": \#(condition)}]"#
        }
        func nested(_ levels: Int) -> String {
            attribute(
                String(repeating: #"["not","#, count: levels - 1) + #"["true"]"#
                    + String(repeating: "]", count: levels - 1))
        }
        #expect(fault(nested(16)) == nil)
        let place = "attributes[0].for" + String(repeating: "[1]", count: 16)
        #expect(fault(nested(17)) == "'\(place)' is nested deeper than 16 conditions")
        func many(_ count: Int) -> String {
            attribute(#"["anyof", \#(list(count - 1) { _ in #"["true"]"# }.dropFirst())"#)
        }
        #expect(fault(many(256)) == nil)
        #expect(
            fault(many(257))
                == "'attributes[0].for[256]' is one condition too many: 256 at most")
    }
}
