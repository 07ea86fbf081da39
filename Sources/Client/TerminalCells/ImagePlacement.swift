/// An image over some cells of a frame. What the frame has under it is not shown.
package struct ImagePlacement: Equatable, Sendable {
    /// Tells images apart, for the terminal too: another image has another number.
    package var id: UInt32
    package var rect: CellRect
    package var content: ImageContent
    /// Whether it is drawn as large as its cells, or else as its pixels, if the terminal can scale it.
    package var isStretched: Bool

    package init(id: UInt32, rect: CellRect, content: ImageContent, isStretched: Bool = true) {
        self.isStretched = isStretched
        self.id = id
        self.rect = rect
        self.content = content
    }
}

/// An image in a form that a terminal takes.
package enum ImageContent: Hashable, Sendable {
    /// The bytes of the absolute path of a PNG that the terminal reads itself, by kitty's protocol.
    case kittyFile([UInt8])
    /// The bytes of a PNG, by kitty's protocol.
    case kittyPNG([UInt8])
    /// The data of a sixel image, which is as large as its pixels.
    case sixel([UInt8])

    /// Whether the terminal keeps it under its number, until it is told to delete it.
    var isKept: Bool {
        switch self {
        case .kittyFile, .kittyPNG: true
        case .sixel: false
        }
    }
}
