/// What one tick of a ``ForceLayout`` did.
public struct ForceTick: Hashable, Sendable {
    /// Why a layout stopped.
    public enum Finish: Hashable, Sendable {
        /// It is at rest.
        case rest
        /// It was not at rest when the ticks it is allowed were over.
        case tickLimit
    }

    /// How many ticks there were since the last change from outside, this one included.
    public var ticks: Int
    /// The distances that the cells moved in this tick, added up, in px. A tick that finds them at rest
    /// moves none, and repeats what the one before it said.
    public var movement: Double
    /// The longest of them, in px; no less than it, while cells that overlap are parted.
    public var largestMove: Double
    /// The mean force on a cell as a part of the spring's at the rim of the cells at rest.
    public var residual: Double
    /// Why there is nothing more to do; nil if there is.
    public var finish: Finish?
}
