internal import PickerClient

/// The document that was under the cursor in a frame.
struct SeenFrame: Equatable {
    /// The most that are remembered. A terminal shows the last one or the one before it.
    static let most = 16

    let number: Int
    let item: ListItem?
    /// How often the cursor had been sent elsewhere by hand.
    let moves: Int
    /// Whether its rows were of the query that was typed.
    let isAnswered: Bool
}
