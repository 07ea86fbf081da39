// What the settings of a root say about the files in it that are not documents.

/// The rules of a root: hidden files, patterns, ignore files, symbolic links, built-in rules.
package struct DocumentRules: Hashable, Sendable {
    /// Whether a name that begins with "." is a document's.
    package enum HiddenFiles: String, Hashable, Sendable, CaseIterable {
        case skip, keep
    }

    /// What becomes of a symbolic link.
    package enum SymbolicLinks: String, Hashable, Sendable, CaseIterable {
        /// It is no document, and nothing below it is one.
        case ignore
        /// A link to a regular file is a document.
        case report
        /// The same, and the files below a link to a folder are documents, unless they would be listed twice.
        case follow
    }

    package var hidden: HiddenFiles
    /// Patterns as in gitignore(5), relative to the root. The last that matches decides; one that
    /// begins with "!" keeps what it matches. `IgnorePatterns.fault(in:)` checks one.
    package var ignore: [String]
    /// Whether the files `.gitignore` and `.ignore` count.
    package var readsIgnoreFiles: Bool
    package var symlinks: SymbolicLinks
    /// Whether the built-in rules count: folders of version control, caches, temporary files.
    package var usesBuiltIns: Bool

    package init(
        hidden: HiddenFiles = .skip, ignore: [String] = [], readsIgnoreFiles: Bool = false,
        symlinks: SymbolicLinks = .ignore, usesBuiltIns: Bool = true
    ) {
        self.hidden = hidden
        self.ignore = ignore
        self.readsIgnoreFiles = readsIgnoreFiles
        self.symlinks = symlinks
        self.usesBuiltIns = usesBuiltIns
    }

    /// No rule: every file is a document.
    package static let none = DocumentRules(hidden: .keep, usesBuiltIns: false)
}
