package import TerminalCells

/// An image that a preview shows, at the start of its place.
package struct PreviewImage: Equatable, Sendable {
    package var content: ImageContent
    /// The cells that it takes.
    package var size: TerminalSize
    /// Whether it is drawn as large as these, or else as its pixels.
    package var isStretched: Bool

    package init(_ content: ImageContent, _ size: TerminalSize, isStretched: Bool = true) {
        self.isStretched = isStretched
        self.content = content
        self.size = size
    }
}

extension PreviewRequest {
    /// Whether the daemon may know of an image that shows the document: that of types which have thumbnails.
    package var wantsThumbnail: Bool {
        command == nil && showsImages && Self.mayHaveThumbnail(type)
    }

    /// Whether documents of a type may have thumbnails.
    static func mayHaveThumbnail(_ type: String?) -> Bool {
        guard let type else { return false }
        return ["image/", "video/", "audio/"].contains { type.hasPrefix($0) }
            || ["application/pdf", "application/postscript", "application/epub+zip"].contains(type)
    }

    /// Whether images are shown, at least with characters: these need colors.
    package var showsImages: Bool { terminal.hasColor }
}

extension PickCanvas {
    /// An image that was made for a larger place is not shown.
    mutating func drawPreview(_ image: PreviewImage, _ place: CellRect) {
        guard image.size.rows <= place.rows, image.size.columns <= place.columns else { return }
        let rect = CellRect(
            row: place.row, column: place.column, rows: image.size.rows,
            columns: image.size.columns)
        add(image, rect, number: state.preview.shownNumber)
    }

    /// Adds an image, under the number of the request for it, unless something lies over it.
    mutating func add(_ image: PreviewImage, _ rect: CellRect, number: Int) {
        switch state.overlay {
        case .help?, .actions?: return
        case .question?, nil: break
        }
        let number = UInt32(truncatingIfNeeded: number) % (1 << 20)
        images.append(
            ImagePlacement(
                id: ImagePlacement.firstNumber + number, rect: rect, content: image.content,
                isStretched: image.isStretched))
    }
}

extension ImagePlacement {
    /// Numbers of images are from this one on: those of other programs in the same terminal begin with 1.
    fileprivate static let firstNumber: UInt32 = 0x7069_0000
}
