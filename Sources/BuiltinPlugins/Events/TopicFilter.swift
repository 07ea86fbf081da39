internal import WireProtocol

/// The filter of topics as clients write it; the bus has one of the same name.
typealias TopicFilter = WireProtocol.TopicFilter
