package import ExactStatistics
package import PickerModel
package import WireProtocol

// Wire records of the model's types.

extension WireName {
    package init(_ name: FileName) {
        self.init(text: name.text, bytes: name.rawBytes)
    }
}

extension DocumentRecord {
    package init(_ document: Document) {
        self.init(
            key: document.key, name: WireName(document.name), path: WireName(document.path),
            root: document.root, size: Int64(clamping: document.size),
            modified: document.modified.secondsSince1970, type: document.type.text,
            liked: document.isLiked, dropped: document.isDropped)
    }
}

extension NumberStatistics {
    package init(_ statistics: Statistics<UInt64>) {
        self.init(
            sum: ExactInteger(statistics.sum.wide),
            mean: statistics.mean.rounded.map { ExactInteger($0) },
            min: statistics.least.map { ExactInteger($0) },
            max: statistics.greatest.map { ExactInteger($0) })
    }
}

extension ValueStatistics {
    package init(_ statistics: AttributeStatistics) {
        switch statistics.numbers {
        case .integers(let values):
            self.init(
                count: statistics.count,
                numbers: Numbers(
                    sum: .integer(values.sum.wide), mean: values.mean.nearestDouble,
                    min: values.least.map { .integer(Int128($0)) },
                    max: values.greatest.map { .integer(Int128($0)) }))
        case .reals(let sum, let mean, let ends):
            self.init(
                count: statistics.count,
                numbers: Numbers(
                    areTimes: statistics.attribute.kind == .time, sum: .real(sum), mean: mean,
                    min: ends.least.map { .real($0) },
                    max: ends.greatest.map { .real($0) }))
        case .none: self.init(count: statistics.count, numbers: nil)
        }
    }
}

extension StatisticsRecord {
    /// `naming` names an attribute.
    package init(
        _ statistics: DocumentStatistics, naming: (Attribute) -> String, pending: [String: Int]
    ) {
        self.init(statistics)
        self.pending = pending
        guard let values = statistics.attribute else { return }
        attributes[naming(values.attribute)] = ValueStatistics(values)
    }

    package init(_ statistics: DocumentStatistics) {
        self.init(
            count: statistics.count, size: NumberStatistics(statistics.sizes),
            modified: Times(
                mean: statistics.meanTime?.secondsSince1970,
                min: statistics.times.least?.secondsSince1970,
                max: statistics.times.greatest?.secondsSince1970))
    }
}

extension ItemRecord {
    package init(_ item: ItemContent) {
        switch item {
        case .newDocument: self = .new
        case .document(let document): self.init(DocumentRecord(document))
        }
    }
}

extension ItemRecord {
    /// A row with some of its fields; it is read no further than these need.
    package init(_ row: ShownRow, of table: DocumentTable, fields: ItemFields) {
        guard let item = row.item else {
            self.init(kind: .document, key: table.key(of: row))
            return
        }
        guard let row = item.row else {
            self = .new
            return
        }
        self.init(kind: .document, key: table.text(of: table.key(of: row)))
        if fields.contains(.name) { name = WireName(table.name(of: row)) }
        if fields.contains(.path) { path = WireName(table.path(of: row)) }
        if fields.contains(.root) { root = table.root(of: row).text }
        if fields.contains(.size) { size = Int64(clamping: table.size(of: row)) }
        if fields.contains(.modified) {
            modified = table.modified(of: row).secondsSince1970
        }
        if fields.contains(.type) { type = table.type(of: row).text }
        liked = table.isLiked(row)
        dropped = table.isDropped(row)
    }
}
