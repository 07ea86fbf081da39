package import PickerClient

/// A marked document.
package struct Mark: Equatable, Sendable {
    /// The document as it was last seen.
    package internal(set) var item: ListItem
    /// Its key; nil while keys mean other documents than before, and it has not been found again.
    package internal(set) var key: String?
    /// Whether it is no more.
    package internal(set) var isGone = false

    init(_ item: ListItem) {
        self.item = item
        key = item.key
    }
}
