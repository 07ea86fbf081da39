// What the settings of a root say about the files in it that are not documents.

/// The rules of a root: hidden files, patterns, ignore files, built-in rules.
package struct DocumentRules: Hashable, Sendable {
    /// Whether a name that begins with "." is a document's.
    package enum HiddenFiles: String, Hashable, Sendable, CaseIterable {
        case skip, keep
    }

    package var hidden: HiddenFiles
    /// Patterns as in gitignore(5), relative to the root. The last that matches decides; one that
    /// begins with "!" keeps what it matches. `IgnorePatterns.fault(in:)` checks one.
    package var ignore: [String]
    /// Whether the files `.gitignore` and `.ignore` count.
    package var readsIgnoreFiles: Bool
    /// Whether the built-in rules count: folders of version control, caches, temporary files.
    package var usesBuiltIns: Bool

    package init(
        hidden: HiddenFiles = .skip, ignore: [String] = [], readsIgnoreFiles: Bool = false,
        usesBuiltIns: Bool = true
    ) {
        self.hidden = hidden
        self.ignore = ignore
        self.readsIgnoreFiles = readsIgnoreFiles
        self.usesBuiltIns = usesBuiltIns
    }

    /// No rule: every file is a document.
    package static let none = DocumentRules(hidden: .keep, usesBuiltIns: false)
}
