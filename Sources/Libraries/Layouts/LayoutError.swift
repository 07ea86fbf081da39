/// The reason why a layout refused a call. Nothing has changed then.
public struct LayoutError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. More may be added: compare with the constants, and expect others.
    public struct Code: Hashable, Sendable {
        private enum Kind { case outOfRange, duplicate, unknown, tooMany }
        private let kind: Kind

        /// A number is out of range, or NaN.
        public static let outOfRange = Self(kind: .outOfRange)
        /// There is a cell for this item already.
        public static let duplicate = Self(kind: .duplicate)
        /// There is no cell for this item.
        public static let unknown = Self(kind: .unknown)
        /// There would be more cells than a layout holds.
        public static let tooMany = Self(kind: .tooMany)
    }

    /// The kind of error.
    public let code: Code
    /// The item's description, or the number's name for the caller (`stiffness`, `cell.width`); nil for
    /// ``Code/tooMany``.
    public let name: String?
    /// What is wrong, and what would be right.
    public let description: String

    /// A number is out of range, or NaN.
    ///
    /// - Parameters:
    ///   - name: The number's name for the caller: `stiffness`, `cell.width`.
    ///   - value: The given number.
    ///   - allowed: The allowed range, in words.
    /// - Returns: The error.
    package static func outOfRange(name: String, value: Double, allowed: String) -> Self {
        Self(
            code: .outOfRange, name: name,
            description: "\(name) is \(value); it must be \(allowed)")
    }

    /// There is a cell for this item already.
    package static func duplicate(item: String) -> Self {
        Self(code: .duplicate, name: item, description: "there is a cell for \(item) already")
    }

    /// There is no cell for this item.
    package static func unknown(item: String) -> Self {
        Self(code: .unknown, name: item, description: "there is no cell for \(item)")
    }

    /// There would be more cells than a layout holds.
    ///
    /// - Parameters:
    ///   - count: How many there would be.
    ///   - limit: How many there may be.
    /// - Returns: The error.
    package static func tooMany(count: Int, limit: Int) -> Self {
        Self(
            code: .tooMany, name: nil,
            description: "\(count) cells are too many; a layout holds up to \(limit)")
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
