package import JSONText

/// One chunk of a complete list: `items.reset`.
package struct ItemsReset: Sendable, Equatable {
    package var sub: RequestID
    package var gen: Int
    package var rev: Int
    package var token: String
    /// The number of items in the whole list.
    package var total: Int
    /// The start of the client's window in the list.
    package var start: Int
    /// The index of this chunk, from 0; the list is the concatenation of all chunks.
    package var chunk: Int
    /// Whether this is the last chunk.
    package var last: Bool
    package var complete: Bool
    /// "open", "update" and so on; for people.
    package var reason: String
    package var items: [ItemRecord]

    package init(
        sub: RequestID, gen: Int = 0, rev: Int, token: String, total: Int, start: Int = 0,
        chunk: Int = 0, last: Bool = true, complete: Bool = true, reason: String,
        items: [ItemRecord]
    ) {
        self.sub = sub
        self.gen = gen
        self.rev = rev
        self.token = token
        self.total = total
        self.start = start
        self.chunk = chunk
        self.last = last
        self.complete = complete
        self.reason = reason
        self.items = items
    }
}

extension ItemsReset: WireNotification, WireReadable {
    package static var method: StaticString { "items.reset" }

    package func write(to writer: inout JSONWriter) {
        write(to: &writer) { array in
            for item in items { item.write(to: &array) }
        }
    }

    /// Writes the message with items from another source than `items`, so that a long list need not be
    /// converted to records first.
    package func write(
        to writer: inout JSONWriter, items: (inout JSONWriter) -> Void
    ) {
        writer.beginObject()
        writer.member("sub", sub)
        writer.member("gen", gen)
        writer.member("rev", rev)
        writer.member("token", token)
        writer.member("total", total)
        writer.member("start", start)
        writer.member("chunk", chunk)
        writer.member("last", last)
        writer.member("complete", complete)
        writer.member("reason", reason)
        writer.member(array: "items", items)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        sub = try reader.requestID("sub")
        gen = try reader.int("gen")
        rev = try reader.int("rev")
        token = try reader.string("token")
        total = try reader.int("total", in: 0...Int.max)
        start = try reader.int("start", in: 0...Int.max)
        chunk = try reader.int("chunk", in: 0...Int.max)
        last = try reader.bool("last")
        complete = try reader.bool("complete")
        reason = try reader.optionalString("reason") ?? ""
        items = try reader.messages("items")
    }
}

/// A single read of a list: the result of `items.get`.
package struct ItemsResult: Sendable, Equatable {
    package var rev: Int
    package var total: Int
    package var start: Int
    package var items: [ItemRecord]
    /// The documents that were not read in time, by the attribute that is not known of them.
    package var pending: [String: Int]

    package init(
        rev: Int, total: Int, start: Int, items: [ItemRecord], pending: [String: Int] = [:]
    ) {
        self.pending = pending
        self.rev = rev
        self.total = total
        self.start = start
        self.items = items
    }
}

extension ItemsResult: WireReadable {
    /// Writes the message with items from another source than `items`, which may throw when the line becomes
    /// too long.
    package func write<Failure: Error>(
        to writer: inout JSONWriter, items: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        writer.beginObject()
        writer.member("rev", rev)
        writer.member("total", total)
        writer.member("start", start)
        try writer.member(array: "items", items)
        writer.pending(pending)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        rev = try reader.int("rev")
        total = try reader.int("total", in: 0...Int.max)
        start = try reader.int("start", in: 0...Int.max)
        items = try reader.messages("items")
        pending = try reader.pending()
    }
}

/// The result of `items.page`.
package struct ItemsPage: Sendable, Equatable {
    package var count: Int
    package var results: [ItemRecord]
    package var nextPageIndex: Int?
    package var previousPageIndex: Int?
    package var rev: Int
    /// The start and end of the page in the order; the next request passes it back.
    package var token: String?
    /// The documents that were not read in time, by the attribute that is not known of them.
    package var pending: [String: Int] = [:]

    package init(
        count: Int, results: [ItemRecord], nextPageIndex: Int?, previousPageIndex: Int?,
        rev: Int, token: String? = nil
    ) {
        self.count = count
        self.results = results
        self.nextPageIndex = nextPageIndex
        self.previousPageIndex = previousPageIndex
        self.rev = rev
        self.token = token
    }
}

extension ItemsPage: WireReadable {
    /// Writes the message with results from another source than `results`, which may throw when the line
    /// becomes too long.
    package func write<Failure: Error>(
        to writer: inout JSONWriter, results: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        writer.beginObject()
        writer.member("count", count)
        try writer.member(array: "results", results)
        writer.member("nextPageIndex", nextPageIndex.map { JSONValue($0) } ?? JSONValue.null)
        writer.member(
            "previousPageIndex", previousPageIndex.map { JSONValue($0) } ?? JSONValue.null)
        writer.member("rev", rev)
        if let token { writer.member("token", token) }
        writer.pending(pending)
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        count = try reader.int("count", in: 0...Int.max)
        results = try reader.messages("results")
        nextPageIndex = try reader.optionalInt("nextPageIndex")
        previousPageIndex = try reader.optionalInt("previousPageIndex")
        rev = try reader.int("rev")
        token = try reader.optionalString("token")
    }
}
