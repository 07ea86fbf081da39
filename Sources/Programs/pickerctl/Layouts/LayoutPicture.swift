package import PickerClient

/// The frames of a layout with their contents, in the order of the list.
package struct LayoutPicture {
    /// One item in its frame.
    package struct Cell {
        package var frame: LayoutFrame
        /// The unchanged name; the renderer makes it visible.
        package var name: String

        package init(frame: LayoutFrame, name: String) {
            self.frame = frame
            self.name = name
        }
    }

    /// The smallest rectangle that holds the window and all frames.
    package private(set) var bounds: LayoutFrame
    package let cells: [Cell]

    /// A picture of cells in a window of this size, which begins at 0.
    package init(_ cells: [Cell], width: Double, height: Double) {
        self.cells = cells
        var left = 0.0
        var top = 0.0
        var right = width
        var bottom = height
        for cell in cells {
            left = min(left, cell.frame.x)
            top = min(top, cell.frame.y)
            right = max(right, cell.frame.x + cell.frame.width)
            bottom = max(bottom, cell.frame.y + cell.frame.height)
        }
        bounds = LayoutFrame(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// The current state of a live layout. Items without a frame are omitted.
    init(_ layout: LiveLayout) {
        let cells = layout.list.items.compactMap { item in
            layout.frames[item.key].map { frame in
                Cell(frame: frame, name: item.isNew ? "new document" : item.name ?? item.key)
            }
        }
        self.init(cells, width: layout.query.width, height: layout.query.height)
    }
}
