package import PickerClient

/// The cursor: a document, and where it is.
package struct PickCursor: Equatable, Sendable {
    /// The document; nil if there is none, or it is not known yet.
    package internal(set) var item: ListItem?
    /// Its place in the list.
    package internal(set) var place = 0
    /// The line of rows on the screen, from 0: a line of a grid has several.
    package internal(set) var row = 0
    /// Whether it was moved by hand: then it is that document's, and otherwise that of the first row.
    package internal(set) var hasMoved = false
    /// Its place when it was moved the last time.
    var handPlace = 0
    /// Whether its document was found again, and its place is not known yet.
    var isFound = false
    /// The rows that its window has before it.
    var offset = 0

    package init() {}

    package var key: String? { item?.key }

    /// The rows that came in above it since it was moved.
    package var newAbove: Int { hasMoved ? max(0, place - handPlace) : 0 }
}
