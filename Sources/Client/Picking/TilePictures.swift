internal import PickerClient
internal import TerminalCells

/// The pictures of the documents on a grid's screen. A document that has left the screen has none any more.
package struct TilePictures: Equatable, Sendable {
    /// The most of them; other tiles have none.
    package static let most = 256

    struct Picture: Equatable, Sendable {
        let target: PickPreview.Target
        let number: Int
        /// What is drawn: of the former state of a file until there is that of the new one.
        var content: PreviewContent
        /// The number of the request to which the content belongs.
        var shownNumber: Int
    }

    private(set) var pictures: [Picture] = []

    /// Asks for pictures of these documents, and keeps those that there are.
    mutating func show(_ targets: [PickPreview.Target], numberedAfter last: inout Int) {
        if targets == pictures.map(\.target) { return }
        let before = Dictionary(
            pictures.map { ($0.target.key, $0) }, uniquingKeysWith: { first, _ in first })
        pictures = targets.map { target in
            let old = before[target.key]
            if let old, old.target == target { return old }
            last += 1
            var picture = Picture(
                target: target, number: last, content: .loading, shownNumber: 0)
            if let old, old.target.path == target.path, old.target.area == target.area {
                (picture.content, picture.shownNumber) = (old.content, old.shownNumber)
            }
            return picture
        }
    }

    mutating func take(_ content: PreviewContent, of request: Int) {
        guard let index = pictures.firstIndex(where: { $0.number == request }) else { return }
        pictures[index].content = content
        pictures[index].shownNumber = request
    }

    /// That of a document, if there is one.
    func picture(of key: String) -> Picture? { pictures.first { $0.target.key == key } }
}

extension PickState {
    /// Whether tiles may have pictures: of images these need colors.
    private var hasPictures: Bool { isGrid && outcome == nil && terminal.hasColor }

    /// Whether what the terminal can do about images is of interest, since some may be shown.
    package var mayShowImages: Bool {
        let isPreviewed = preview.isShown && options.previewCommand == nil
        return outcome == nil && terminal.hasColor && (isPreviewed || isGrid)
    }

    /// Notes of which documents on the screen there are to be pictures.
    mutating func watchPictures() {
        var targets: [PickPreview.Target] = []
        let shape = self.shape
        if hasPictures, shape.picture.rows > 0, shape.picture.columns > 0, let rows {
            for place in top..<top + shape.count where targets.count < TilePictures.most {
                guard let item = rows.item(at: place),
                    PreviewRequest.mayHaveThumbnail(item.type),
                    let target = PickPreview.Target(item, in: shape.picture, on: terminal)
                else { continue }
                targets.append(target)
            }
        }
        pictures.show(targets, numberedAfter: &lastNumber)
    }

    /// The pictures that tiles want, in their order.
    package var wantedPictures: [PreviewRequest] {
        outcome == nil ? pictures.pictures.map { $0.target.request($0.number) } : []
    }
}
