internal import PluginInterface
internal import WireProtocol

/// What makes the frames of an open layout: in rows, on the loop, or by forces, on a worker.
///
/// It is told of items and settings that have been checked.
protocol LayoutBody: AnyObject {
    /// Is told what comes of it; held weakly.
    var delegate: (any LayoutBodyDelegate)? { get set }

    /// The items are these now, in this order; `old` was before.
    func reset(to keys: [String], from old: [String], rev: Int)

    /// The items are `keys` now, by this delta, which some of `old` have left.
    func change(by delta: ItemsDelta, to keys: [String], from old: [String])

    /// Other bounds, other options.
    func adopt(_ settings: LayoutSettings)

    /// Items with these indexes have been measured anew; the client's sizes have it.
    func measured(_ indexes: [Int])

    /// Sends what there is to send, while the sink has room; answers whether there is more.
    func produce(into sink: any LineSink) -> Bool

    /// Nothing more is wanted.
    func close()
}

/// Who hears of what a body does.
protocol LayoutBodyDelegate: AnyObject {
    /// There is something to send.
    func requestRoom()

    /// So many cells have come to rest; told each time.
    func didFinish(_ finished: LayoutFinished, cells: Int)

    /// The layout can't go on.
    func didFail(_ reason: String)
}
