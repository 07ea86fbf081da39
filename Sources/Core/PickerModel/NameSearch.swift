// What a person typed to find documents by name, made ready once and then asked of each name.
//
// A name matches if it contains the text when both are folded (`NameFolding`): letters by their base,
// without case, in every script alike. So all searches compare bytes, and whatever matches a text matches each
// beginning of it. The locale plays no part: a daemon that answers many clients can follow no one's.

/// A search text, ready to match names. Equal texts are equal searches.
package struct NameSearch: Hashable, Sendable {
    /// The longest text that can be searched for, in bytes of UTF-8. No name is longer than 255,
    /// but a text may match a shorter name if it has more marks.
    package static let longestText = 4096

    package let text: String
    private let needle: [UInt8]

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
        self.text = text
        needle = FoldedName.bytes(of: text)
    }

    package static func == (left: NameSearch, right: NameSearch) -> Bool {
        // By bytes: Swift's own equality takes texts for equal that match different names.
        left.text.hasBytes(of: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(needle)
    }

    /// Whether a document's name contains the text. One of which nothing is left when it is folded, such as
    /// a single accent, is in every name.
    /// - Complexity: O(n) for usual texts, O(n × text) at worst.
    package func matches(_ document: Document) -> Bool { matches(document.foldedName) }

    /// Whether a name contains the text.
    package func matches(_ name: FoldedName) -> Bool {
        needle.isEmpty || name.contains(needle)
    }

    /// How many steps it takes to ask a document, about.
    func steps(for document: Document) -> Int {
        2 + document.foldedName.searchBytes.count / 8
    }

    /// Whether each name that matches this is known to match `wider` too: then only that search's matches need
    /// a look.
    package func narrows(_ wider: NameSearch) -> Bool {
        needle.starts(with: wider.needle)
    }
}
