// What the rules say of a name, and why.

package enum RuleVerdict: Hashable, Sendable {
    /// No rule ignores it, or one keeps it.
    case kept
    case ignored(RuleReason)
    /// Ignored if one of these files, the markers, is in the same folder; otherwise kept.
    case ignoredBeside([[UInt8]], RuleReason)
}

/// The rule that ignores a name.
package struct RuleReason: Sendable, CustomStringConvertible {
    /// The kinds of rules, with the word of each for machines.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case hidden
        case versionControl = "version-control"
        case cache
        case temporary
        case setting
        case ignoreFile = "ignore-file"
    }

    enum Source: Sendable {
        case hidden
        case folder(BuiltInFolder)
        case temporary(TemporaryName)
        case setting(IgnorePatterns.Match)
        case ignoreFile(path: [UInt8], IgnorePatterns.Match)
    }

    let source: Source

    package var kind: Kind {
        switch source {
        case .hidden: .hidden
        case .folder(let folder): folder.isVersionControl ? .versionControl : .cache
        case .temporary: .temporary
        case .setting: .setting
        case .ignoreFile: .ignoreFile
        }
    }

    /// A part of a sentence for people, such as "'.git' holds the data of Git".
    package var description: String {
        switch source {
        case .hidden:
            return "its name begins with '.': hidden files are skipped (hidden = \"skip\")"
        case .folder(let folder):
            return "'\(folder.name)' holds \(folder.contents)"
        case .temporary(let name):
            return "its name is that of \(name.rawValue)"
        case .setting(let match):
            return "the setting ignore has '\(ShownBytes.text(match.pattern))'"
        case .ignoreFile(let path, let match):
            return "line \(match.line) of '\(ShownBytes.text(path))' has "
                + "'\(ShownBytes.text(match.pattern))'"
        }
    }
}

extension RuleReason: Hashable {
    package static func == (left: RuleReason, right: RuleReason) -> Bool {
        left.kind == right.kind && left.description == right.description
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(description)
    }
}
