internal import Layouts
internal import PluginInterface
internal import WireProtocol

/// Makes the frames of an open layout: in rows on the loop, or by forces on a worker.
///
/// Items and settings are validated before they are passed in.
protocol LayoutBody: AnyObject {
    /// The stream that sends the lines, and is told of the end; a weak reference.
    var stream: LayoutStream? { get set }

    /// Replaces the items `old` by new ones.
    func reset(to keys: [String], from old: [String], rev: Int)

    /// Applies a delta, after which the items are `keys`; some of `old` have left.
    func change(by delta: ItemsDelta, to keys: [String], from old: [String])

    /// Applies new bounds and options.
    func adopt(_ settings: LayoutSettings)

    /// Applies new sizes of the items with these indices; the client's sizes contain them.
    func measured(_ sizes: [(index: Int, size: Size)])

    /// Sends pending lines while the sink has room. Returns whether there are more.
    func produce(into sink: any LineSink) -> Bool

    /// Ends the layout.
    func close()
}
