// What a person typed to find documents by name, made ready once and then asked of each name.
//
// A name matches if Foundation's `localizedStandardContains` on Linux says so, in an English or C
// locale: letters by their base, without case, with all of that function's corners (for one, a
// search for a part of `ﬁ` finds nothing). The daemon doesn't load Foundation, so there are two
// ways here, and a test compares both with it:
//   - if name and text hold only scalars that fold to themselves, to one other, or to a base and
//     marks, and don't mix the last two kinds across, a search for the folded bytes is equal;
//   - else the walk over clusters (`ClusterSearch`) finds what Foundation's walk would.
// The locale of the process plays no part: Turkish, Azeri and Lithuanian rules for i are not used.

/// A search text, ready to match names. Equal texts are equal searches.
package struct NameSearch: Hashable, Sendable {
    /// The longest text that can be searched for, in bytes of UTF-8. No name is longer than 255,
    /// but a text may match a shorter name if it has more marks.
    package static let longestText = 4096

    package let text: String
    private let needle: [UInt8]
    private let traits: FoldedName.Traits
    private let clusters: ClusterText

    /// A search for `text`; nil, which stands for no search, if there is no text or it is empty.
    /// - Throws: `PickerModelError.searchTooLong`.
    /// - Complexity: O(n).
    package static func parse(_ text: String?) throws(PickerModelError) -> NameSearch? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= longestText else {
            throw .searchTooLong(bytes: text.utf8.count, limit: longestText)
        }
        return NameSearch(text: text)
    }

    private init(text: String) {
        var needle: [UInt8] = []
        traits = FoldedName.fold(text, into: &needle)
        self.text = text
        self.needle = needle
        clusters = ClusterText(text)
    }

    package static func == (left: NameSearch, right: NameSearch) -> Bool {
        // By bytes: Swift's own equality takes texts for equal that match different names.
        left.text.hasBytes(of: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(needle)
    }

    /// Whether a document's name contains the text.
    /// - Complexity: O(n) for plain names and texts, which most are.
    package func matches(_ document: Document) -> Bool {
        matches(name: document.name.text, folded: document.foldedName)
    }

    /// Whether a name contains the text; `folded` is that name, folded.
    package func matches(name: String, folded: FoldedName) -> Bool {
        if canUseBytes(folded.traits) { return folded.contains(needle) }
        var search = ClusterSearch(name: name, text: clusters)
        return search.run()
    }

    /// How many steps it takes to ask a document, about.
    func steps(for document: Document) -> Int {
        let name = document.foldedName
        if canUseBytes(name.traits) { return 2 + name.searchBytes.count / 8 }
        return 8 * (document.name.text.utf8.count + text.utf8.count)
    }

    /// Whether each plain name that matches this also matches `wider`: then only that search's
    /// matches, and the names that are not plain, need a look.
    package func narrows(_ wider: NameSearch) -> Bool {
        let loose: FoldedName.Traits = [.irregular, .clusters]
        guard traits.isDisjoint(with: loose), wider.traits.isDisjoint(with: loose) else {
            return false
        }
        return needle.starts(with: wider.needle)
    }

    private func canUseBytes(_ name: FoldedName.Traits) -> Bool {
        guard !name.contains(.irregular), !traits.contains(.irregular) else { return false }
        return !(name.contains(.singles) && traits.contains(.clusters))
    }
}
