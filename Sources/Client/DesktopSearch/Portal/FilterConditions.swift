import Glibc
import PickerClient

// What a filter means for a picker, which knows files by their names. What can't be told by a name, such as a text
// without a suffix, must not be hidden by it: then there is no condition.

/// Filters as conditions of queries.
package struct FilterConditions {
    /// The most patterns that are typed for a filter. With more there is no condition: nobody could read it.
    package static let mostPatterns = 40
    /// The most bytes of a pattern.
    static let mostBytes = 255

    private let media: MediaGlobs

    package init(_ media: MediaGlobs) { self.media = media }

    /// The patterns of names, in small letters; nil if a filter lets files of any name pass.
    private func patterns(of filter: PortalFilter) -> Set<String>? {
        var result: Set<String> = []
        for rule in filter.rules {
            let found: Set<String>? =
                switch rule.kind {
                case 0: [Self.lowercased(rule.text)]
                case 1: media.patterns(of: rule.text)
                default: nil
                }
            guard let found, !found.contains(where: { ["", "*", "*.*"].contains($0) }) else {
                return nil
            }
            result.formUnion(found)
        }
        return result.isEmpty ? nil : result
    }

    /// `*.[pP][nN][gG]` is what programs write that ignore the case, and so does each pattern here.
    private static func lowercased(_ pattern: String) -> String {
        var result = ""
        var rest = Substring(pattern.lowercased())
        while let first = rest.first {
            let cut = rest.prefix(4)
            let letters = Array(cut)
            if letters.count == 4, letters[0] == "[", letters[3] == "]", letters[1] == letters[2],
                letters[1].isLetter
            {
                result.append(letters[1])
                rest = rest.dropFirst(4)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// The conditions as they are typed, with a blank behind them; empty if there are none.
    package func text(of filter: PortalFilter) -> String {
        if let kinds = Self.kinds(filter) { return kinds + " " }
        guard let patterns = patterns(of: filter), patterns.count <= Self.mostPatterns,
            patterns.allSatisfy({ $0.utf8.count <= Self.mostBytes && !$0.contains("/") })
        else { return "" }
        var suffixes: [String] = []
        var others: [PickerFilter] = []
        for pattern in patterns.sorted() {
            let suffix = pattern.dropFirst(2)
            if pattern.hasPrefix("*."), !suffix.isEmpty, !suffix.hasPrefix("."),
                !suffix.contains(where: { "*?[]\\".contains($0) })
            {
                suffixes.append(String(suffix))
            } else {
                others.append(.match(pattern, ignoringCase: true))
            }
        }
        let whole = (suffixes.isEmpty ? [] : [PickerFilter.suffix(suffixes)]) + others
        return PickerFilter.any(whole).text + " "
    }

    /// For whole families of media types there are words that say the same shorter.
    private static func kinds(_ filter: PortalFilter) -> String? {
        let families = ["image/*": "type:image", "audio/*": "type:audio", "video/*": "type:video"]
        let words = filter.rules.map { $0.kind == 1 ? families[$0.text.lowercased()] : nil }
        let known = words.compactMap { $0 }
        guard !known.isEmpty, known.count == words.count else { return nil }
        return known.count == 1 ? known[0] : "(\(known.joined(separator: " or ")))"
    }

    /// Whether a filter lets all of these names pass.
    package func matches(_ filter: PortalFilter, _ names: [[UInt8]]) -> Bool {
        guard let patterns = patterns(of: filter) else { return true }
        return names.allSatisfy { name in
            let text = String(decoding: name, as: UTF8.self).lowercased()
            return patterns.contains { pattern in
                // Both are C strings for the length of the call.
                unsafe pattern.withCString { pattern in
                    unsafe text.withCString { unsafe fnmatch(pattern, $0, 0) == 0 }
                }
            }
        }
    }
}
