// Where an array changed, for those who keep nothing of it but look at it when they are ready: a view
// with a window of its own, say. It is known without working out what changed.

/// Which rows of an array may differ from what they were: all but some at the start and at the end.
public struct ArrayExtent: Equatable, Sendable {
    /// How many rows at the start are as they were.
    public private(set) var prefix: Int
    /// How many rows at the end are as they were.
    public private(set) var suffix: Int
    /// By how many rows the array grew.
    public private(set) var deltaCount: Int

    /// - Parameters:
    ///   - prefix: How many rows at the start are as they were.
    ///   - suffix: How many rows at the end are as they were.
    ///   - deltaCount: By how many rows the array grew.
    init(prefix: Int, suffix: Int, deltaCount: Int = 0) {
        self.prefix = prefix
        self.suffix = suffix
        self.deltaCount = deltaCount
    }

    /// - Parameters:
    ///   - change: The change of an array.
    ///   - count: How many rows the array has after it.
    init<Element>(of change: ArrayChange<Element>, count: Int) {
        let modifications = change.modifications
        prefix = modifications.first?.startIndex ?? count
        suffix = count - (modifications.last?.outputRange.upperBound ?? 0)
        deltaCount = change.deltaCount
    }

    /// The extent of this change followed by another.
    func merged(with next: ArrayExtent) -> ArrayExtent {
        ArrayExtent(
            prefix: min(prefix, next.prefix), suffix: min(suffix, next.suffix),
            deltaCount: deltaCount + next.deltaCount)
    }
}

/// A sink that is told where an array changed.
private final class ExtentObserver<Element>: AnyObserver {
    private let node: ArrayNode<Element>
    private var sink: Sink<ArrayExtent>?
    private var pending: ArrayExtent?

    init(node: ArrayNode<Element>, sink: @escaping Sink<ArrayExtent>) {
        self.node = node
        self.sink = sink
        super.init(serial: node.scheduler.makeSerial())
    }

    override func receive() {
        guard let emission = node.emission else { return }
        let extent: ArrayExtent
        if let known = emission.preview?.extent {
            extent = known
        } else if let rows = emission.rows {
            extent = ArrayExtent(
                prefix: rows.lowerBound, suffix: node.count - rows.upperBound,
                deltaCount: emission.known.deltaCount)
        } else {
            extent = ArrayExtent(of: emission.change, count: node.count)
        }
        if let earlier = pending {
            pending = earlier.merged(with: extent)
        } else {
            pending = extent
            node.scheduler.await(self)
        }
    }

    override func deliver() {
        guard let extent = pending else { return }
        pending = nil
        sink?(extent)
    }

    func disconnect() {
        node.checkOwner()
        guard let released = sink else { return }
        sink = nil
        pending = nil
        node.remove(self)
        // What the sink holds may use the node when it is released: not before all is done here.
        withExtendedLifetime(released) {}
    }
}

extension ObservableArrayType {
    /// Where the array changed: one extent for each transaction that may have changed it.
    ///
    /// Unlike `changes`, this asks for no rows: when the order of a sorted array is replaced, nothing
    /// is sorted before somebody reads it. An extent may say more than what truly differs.
    public var extents: Source<ArrayExtent> {
        let node = observableArray.node
        return Source { sink in
            node.checkOwner()
            node.scheduler.settle()
            let observer = ExtentObserver(node: node, sink: sink)
            node.add(observer)
            return Connection { observer.disconnect() }
        }
    }
}
