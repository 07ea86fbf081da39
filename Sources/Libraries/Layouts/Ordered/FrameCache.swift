/// The frames in which items are shown, by item, whichever layout they come from.
///
/// It outlives a change to another kind of layout, so that each item moves from its old frame to its new
/// one. A removed item loses its frame.
public struct FrameCache<ID: Hashable> {
    private var frames: [ID: Rect] = [:]

    /// An empty cache.
    public init() {}

    /// The number of frames.
    package var count: Int { frames.count }

    /// The frame in which an item is shown, in px; `nil` if it is not.
    public subscript(item: ID) -> Rect? { frames[item] }

    /// Sets the frame of an item.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - frame: Its frame, in px.
    /// - Returns: Whether the frame differs from the old one: only then does a view need an update.
    @discardableResult
    public mutating func place(_ item: ID, at frame: Rect) -> Bool {
        frames.updateValue(frame, forKey: item) != frame
    }

    /// Removes an item.
    ///
    /// - Returns: Its frame, in px; `nil` if it had none.
    @discardableResult
    public mutating func remove(_ item: ID) -> Rect? { frames.removeValue(forKey: item) }
}
