internal import JSONText
internal import Layouts
internal import WireProtocol

// Numbers and arrays of numbers within limits. Errors name the place in the array: 'options.cell[1]'.

/// A range of valid numbers, and its description.
struct NumberRange {
    var range: ClosedRange<Double>
    var isZeroRefused = false
    var words: String

    /// Lengths that add up: rows, gaps, insets.
    static let length = NumberRange(range: 0...1e7, words: "from 0 to 1e7 px")
    /// The width or height of a window.
    static let window = NumberRange(
        range: 0...1e9, isZeroRefused: true, words: "above 0 and up to 1e9 px")
    /// The width or height of a cell outside of rows.
    static let cell = NumberRange(range: 0...1e9, words: "from 0 to 1e9 px")
    static let coordinate = NumberRange(range: -1e9...1e9, words: "from -1e9 to 1e9 px")

    func contains(_ value: Double) -> Bool {
        range.contains(value) && !(isZeroRefused && value == 0)
    }
}

extension ParameterReader {
    func optionalNumber(
        _ name: String, in range: NumberRange
    ) throws(ProtocolError) -> Double? {
        guard let view = view(name) else { return nil }
        return try Self.number(view, in: range, at: path(name))
    }

    /// An array with one number for each word in `parts`.
    func optionalNumbers(
        _ name: String, _ parts: String..., in range: NumberRange
    ) throws(ProtocolError) -> [Double]? {
        guard let view = view(name) else { return nil }
        guard view.kind == .array, let elements = try? view.elements(),
            elements.count == parts.count
        else { throw invalid(name, mustBe: "[\(parts.joined(separator: ", "))]") }
        var values: [Double] = []
        for (index, element) in elements.enumerated() {
            values.append(
                try Self.number(element, in: range, at: "\(path(name))[\(index)]"))
        }
        return values
    }

    static func number(
        _ view: JSONView, in range: NumberRange, at path: String
    ) throws(ProtocolError) -> Double {
        // A number that does not fit a Double is out of range, too.
        guard let value = view.doubleValue, range.contains(value) else {
            throw .invalidParams(
                at: path, "'\(path)' must be a number \(range.words), not \(shown(view))")
        }
        return value
    }

    func optionalSize(_ name: String, in range: NumberRange) throws(ProtocolError) -> Size? {
        try optionalNumbers(name, "width", "height", in: range)
            .map { Size(width: $0[0], height: $0[1]) }
    }

    func optionalInsets() throws(ProtocolError) -> Insets? {
        try optionalNumbers("insets", "top", "left", "bottom", "right", in: .length)
            .map { Insets(top: $0[0], left: $0[1], bottom: $0[2], right: $0[3]) }
    }
}
