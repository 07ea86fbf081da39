/// What takes a deed back.
struct UndoStep: Equatable {
    /// The most that are kept; older ones are forgotten.
    static let most = 100

    let deed: PickCommand.Deed
    /// What is taken back, for people.
    let text: String

    /// Whether it names documents by keys.
    var hasKeys: Bool {
        if case .untrash = deed { false } else { true }
    }
}
