package import JSONText

// The change of a client's window between two revisions. The indices of `deleted` and the first ones of `moved`
// refer to the window before the change; those of `inserted` and `updated` and the second ones of `moved`, to
// the window after it. Each list is sorted by its own index.

/// `items.delta`.
package struct ItemsDelta: Sendable, Equatable {
    package struct Move: Hashable, Sendable {
        package var from: Int
        package var to: Int

        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    package struct Insertion: Sendable, Equatable {
        package var index: Int
        package var item: ItemRecord

        package init(index: Int, item: ItemRecord) {
            self.index = index
            self.item = item
        }
    }

    package struct Update: Sendable, Equatable {
        package var index: Int
        /// Changed members; null for a removed one.
        package var changes: JSONObject

        package init(index: Int, changes: JSONObject) {
            self.index = index
            self.changes = changes
        }
    }

    package var sub: RequestID
    package var gen: Int
    package var from: Int
    package var to: Int
    package var token: String
    package var total: Int
    package var start: Int
    package var complete: Bool
    package var deleted: [Int]
    package var moved: [Move]
    package var inserted: [Insertion]
    package var updated: [Update]
    /// The members written for each inserted item; not itself on the wire.
    package var fields: ItemFields = .all

    package init(
        sub: RequestID, gen: Int = 0, from: Int, to: Int, token: String, total: Int,
        start: Int = 0, complete: Bool = true, deleted: [Int] = [], moved: [Move] = [],
        inserted: [Insertion] = [], updated: [Update] = [], fields: ItemFields = .all
    ) {
        self.sub = sub
        self.gen = gen
        self.from = from
        self.to = to
        self.token = token
        self.total = total
        self.start = start
        self.complete = complete
        self.deleted = deleted
        self.moved = moved
        self.inserted = inserted
        self.updated = updated
        self.fields = fields
    }
}

extension ItemsDelta: WireNotification, WireReadable {
    package static var method: StaticString { "items.delta" }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("sub", sub)
        writer.member("gen", gen)
        writer.member("from", from)
        writer.member("to", to)
        writer.member("token", token)
        writer.member("total", total)
        writer.member("start", start)
        writer.member("complete", complete)
        writer.member(array: "deleted") { array in
            for index in deleted { array.integer(index) }
        }
        writer.member(array: "moved") { array in
            for move in moved {
                array.array { pair in
                    pair.integer(move.from)
                    pair.integer(move.to)
                }
            }
        }
        writer.member(array: "inserted") { array in
            for insertion in inserted {
                array.array { pair in
                    pair.integer(insertion.index)
                    insertion.item.write(to: &pair, fields: fields)
                }
            }
        }
        writer.member(array: "updated") { array in
            for update in updated {
                array.array { pair in
                    pair.integer(update.index)
                    pair.object(update.changes)
                }
            }
        }
        writer.endObject()
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        sub = try reader.requestID("sub")
        gen = try reader.int("gen")
        from = try reader.int("from")
        to = try reader.int("to")
        token = try reader.string("token")
        total = try reader.int("total", in: 0...Int.max)
        start = try reader.int("start", in: 0...Int.max)
        complete = try reader.bool("complete")
        deleted = try reader.optionalInts("deleted") ?? []
        moved = try reader.pairs("moved", "[from, to]") { first, second in
            second.integerValue.map { Move(from: first, to: Int($0)) }
        }
        inserted = try reader.pairs("inserted", "[index, item]") { first, second in
            (try? ItemRecord(decoding: second)).map { Insertion(index: first, item: $0) }
        }
        updated = try reader.pairs("updated", "[index, changes]") { first, second in
            (try? second.value())?.objectValue.map { Update(index: first, changes: $0) }
        }
    }
}

extension ParameterReader {
    /// An array of pairs that begin with an index.
    fileprivate func pairs<Value>(
        _ name: String, _ shape: String, _ read: (Int, JSONView) -> Value?
    ) throws(ProtocolError) -> [Value] {
        var values: [Value] = []
        for (index, element) in try (optionalElements(name) ?? []).enumerated() {
            guard let pair = try? element.elements(), pair.count == 2,
                let first = pair[0].integerValue, first >= 0,
                let value = read(Int(first), pair[1])
            else {
                let path = "\(path(name))[\(index)]"
                throw .invalidParams(at: path, "'\(path)' must be \(shape)")
            }
            values.append(value)
        }
        return values
    }
}
