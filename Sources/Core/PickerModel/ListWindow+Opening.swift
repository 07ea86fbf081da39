extension ListWindow {
    /// The window of a client that does not say which rows it wants: the first 50.
    package static let opening = ListWindow(checkedStart: 0, count: 50)
}
