// A search text for documents' names, prepared once and then matched against each name.
//
// A name matches if it contains the text when both are folded (`NameFolding`): base letters, without case, in
// every script alike. So all searches compare bytes, and a name that matches a text matches each prefix of it.
// The locale has no effect, because a daemon with many clients cannot follow any one of them.

/// A search text, ready to match names. Equal texts are equal searches.
package struct NameSearch: Hashable, Sendable {
    /// The longest search text, in bytes of UTF-8. No name is longer than 255, but a text with more combining
    /// marks may match a shorter name.
    package static let longestText = 4096

    package let text: String
    /// The folded text.
    let needle: [UInt8]

    /// A search for `text`; nil, meaning no search, if the text is nil or empty.
    /// - Throws: `PickerModelError.searchTooLong`.
    /// - Complexity: O(n).
    package static func parse(_ text: String?) throws(PickerModelError) -> NameSearch? {
        try checked(text).map { NameSearch(text: $0) }
    }

    /// The text of a search of any kind; nil, meaning no search, if it is nil or empty.
    /// - Throws: `PickerModelError.searchTooLong`.
    static func checked(_ text: String?) throws(PickerModelError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= longestText else {
            throw .searchTooLong(bytes: text.utf8.count, limit: longestText)
        }
        return text
    }

    private init(text: String) {
        self.text = text
        needle = FoldedName.bytes(of: text)
    }

    package static func == (left: NameSearch, right: NameSearch) -> Bool {
        // By bytes: Swift's own equality treats texts as equal that match different names.
        left.text.hasBytes(of: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(needle)
    }

    /// Whether a document's name contains the text. A text that folds to nothing, such as a single accent, is
    /// in every name.
    /// - Complexity: O(n) for usual texts, O(n × text) at worst.
    package func matches(_ document: Document) -> Bool { matches(document.foldedName) }

    /// Whether a name contains the text.
    package func matches(_ name: FoldedName) -> Bool {
        needle.isEmpty || name.contains(needle)
    }

    /// Whether a folded name contains the text.
    func matches(_ folded: borrowing Span<UInt8>) -> Bool {
        needle.isEmpty || folded.firstPlace(of: needle.span) != nil
    }

    /// Whether each name that matches this is known to match `wider` too, so that only the matches of `wider`
    /// need checking.
    package func narrows(_ wider: NameSearch) -> Bool {
        needle.starts(with: wider.needle)
    }
}
