/// The result of one tick of a ``ForceLayout``.
public struct ForceTick: Hashable, Sendable {
    /// The reason why a layout stopped.
    public enum Finish: Hashable, Sendable {
        /// It is at rest.
        case rest
        /// It was not at rest when its ticks were used up.
        case tickLimit
    }

    /// The number of ticks since the last change from outside, this one included.
    public var ticks: Int
    /// The sum of the distances that cells moved in this tick, in px. A tick that finds them at rest
    /// moves none, and repeats the numbers of the one before.
    public var movement: Double
    /// The longest of these distances, in px; an upper bound of it while overlapping cells are
    /// separated.
    public var largestMove: Double
    /// The mean force on a cell, as a fraction of the spring force at the rim of the cells at rest.
    public var residual: Double
    /// The reason why the layout has finished; `nil` if it has not.
    public var finish: Finish?

    /// The last tick of a layout before its first.
    static let unstarted = ForceTick(
        ticks: 0, movement: 0, largestMove: 0, residual: .infinity, finish: nil)
}
