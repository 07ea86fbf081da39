internal import JSONText
internal import Layouts
internal import WireProtocol

/// A client's settings of a layout: its kind, bounds and options.
struct LayoutSettings {
    let kind: LayoutKind
    private(set) var bounds: Rect
    private(set) var list = ListOptions()
    private(set) var grid = GridOptions()
    private(set) var flow = FlowOptions()
    private(set) var force = ForceOptions()
    private(set) var pace = ForcePace()

    /// Reads the settings of `layout.open`.
    init(reading params: ParameterReader) throws(ProtocolError) {
        kind = try LayoutKind(reading: params)
        bounds = .zero
        guard params.view("bounds") != nil else {
            throw params.invalid("bounds", mustBe: "[width, height]")
        }
        try change(by: params)
    }

    /// Applies the bounds and options in `params`; absent ones keep their values. After an error nothing is
    /// changed.
    mutating func change(by params: ParameterReader) throws(ProtocolError) {
        var changed = self
        if let size = try params.optionalSize("bounds", in: .window) {
            changed.bounds = Rect(origin: .zero, size: size)
        }
        if let options = try params.optionalObject("options") {
            try changed.refuseUnknown(options)
            switch kind {
            case .list: try changed.changeList(by: options)
            case .grid: try changed.changeGrid(by: options)
            case .flow: try changed.changeFlow(by: options)
            case .force: try changed.changeForce(by: options)
            }
        }
        self = changed
    }

    private func refuseUnknown(_ options: ParameterReader) throws(ProtocolError) {
        let known = kind.optionNames
        for name in options.keys where !known.contains(name) {
            throw .invalidParams(
                at: options.path(name.utf8.count <= 60 ? name : "\(name.prefix(60))…"),
                "a \(kind.rawValue) layout has no option \(ProtocolError.quoted(name)), only "
                    + known.joined(separator: ", ") + NearestWord.hint(for: name, among: known))
        }
    }

    // MARK: Kinds

    private mutating func changeList(by options: ParameterReader) throws(ProtocolError) {
        list.rowHeight = try options.optionalNumber("rowHeight", in: .length) ?? list.rowHeight
        list.spacing = try options.optionalNumber("spacing", in: .length) ?? list.spacing
        if let insets = try options.optionalInsets() { list.insets = insets }
    }

    private mutating func changeGrid(by options: ParameterReader) throws(ProtocolError) {
        let cell = try options.optionalSize("cell", in: .length)
        let least = try options.optionalNumber(
            "minWidth", in: NumberRange(range: 1...1e7, words: "from 1 to 1e7 px"))
        if cell != nil, least != nil {
            let path = options.path("minWidth")
            throw .invalidParams(
                at: path, "'\(path)' can't go with '\(options.path("cell"))': give one of the two")
        }
        if let cell { grid.cell = .fixed(cell) }
        if let least { grid.cell = .atLeast(width: least) }
        if let gaps = try options.optionalNumbers("spacing", "x", "y", in: .length) {
            grid.columnSpacing = gaps[0]
            grid.rowSpacing = gaps[1]
        }
        if let insets = try options.optionalInsets() { grid.insets = insets }
    }

    private mutating func changeFlow(by options: ParameterReader) throws(ProtocolError) {
        if let gaps = try options.optionalNumbers(
            "spacing", "between items", "between lines", in: .length)
        {
            flow.itemSpacing = gaps[0]
            flow.lineSpacing = gaps[1]
        }
        if let insets = try options.optionalInsets() { flow.insets = insets }
        switch try options.optionalChoice("align", among: ["leading", "center", "justified"]) {
        case "leading": flow.alignment = .leading
        case "center": flow.alignment = .center
        case "justified": flow.alignment = .justified
        default: break
        }
        if let size = try options.optionalSize("estimated", in: .length) { flow.estimated = size }
    }

    private mutating func changeForce(by options: ParameterReader) throws(ProtocolError) {
        if let stiffness = try options.optionalNumber(
            "stiffness", in: NumberRange(range: 1e-9...1e9, words: "from 1e-9 to 1e9"))
        {
            force.stiffness = stiffness
        }
        if let charge = try Self.charge(in: options) { force.charge = charge }
        if let size = try options.optionalSize("cell", in: .cell) { force.cell = size }
        if let threshold = try options.optionalNumber("threshold", in: .cell) {
            force.stop = .movement(threshold)
        }
        if let start = try Self.start(in: options) { force.start = start }
        if let seed = try options.optionalInt("seed", in: 0...Int.max) {
            force.seed = UInt64(seed)
        }
        if let avoids = try options.optionalBool("avoidOverlaps") { force.avoidOverlaps = avoids }
        if let milliseconds = try options.optionalInt("intervalMs", in: ForcePace.intervals) {
            pace.interval = .milliseconds(milliseconds)
        }
        if let mode = try options.optionalChoice("mode", among: ["stream", "final"]) {
            pace.isFinalOnly = mode == "final"
        }
    }

    private static func charge(
        in options: ParameterReader
    ) throws(ProtocolError) -> ForceOptions.Charge? {
        guard let view = options.view("charge") else { return nil }
        if view.stringValue == "auto" { return .fillingBounds }
        guard let value = view.doubleValue, value == 0 || (1e-3...1e6).contains(value) else {
            throw options.invalid("charge", mustBe: "0, a number from 1e-3 to 1e6, or \"auto\"")
        }
        return .fixed(value)
    }

    private static func start(
        in options: ParameterReader
    ) throws(ProtocolError) -> ForceOptions.Start? {
        guard let view = options.view("start") else { return nil }
        if view.kind == .array {
            guard let point = try options.optionalNumbers("start", "x", "y", in: .coordinate)
            else { return nil }
            return .point(Point(x: point[0], y: point[1]))
        }
        switch view.stringValue {
        case "sunflower": return .sunflower
        case "random": return .random
        case "center": return .center
        case "border": return .border
        default:
            throw options.invalid(
                "start",
                mustBe: "\"sunflower\", \"random\", \"center\", \"border\" or [x, y]")
        }
    }
}

/// The times at which frames of a force layout are sent.
struct ForcePace: Equatable {
    /// The intervals that a client may choose, in milliseconds.
    static let intervals = 10...60_000

    /// At this interval.
    var interval = Duration.milliseconds(50)
    /// Once, when the cells are at rest.
    var isFinalOnly = false
}
