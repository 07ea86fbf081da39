/// What is left of all items that are sent as a reset, in chunks.
struct SourceReset {
    /// What a line has besides the items.
    static let around = 1000

    private let ids: [String]
    private var place = 0
    private var chunk = 0

    init(_ ids: [String]) { self.ids = ids }

    /// The next chunk: items that are gone by now are left out.
    mutating func next(
        _ items: [String: [UInt8]]
    ) -> (number: Int, lines: [[UInt8]], isLast: Bool) {
        var lines: [[UInt8]] = []
        var size = Self.around
        while place < ids.count {
            if let line = items[ids[place]] {
                size += line.count + 1
                if size > Limits.change { break }
                lines.append(line)
            }
            place += 1
        }
        defer { chunk += 1 }
        return (chunk, lines, place == ids.count)
    }
}
