// The words that most comparisons need nothing else than.

extension DocumentTable {
    /// A function of rows to numbers: the row with the lesser number comes first in an order, and `compare` tells rows
    /// with the same number apart.
    /// - Complexity: O(1); for orders by path, O(d) at depth d.
    package func leadingWord(
        of order: SortOrder, rank: ((DocumentRow) -> UInt64)? = nil
    ) -> (DocumentRow) -> UInt64 {
        let first = order.terms[0]
        let flip: UInt64 = first.isReversed ? .max : 0
        switch first.field {
        case .name: return { [self] in columns.sortWords[readable($0)] ^ flip }
        case .modified: return { [self] in columns.times[readable($0)] ^ flip }
        case .size: return { [self] in columns.sizes[readable($0)] ^ flip }
        case .type:
            let rest = followingWord(of: order, rank: rank)
            return { [self] in
                (UInt64(columns.types[readable($0)].rank) ^ flip) << 48 | rest($0) >> 16
            }
        case .liked:
            let rest = followingWord(of: order, rank: rank)
            return { [self] in
                ((columns.flags[readable($0)].contains(.liked) ? 1 : 0) ^ flip) << 63
                    | rest($0) >> 1
            }
        case .path: return { [self] in pathWord(of: readable($0)) ^ flip }
        case .attribute(let attribute):
            let isReversed = first.isReversed
            return { [self] in
                attributes.sortWord(of: readable($0), by: attribute, isReversed: isReversed)
            }
        case .score:
            guard let rank else { return { _ in 0 } }
            return { rank($0) ^ flip }
        }
    }

    /// The words of the order without its first term.
    private func followingWord(
        of order: SortOrder, rank: ((DocumentRow) -> UInt64)?
    ) -> (DocumentRow) -> UInt64 {
        order.withoutFirst.map { leadingWord(of: $0, rank: rank) } ?? { _ in 0 }
    }

    /// The first bytes of a path, up to its first slash.
    private func pathWord(of index: Int) -> UInt64 {
        var folder = FolderNumber(Int(columns.folders[index]))
        var part: FolderNumber?
        while let parent = folders.parent(of: folder) {
            part = folder
            folder = parent
        }
        // Each name has a byte.
        return (part.map { folders.namePart(of: $0) } ?? namePart(of: index)).word(from: 0) ?? 0
    }
}
