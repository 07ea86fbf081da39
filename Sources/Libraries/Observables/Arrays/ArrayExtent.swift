// The extent of an array's change, for observers that keep no elements and read the array when they are
// ready: a view with its own window, for example. It is known without computing the change.

/// The rows of an array that may have changed: all except a prefix and a suffix.
public struct ArrayExtent: Equatable, Sendable {
    /// The number of unchanged rows at the start.
    public private(set) var prefix: Int
    /// The number of unchanged rows at the end.
    public private(set) var suffix: Int
    /// The difference between the new and the old count.
    public private(set) var deltaCount = 0
}

extension ArrayExtent {
    /// - Parameters:
    ///   - change: The change of an array.
    ///   - count: The row count after the change.
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

/// A sink for the extents of an array's changes.
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
            node.scheduler.scheduleDelivery(to: self)
        }
    }

    override func deliver() {
        guard let extent = pending.take() else { return }
        sink?(extent)
    }

    func disconnect() {
        node.checkOwner()
        guard let released = sink.take() else { return }
        pending = nil
        node.remove(self)
        // The sink's captures may use the node when they are released, so release them last.
        withExtendedLifetime(released) {}
    }
}

extension ObservableArrayType {
    /// The extents of changes: one for each transaction that may have changed the array.
    ///
    /// Unlike `changes`, this reads no rows: when a sorted array gets a new order, nothing is sorted
    /// until somebody reads it. An extent may cover more rows than those that differ.
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
