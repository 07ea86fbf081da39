extension ListWindow {
    /// The default window of a client: the first 50 rows.
    package static let opening = ListWindow(checkedStart: 0, count: 50)
}
