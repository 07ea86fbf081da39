/// Suggests the known word that a misspelt one may mean.
package enum NearestWord {
    /// Longer words are not compared: they are no typing mistakes.
    private static let longest = 40

    /// The known word with the smallest distance: letters changed, added, omitted, or two neighbours swapped;
    /// case is ignored. Nil if the distance exceeds a third of the word's letters.
    ///
    /// The optimal string alignment distance (Damerau 1964), computed with the usual table.
    /// - Complexity: O(words × letters²).
    package static func to(_ word: String, among known: [String]) -> String? {
        let letters = Array(word.lowercased().unicodeScalars)
        guard !letters.isEmpty, letters.count <= longest else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in known {
            let distance = distance(letters, Array(candidate.lowercased().unicodeScalars))
            let isNear = distance <= max(1, candidate.unicodeScalars.count / 3)
            if isNear, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// "; did you mean 'X'?", or nothing.
    package static func hint(for word: String, among known: [String]) -> String {
        to(word, among: known).map { "; did you mean '\($0)'?" } ?? ""
    }

    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        // Rows of the table: the one before the last, the last, and the current one.
        var older: [Int] = []
        var old = Array(0...other.count)
        for row in 1...one.count {
            var new = [row]
            for column in stride(from: 1, through: other.count, by: 1) {
                let cost = one[row - 1] == other[column - 1] ? 0 : 1
                var least = min(old[column] + 1, new[column - 1] + 1, old[column - 1] + cost)
                if row > 1, column > 1, one[row - 1] == other[column - 2],
                    one[row - 2] == other[column - 1]
                {
                    least = min(least, older[column - 2] + 1)
                }
                new.append(least)
            }
            (older, old) = (old, new)
        }
        return old[other.count]
    }
}
