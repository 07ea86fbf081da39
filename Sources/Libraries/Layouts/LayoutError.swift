/// The reason why a layout refused a call. Nothing has changed then.
public enum LayoutError: Error, Hashable, Sendable {
    /// A number is out of range, or NaN.
    ///
    /// - Parameters:
    ///   - name: The number's name for the caller: `stiffness`, `cell.width`.
    ///   - value: The given number.
    ///   - allowed: The allowed range, in words.
    case outOfRange(name: String, value: Double, allowed: String)
    /// There is a cell for this item already.
    case duplicate(item: String)
    /// There is no cell for this item.
    case unknown(item: String)
    /// There would be more cells than a layout holds.
    ///
    /// - Parameters:
    ///   - count: The number of cells there would be.
    ///   - limit: The maximum number of cells.
    case tooMany(count: Int, limit: Int)
}

extension LayoutError: CustomStringConvertible {
    /// The problem, and the allowed values.
    public var description: String {
        switch self {
        case .outOfRange(let name, let value, let allowed):
            "\(name) is \(value); it must be \(allowed)"
        case .duplicate(let item): "there is a cell for \(item) already"
        case .unknown(let item): "there is no cell for \(item)"
        case .tooMany(let count, let limit):
            "\(count) cells are too many; a layout holds up to \(limit)"
        }
    }
}

/// Limits of numbers from the caller.
enum Limits {
    /// The maximum distance of any given coordinate from the origin, in px.
    static let coordinate = 1e9
    /// The maximum number of cells in a layout.
    static let cells = 1_000_000

    static func check(
        _ value: Double, _ name: String, in range: ClosedRange<Double>, allowed: String
    ) throws(LayoutError) {
        // NaN is in no range.
        guard range.contains(value) else {
            throw .outOfRange(name: name, value: value, allowed: allowed)
        }
    }

    static func checkCount(_ count: Int, adding more: Int) throws(LayoutError) {
        let (total, overflow) = count.addingReportingOverflow(more)
        guard !overflow, total <= cells else {
            throw .tooMany(count: overflow ? .max : total, limit: cells)
        }
    }

    static func checkLength(_ value: Double, _ name: String) throws(LayoutError) {
        try check(value, name, in: 0...coordinate, allowed: "from 0 to 1e9 px")
    }

    static func checkCoordinate(_ value: Double, _ name: String) throws(LayoutError) {
        try check(
            value, name, in: -coordinate...coordinate, allowed: "from -1e9 to 1e9 px")
    }

    static func check(_ size: Size, _ name: String) throws(LayoutError) {
        try checkLength(size.width, "\(name).width")
        try checkLength(size.height, "\(name).height")
    }

    static func check(_ point: Point, _ name: String) throws(LayoutError) {
        try checkCoordinate(point.x, "\(name).x")
        try checkCoordinate(point.y, "\(name).y")
    }

    static func check(_ rect: Rect, _ name: String) throws(LayoutError) {
        try check(rect.origin, name)
        try check(rect.size, name)
    }
}
