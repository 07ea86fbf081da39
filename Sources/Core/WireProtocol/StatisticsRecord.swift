package import JSONText

/// The sum, mean, minimum and maximum of whole numbers. Without numbers, the sum is 0 and the others are null.
package struct NumberStatistics: Hashable, Sendable {
    package var sum: ExactInteger
    /// Rounded to the nearest whole number, ties to even.
    package var mean: ExactInteger?
    package var min: ExactInteger?
    package var max: ExactInteger?

    package init(
        sum: ExactInteger, mean: ExactInteger?, min: ExactInteger?, max: ExactInteger?
    ) {
        self.sum = sum
        self.mean = mean
        self.min = min
        self.max = max
    }

    /// Writes only the members, into an open object.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("sum", sum)
        writer.nullable("mean", mean)
        writer.nullable("min", min)
        writer.nullable("max", max)
    }
}

extension NumberStatistics: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        sum = try reader.exactInteger("sum")
        mean = try reader.optionalExactInteger("mean")
        min = try reader.optionalExactInteger("min")
        max = try reader.optionalExactInteger("max")
    }
}

/// The result of `documents.stats`.
package struct StatisticsRecord: Hashable, Sendable {
    /// Times in seconds since 1970 UTC, as in documents; null without documents.
    package struct Times: Hashable, Sendable {
        /// Rounded to the nearest nanosecond before the conversion to seconds.
        package var mean: Double?
        package var min: Double?
        package var max: Double?

        package init(mean: Double?, min: Double?, max: Double?) {
            self.mean = mean
            self.min = min
            self.max = max
        }
    }

    package var count: Int
    /// In bytes.
    package var size: NumberStatistics
    package var modified: Times
    /// The values of the attribute that was asked for, by its name.
    package var attributes: [String: ValueStatistics]
    /// The documents that were not read in time, by the attribute that is not known of them.
    package var pending: [String: Int]

    package init(
        count: Int, size: NumberStatistics, modified: Times,
        attributes: [String: ValueStatistics] = [:], pending: [String: Int] = [:]
    ) {
        self.count = count
        self.size = size
        self.modified = modified
        self.attributes = attributes
        self.pending = pending
    }
}

extension StatisticsRecord: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("count", count)
            writer.member("size", size)
            writer.member(object: "modified") { writer in
                writer.member("mean", modified.mean.map { JSONValue($0) } ?? JSONValue.null)
                writer.member("min", modified.min.map { JSONValue($0) } ?? JSONValue.null)
                writer.member("max", modified.max.map { JSONValue($0) } ?? JSONValue.null)
            }
            for (name, values) in attributes.sorted(by: { $0.key < $1.key }) {
                writer.key(escaping: name)
                values.write(to: &writer)
            }
            writer.pending(pending)
        }
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        count = try reader.int("count", in: 0...Int.max)
        size = try NumberStatistics(reading: reader.object("size"))
        let times = try reader.object("modified")
        modified = try Times(
            mean: times.optionalDouble("mean"), min: times.optionalDouble("min"),
            max: times.optionalDouble("max"))
        attributes = [:]
        for name in reader.keys where Schema.isAttributeName(name) {
            attributes[name] = try ValueStatistics(reading: reader.object(name))
        }
        pending = try reader.pending()
    }
}

extension JSONWriter {
    fileprivate mutating func nullable(_ name: StaticString, _ value: ExactInteger?) {
        key(name)
        if let value { value.write(to: &self) } else { null() }
    }
}
