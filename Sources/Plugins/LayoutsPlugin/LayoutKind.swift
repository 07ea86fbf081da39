internal import Layouts
internal import WireProtocol

/// The kinds of layouts that clients can open.
enum LayoutKind: String, CaseIterable {
    case list, grid, flow, force

    /// - Throws: `invalidParams` at "kind".
    init(reading params: ParameterReader) throws(ProtocolError) {
        let text = try params.string("kind")
        guard let kind = LayoutKind(rawValue: text) else {
            let names = Self.allCases.map(\.rawValue)
            throw .invalidParams(
                at: "kind",
                "'kind' must be one of \(names.joined(separator: ", ")), not "
                    + ProtocolError.quoted(text) + NearestWord.hint(for: text, among: names))
        }
        self = kind
    }

    /// The names of its options.
    var optionNames: [String] {
        switch self {
        case .list: ["rowHeight", "spacing", "insets"]
        case .grid: ["cell", "minWidth", "spacing", "insets"]
        case .flow: ["spacing", "insets", "align", "estimated"]
        case .force:
            [
                "stiffness", "charge", "cell", "threshold", "start", "seed", "intervalMs", "mode",
                "avoidOverlaps",
            ]
        }
    }
}
