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
        guard command == nil, showsImages, let type else { return false }
        return ["image/", "video/", "audio/"].contains { type.hasPrefix($0) }
            || ["application/pdf", "application/postscript", "application/epub+zip"].contains(type)
    }

    /// Whether images are shown, at least with characters: these need colors.
    package var showsImages: Bool { terminal.hasColor }
}

extension PickState {
    /// Whether the preview may show images, and so what the terminal can do about them is of interest.
    package var mayShowImages: Bool {
        outcome == nil && preview.isShown && options.previewCommand == nil && terminal.hasColor
    }
}

extension PickCanvas {
    /// An image is shown unless something lies over it, or it was made for a larger place.
    mutating func drawPreview(_ image: PreviewImage, _ place: CellRect) {
        switch state.overlay {
        case .help?, .actions?: return
        case .question?, nil: break
        }
        guard image.size.rows <= place.rows, image.size.columns <= place.columns else { return }
        let number = UInt32(truncatingIfNeeded: state.preview.shownNumber) % (1 << 20)
        images = [
            ImagePlacement(
                id: ImagePlacement.firstNumber + number,
                rect: CellRect(
                    row: place.row, column: place.column, rows: image.size.rows,
                    columns: image.size.columns),
                content: image.content, isStretched: image.isStretched)
        ]
    }
}

extension ImagePlacement {
    /// Numbers of images are from this one on: those of other programs in the same terminal begin with 1.
    fileprivate static let firstNumber: UInt32 = 0x7069_0000
}
