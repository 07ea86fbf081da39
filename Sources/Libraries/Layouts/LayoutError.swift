/// Why a layout refused what it was told. Nothing has changed then.
public struct LayoutError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. More may be added: compare with the constants, and expect others.
    public struct Code: Hashable, Sendable {
        private enum Kind { case outOfRange, duplicate, unknown, tooMany }
        private let kind: Kind

        /// A number is outside of what is allowed, or no number.
        public static let outOfRange = Self(kind: .outOfRange)
        /// There is a cell for this item already.
        public static let duplicate = Self(kind: .duplicate)
        /// There is no cell for this item.
        public static let unknown = Self(kind: .unknown)
        /// There would be more cells than a layout holds.
        public static let tooMany = Self(kind: .tooMany)
    }

    /// What kind of error it is.
    public let code: Code
    /// The item or the number at fault, as the caller knows it: `stiffness`, `cell.width`, an item's description;
    /// nil if there are too many.
    public let name: String?
    /// What is wrong, and what would be right.
    public let description: String

    /// A number is outside of what is allowed, or no number.
    ///
    /// - Parameters:
    ///   - name: What it is, as the caller knows it: `stiffness`, `cell.width`.
    ///   - value: The number given.
    ///   - allowed: What would have been right, in words.
    /// - Returns: The error that says so.
    public static func outOfRange(name: String, value: Double, allowed: String) -> Self {
        Self(
            code: .outOfRange, name: name,
            description: "\(name) is \(value); it must be \(allowed)")
    }

    /// There is a cell for this item already.
    public static func duplicate(item: String) -> Self {
        Self(code: .duplicate, name: item, description: "there is a cell for \(item) already")
    }

    /// There is no cell for this item.
    public static func unknown(item: String) -> Self {
        Self(code: .unknown, name: item, description: "there is no cell for \(item)")
    }

    /// There would be more cells than a layout holds.
    ///
    /// - Parameters:
    ///   - count: How many there would be.
    ///   - limit: How many there may be.
    /// - Returns: The error that says so.
    public static func tooMany(count: Int, limit: Int) -> Self {
        Self(
            code: .tooMany, name: nil,
            description: "\(count) cells are too many; a layout holds up to \(limit)")
    }
}

/// What numbers from outside are held to.
enum Limits {
    /// The farthest that anything given may be from the origin, in px.
    static let coordinate = 1e9
    /// The most cells in a layout.
    static let cells = 1_000_000

    static func check(
        _ value: Double, _ name: String, in range: ClosedRange<Double>, allowed: String
    ) throws(LayoutError) {
        // A value that is not a number is in no range.
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
