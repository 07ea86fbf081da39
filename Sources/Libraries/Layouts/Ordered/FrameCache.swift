/// The frames in which items are shown, by item, whichever layout they come from.
///
/// It outlives a change of the layout's kind, so that each item moves from where the old kind had it to
/// where the new one wants it. An item that goes takes its frame along.
public struct FrameCache<ID: Hashable> {
    private var frames: [ID: Rect] = [:]

    /// No frames.
    public init() {}

    /// How many frames there are.
    public var count: Int { frames.count }

    /// The frame in which an item is shown, in px; nil if it is not.
    public subscript(item: ID) -> Rect? { frames[item] }

    /// Notes where an item is to be shown.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - frame: In px.
    /// - Returns: Whether that differs from where it is: only then someone must be told.
    @discardableResult
    public mutating func place(_ item: ID, at frame: Rect) -> Bool {
        frames.updateValue(frame, forKey: item) != frame
    }

    /// Forgets an item that has gone.
    ///
    /// - Returns: The frame that it had, in px; nil if it had none.
    @discardableResult
    public mutating func remove(_ item: ID) -> Rect? { frames.removeValue(forKey: item) }
}
