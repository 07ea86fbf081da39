/// A function that receives values.
public typealias Sink<Value> = (Value) -> Void

/// A type that sends values to connected sinks.
public protocol SourceType<Value> {
    /// The type of the values.
    associatedtype Value

    /// Sends each later value to `sink`, until the connection ends.
    ///
    /// The connection ends when the last reference to it goes, so it must be kept.
    func connect(_ sink: @escaping Sink<Value>) -> Connection
}

/// A type-erased source.
public struct Source<Value>: SourceType {
    private let connectSink: (@escaping Sink<Value>) -> Connection

    /// A source that connects sinks by calling `connect`.
    public init(_ connect: @escaping (@escaping Sink<Value>) -> Connection) {
        connectSink = connect
    }

    /// Sends each later value to `sink`, until the connection ends.
    public func connect(_ sink: @escaping Sink<Value>) -> Connection {
        connectSink(sink)
    }
}

extension SourceType {
    /// A source of the results of `transform`.
    ///
    /// - Complexity: one call of `transform` for each value and each sink.
    public func map<Result>(_ transform: @escaping (Value) -> Result) -> Source<Result> {
        Source { sink in connect { sink(transform($0)) } }
    }

    /// A source of the values for which `predicate` holds.
    ///
    /// - Complexity: one call of `predicate` for each value and each sink.
    public func filter(_ predicate: @escaping (Value) -> Bool) -> Source<Value> {
        Source { sink in connect { if predicate($0) { sink($0) } } }
    }
}
