import PickerClient

// A live layout on a terminal: a title, and the drawing as far as it fits. A force layout is scaled down to
// fit; of the others, the first rows are drawn.

/// `layout --watch`.
final class LayoutScreen: LiveScreenContent {
    private let live: LiveRun
    private let screen: LiveScreen
    private let list: LiveList
    private let layout: LiveLayout

    init(_ live: LiveRun, _ query: ListQuery, _ layout: LayoutQuery, _ palette: Palette) {
        self.live = live
        screen = LiveScreen(live, palette)
        list = live.session.openList(query)
        self.layout = LiveLayout(of: list, layout)
    }

    func run() throws {
        screen.follow(list)
        layout.onChange = { [screen] in screen.paintSoon() }
        layout.onFinish = { [screen] _ in screen.paintSoon() }
        layout.onError = { [live] in live.fail($0) }
        try screen.run(showing: self)
    }

    var title: String {
        let count = layout.frames.count
        var parts = [layout.query.kind.rawValue, count == 1 ? "1 item" : "\(count) items"]
        if layout.query.kind == .force {
            let moved = (layout.movement * 10).rounded() / 10
            parts.append(
                layout.isFinished
                    ? "at rest after \(layout.tick) ticks"
                    : "tick \(layout.tick), moving \(moved) px")
        }
        return parts.joined(separator: " · ")
    }

    func lines(rows: Int, columns: Int) -> [String] {
        // Without the title, and the line for the prompt.
        LayoutDrawing.lines(
            LayoutPicture(layout), columns: columns, rows: max(1, rows - 2),
            fits: layout.query.kind == .force)
    }

    /// The bounds of the layout do not depend on the terminal.
    func resize() {}
}
