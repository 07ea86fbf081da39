// Combination and simplification of filters. Each step keeps the meaning, which tests verify by evaluating
// the original tree.

extension PickerFilter {
    /// The conjunction of `filters`; everything if there are none.
    /// - Complexity: O(n).
    public static func all(_ filters: [PickerFilter]) -> PickerFilter {
        combined(filters.map(\.node), neutral: .everything, decisive: .nothing) { node in
            if case .all(let parts) = node { parts } else { nil }
        } making: {
            .all($0)
        }
    }

    /// The disjunction of `filters`; nothing if there are none.
    /// - Complexity: O(n).
    public static func any(_ filters: [PickerFilter]) -> PickerFilter {
        combined(filters.map(\.node), neutral: .nothing, decisive: .everything) { node in
            if case .any(let parts) = node { parts } else { nil }
        } making: {
            .any($0)
        }
    }

    private static func combined(
        _ nodes: [Node], neutral: Node, decisive: Node, parts: (Node) -> [Node]?,
        making make: ([Node]) -> Node
    ) -> PickerFilter {
        var kept: [Node] = []
        var seen: Set<Node> = []
        let mustKeep = neutral == .nothing && nodes.contains(where: mentionsDropped)
        for node in joined(nodes.flatMap { parts($0) ?? [$0] }, isAny: neutral == .nothing) {
            if node == neutral || seen.contains(node) { continue }
            // A part next to its own opposite decides the result.
            if !mustKeep, node == decisive || seen.contains(opposite(of: node)) {
                return PickerFilter(decisive)
            }
            seen.insert(node)
            kept.append(node)
        }
        return PickerFilter(kept.count > 1 ? make(kept) : kept.first ?? neutral)
    }

    /// Merges alternatives by suffix into one, at the position of the first.
    private static func joined(_ nodes: [Node], isAny: Bool) -> [Node] {
        func suffixes(_ node: Node) -> [String] {
            if case .suffix(let texts) = node { texts.map(\.text) } else { [] }
        }
        let all = isAny ? nodes.flatMap(suffixes) : []
        guard let first = nodes.firstIndex(where: { !suffixes($0).isEmpty }), !all.isEmpty else {
            return nodes
        }
        return nodes.enumerated().compactMap { index, node in
            if index == first { return PickerFilter.suffix(all).node }
            return suffixes(node).isEmpty ? node : nil
        }
    }

    /// Whether it contains a condition on dropped documents: then it draws from all documents.
    private static func mentionsDropped(_ node: Node) -> Bool {
        switch node {
        case .dropped: true
        case .all(let parts), .any(let parts): parts.contains(where: mentionsDropped)
        case .not(let part): mentionsDropped(part)
        default: false
        }
    }

    private static func opposite(of node: Node) -> Node {
        switch node {
        case .everything: .nothing
        case .nothing: .everything
        case .not(let inner): inner
        case .size(let comparison, let size): .size(comparison.opposite, size)
        case .modified(let comparison, let seconds): .modified(comparison.opposite, seconds)
        default: .not(node)
        }
    }

    /// Documents that match both filters.
    public static func && (left: PickerFilter, right: PickerFilter) -> PickerFilter {
        .all([left, right])
    }

    /// Documents that match either filter.
    public static func || (left: PickerFilter, right: PickerFilter) -> PickerFilter {
        .any([left, right])
    }

    /// Documents that do not match the filter.
    public static prefix func ! (filter: PickerFilter) -> PickerFilter {
        PickerFilter(opposite(of: filter.node))
    }
}

extension PickerFilter: ExpressibleByBooleanLiteral {
    /// Everything, or nothing.
    public init(booleanLiteral value: Bool) { self.init(value ? .everything : .nothing) }
}
