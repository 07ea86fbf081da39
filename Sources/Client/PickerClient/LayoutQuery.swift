internal import JSONText

/// The layout of the items of a list.
public struct LayoutQuery: Hashable, Sendable {
    /// The kinds of layouts.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Rows below each other.
        case list
        /// Rows of cells of one size.
        case grid
        /// Cells of individual sizes next to each other, as many in a line as fit.
        case flow
        /// Cells that are drawn to the center and push each other apart.
        case force
    }

    /// The kind.
    public var kind: Kind
    /// The width of the window, in px.
    public var width: Double
    /// The height of the window, in px.
    public var height: Double
    /// The options of the kind: a JSON object, as in the protocol.
    public var options: RawJSON

    /// A layout of this kind in a window of this size, in px, with default options unless given.
    public init(_ kind: Kind, width: Double, height: Double, options: RawJSON? = nil) {
        self.kind = kind
        self.width = width
        self.height = height
        self.options = options ?? RawJSON([:])
    }

    /// The parameters of `layout.open`, without the list.
    var parameters: JSONObject {
        [
            "kind": .string(kind.rawValue), "bounds": bounds,
            "options": (try? options.fragment.value()) ?? [:],
        ]
    }

    var bounds: JSONValue { [.double(width), .double(height)] }
}

/// The frame of an item, in px: the upper left corner (`y` grows downwards) and the size.
public struct LayoutFrame: Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// The frame with this upper left corner and this size, in px.
    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}
