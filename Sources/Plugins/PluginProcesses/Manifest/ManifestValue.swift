internal import JSONText
internal import WireProtocol

/// A value in the text of a manifest. It knows its place, for messages.
///
/// Its view is a part of the array that holds the whole file, so that its offset there gives its line.
struct ManifestValue {
    let view: JSONView
    /// From the top: "attributes[0].type". Empty for the whole.
    let path: String

    func member(_ name: String, _ view: JSONView) -> ManifestValue {
        let name = Self.shown(name)
        return ManifestValue(view: view, path: path.isEmpty ? name : "\(path).\(name)")
    }

    func element(_ index: Int, _ view: JSONView) -> ManifestValue {
        ManifestValue(view: view, path: "\(path)[\(index)]")
    }

    /// A fault in the line where the value begins.
    func fault(_ message: String) -> ManifestFault {
        let offset = view.bytes.range.lowerBound
        return ManifestFault(
            line: Self.line(of: offset, in: view.bytes.array), message: message)
    }

    /// "'limits.tasks' must be X, not Y".
    func mustBe(_ right: String) -> ManifestFault {
        fault("\(path.isEmpty ? "the manifest" : "'\(path)'") must be \(right), not \(shown)")
    }

    /// The beginning of the value, in one line.
    var shown: String { ParameterReader.shown(view.fragment.view) }

    /// The elements of an array.
    /// - Throws: if it is no array, or has another number of elements.
    func elements(_ count: ClosedRange<Int>, _ right: String) throws(ManifestFault)
        -> [ManifestValue]
    {
        guard view.kind == .array else { throw mustBe(right) }
        let views: [JSONView]
        do throws(JSONError) {
            views = try view.elements(atMost: count.upperBound)
        } catch {
            throw fault("'\(path)' has \(error.message); right is \(right)")
        }
        guard views.count >= count.lowerBound else { throw mustBe(right) }
        return views.enumerated().map { element($0.offset, $0.element) }
    }

    /// The decoded value.
    func value() throws(ManifestFault) -> JSONValue {
        do throws(JSONError) {
            return try view.value()
        } catch {
            throw fault("in '\(path)', \(error.message)")
        }
    }

    /// A name for messages: one line, and not too long.
    static func shown(_ name: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if shown.count == longestShownName { return String(shown) + "…" }
            shown.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
        return String(shown)
    }

    private static let longestShownName = 60

    /// The line of a byte, from 1 on. Lines end with LF, CR LF or CR.
    static func line(of offset: Int, in bytes: [UInt8]) -> Int {
        var line = 1
        for index in 0..<min(offset, bytes.count) {
            let isLast = index + 1 == bytes.count || bytes[index + 1] != 0x0A
            if bytes[index] == 0x0A || bytes[index] == 0x0D && isLast { line += 1 }
        }
        return line
    }
}
