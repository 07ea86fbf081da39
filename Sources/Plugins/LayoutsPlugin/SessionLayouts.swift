internal import JSONText
internal import Layouts
internal import WireProtocol

/// The shared state of one client's layouts: the sizes that the client has measured, and the items that
/// left recently.
///
/// It lives as long as the client has an open layout.
final class SessionLayouts {
    private(set) var sizes = SizeCache<String>()
    private(set) var layouts: [LayoutStream] = []
    /// Called when the last layout has closed.
    var onEmpty: () -> Void = {}
    private let limits: LayoutLimits
    /// The keys of items that left, the latest last: as many as the limit, plus the rest of the batch that
    /// reaches it.
    private var departed: [[String]] = []
    private var departedCount = 0

    init(_ limits: LayoutLimits) {
        self.limits = limits
    }

    func add(_ layout: LayoutStream) { layouts.append(layout) }

    func remove(_ layout: LayoutStream) {
        layouts.removeAll { $0 === layout }
        if layouts.isEmpty { onEmpty() }
    }

    /// Records items that have left.
    func recordDepartures(_ keys: [String]) {
        if keys.isEmpty { return }
        departed.append(keys)
        departedCount += keys.count
        while let first = departed.first, departedCount - first.count >= limits.departed {
            departed.removeFirst()
            departedCount -= first.count
        }
    }

    /// Whether there is such an item, or was until recently.
    ///
    /// - Complexity: O(items) comparisons of text.
    func knows(_ key: String) -> Bool { departed.contains { $0.contains(key) } }

    // MARK: Sizes

    /// Stores the sizes that the client has measured, and passes them to its layouts: all or nothing. Sizes
    /// of items that left recently are ignored.
    ///
    /// - Complexity: O(sizes + items of all layouts of the client). A layout is read as far as the last of its items
    ///   that was measured.
    func measure(_ params: ParameterReader) throws(ProtocolError) {
        let measured = try Self.read(params)
        var wanted: [String: Int] = [:]
        for (index, entry) in measured.enumerated() { wanted[entry.item] = index }
        // The indices of the measured items in each layout.
        var isFound = Array(repeating: false, count: measured.count)
        var places: [[(place: Int, entry: Int)]] = []
        for layout in layouts {
            var found: [(place: Int, entry: Int)] = []
            for (place, key) in layout.keys.enumerated() {
                if found.count == wanted.count { break }
                guard let entry = wanted[key] else { continue }
                found.append((place, entry))
                isFound[entry] = true
            }
            places.append(found)
        }
        var lately: Set<String>?
        for (index, entry) in measured.enumerated() where !isFound[index] {
            // The last size of a repeated item counts.
            guard wanted[entry.item] == index else { continue }
            let gone = lately ?? Set(departed.joined())
            lately = gone
            guard gone.contains(entry.item) else {
                let path = "\(params.path("sizes"))[\(index)]"
                throw .invalidParams(
                    at: path,
                    "'\(path)' is of \(ProtocolError.quoted(entry.item)), which is the key of no "
                        + "item in a list that is laid out here")
            }
        }
        let known = measured.indices.filter { isFound[$0] }
        var isChanged = Array(repeating: false, count: measured.count)
        for index in try store(known.map { measured[$0] }) { isChanged[known[index]] = true }
        for (layout, found) in zip(layouts, places) {
            layout.measured(
                found.compactMap { place, entry in
                    isChanged[entry] ? (place, measured[entry].size) : nil
                })
        }
    }

    private static func read(
        _ params: ParameterReader
    ) throws(ProtocolError) -> [(item: String, size: Size)] {
        let whole = params.path("sizes")
        var measured: [(item: String, size: Size)] = []
        for (index, view) in try params.elements("sizes").enumerated() {
            let path = "\(whole)[\(index)]"
            guard view.kind == .array, let parts = try? view.elements(), parts.count == 3 else {
                throw .invalidParams(
                    at: path,
                    "'\(path)' must be [key, width, height], not \(ParameterReader.shown(view))")
            }
            guard let key = parts[0].stringValue else {
                throw .invalidParams(
                    at: "\(path)[0]",
                    "'\(path)[0]' must be a key, not \(ParameterReader.shown(parts[0]))")
            }
            let width = try ParameterReader.number(parts[1], in: .length, at: "\(path)[1]")
            let height = try ParameterReader.number(parts[2], in: .length, at: "\(path)[2]")
            measured.append((key, Size(width: width, height: height)))
        }
        return measured
    }

    /// Stores sizes of different items; returns the indices of those that are new.
    private func store(
        _ measured: [(item: String, size: Size)]
    ) throws(ProtocolError) -> [Int] {
        if sizes.count + measured.count > limits.sizes {
            forgetDeparted()
            let more = measured.count { sizes[$0.item] == nil }
            guard sizes.count + more <= limits.sizes else {
                throw .limitExceeded(
                    limit: limits.sizes,
                    "there would be \(sizes.count + more) measured sizes and may be \(limits.sizes): "
                        + "measure what is visible")
            }
        }
        do throws(LayoutError) {
            return try sizes.measureEach(measured)
        } catch {
            throw .invalidParams(at: "sizes", "\(error)")
        }
    }

    /// Drops the sizes of items that are in no layout.
    private func forgetDeparted() {
        var kept: [(item: String, size: Size)] = []
        var seen = Set<String>()
        for layout in layouts {
            for key in layout.keys {
                if let size = sizes[key], seen.insert(key).inserted { kept.append((key, size)) }
            }
        }
        var fresh = SizeCache<String>()
        fresh.reserveCapacity(kept.count)
        // These were counted before.
        _ = try? fresh.measure(kept)
        sizes = fresh
    }
}
