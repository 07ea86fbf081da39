// The rules that hold in a folder.
//
// For a name the first of these that says something decides:
// 1. the patterns of the setting: the last that matches;
// 2. the built-in folders of version control;
// 3. the ignore files: that of the deepest folder first, and of one folder's the later one; in each the last pattern
//    that matches;
// 4. hidden names, if they are skipped;
// 5. the built-in caches, which may depend on a marker beside them;
// 6. the built-in names of temporary files.
// So a pattern that begins with "!" keeps a hidden or a built-in name, but only one of the setting keeps ".git".
//
// Whether a folder above is ignored is the caller's business: it asks for each folder on the way down, and does not
// enter those that are ignored.

/// The rules of a folder, and of the folders in it that have no ignore files. They never change.
package final class FolderRules: Sendable {
    /// The patterns of an ignore file.
    private struct Layer: Sendable {
        /// The path of its folder, relative to the root.
        let folder: [UInt8]
        let name: String
        let patterns: IgnorePatterns
    }

    private let rules: DocumentRules
    private let setting: IgnorePatterns
    /// The path to which the setting's patterns are relative, below the root; empty for the root itself.
    private let place: [UInt8]
    /// The last one comes first in precedence.
    private let layers: [Layer]
    private let folders: BuiltInFolders?
    private let temporary: TemporaryNames?
    /// Whether some pattern is about folders. Otherwise the path of a folder is never asked for.
    package let needsPath: Bool

    /// The rules of a root.
    /// - Parameters:
    ///   - rules: the settings.
    ///   - place: the path of the folder that has these rules, if that is a folder in the root whose paths `verdict`
    ///     is asked with.
    package convenience init(_ rules: DocumentRules, at place: [UInt8] = []) {
        self.init(rules, IgnorePatterns(rules.ignore), place, [])
    }

    private init(
        _ rules: DocumentRules, _ setting: IgnorePatterns, _ place: [UInt8], _ layers: [Layer]
    ) {
        self.rules = rules
        self.setting = setting
        self.place = place
        self.layers = layers
        folders = rules.usesBuiltIns ? .shared : nil
        temporary = rules.usesBuiltIns ? .shared : nil
        needsPath = setting.needsPath || layers.contains { $0.patterns.needsPath }
    }

    /// The rules of a folder with ignore files, from those of the folder that has it, which are these; for the root,
    /// from those that were made for it. They are these if no file has a pattern, or if ignore files do not count.
    ///
    /// Of the files the later one comes first in precedence. `path` is that of the folder, relative to the root; empty
    /// for the root.
    package func adding(
        _ files: [(name: String, text: [UInt8])], at path: [UInt8]
    ) -> FolderRules {
        guard rules.readsIgnoreFiles else { return self }
        let added = files.map { file in
            Layer(folder: path, name: file.name, patterns: IgnorePatterns(parsing: file.text))
        }.filter { !$0.patterns.isEmpty }
        return added.isEmpty ? self : FolderRules(rules, setting, place, layers + added)
    }

    /// Whether ignore files count.
    package var readsIgnoreFiles: Bool { rules.readsIgnoreFiles }

    /// What becomes of symbolic links.
    package var symlinks: DocumentRules.SymbolicLinks { rules.symlinks }

    /// Whether patterns were left out because of a limit of `IgnorePatterns`.
    package var isCut: Bool { setting.isCut || layers.contains { $0.patterns.isCut } }

    /// What the rules say of a name in a folder where they hold. A symbolic link is no folder, wherever it
    /// leads; for one that is followed to a folder, the caller asks again as for a folder.
    ///
    /// `folderPath` is the path of the folder that has the name, relative to the root; empty for the root. It is called
    /// at most once, and only if the answer depends on it.
    ///
    /// - Complexity: O(length of the name), plus what `IgnorePatterns.match` takes for each ignore file. Nothing is
    ///   allocated for a name that is kept, unless the path is asked for.
    package func verdict(
        _ name: ArraySlice<UInt8>, isFolder: Bool, in folderPath: () -> [UInt8]
    ) -> RuleVerdict {
        let text = name.span
        var path = PatternList.FolderPath(base: place.count, bytes: nil)
        var steps = 0
        if !setting.isEmpty {
            let found = setting.list.lastMatch(
                text, isFolder: isFolder, &path, folderPath, &steps)
            if found >= 0 {
                let match = setting.match(at: found)
                return match.isIgnored ? .ignored(RuleReason(source: .setting(match))) : .kept
            }
        }
        let folder = folders?.rule(text, isFolder: isFolder)
        if let folder, folder.isVersionControl {
            return .ignored(RuleReason(source: .folder(folder)))
        }
        var index = layers.count
        while index > 0 {
            index -= 1
            path.base = layers[index].folder.count
            let found = layers[index].patterns.list.lastMatch(
                text, isFolder: isFolder, &path, folderPath, &steps)
            if found >= 0 { return verdict(of: layers[index], found) }
        }
        if rules.hidden == .skip, !text.isEmpty, text[0] == UInt8(ascii: ".") {
            return .ignored(RuleReason(source: .hidden))
        }
        if let folder {
            let reason = RuleReason(source: .folder(folder))
            return folder.markers.isEmpty
                ? .ignored(reason) : .ignoredBeside(folder.markers, reason)
        }
        if let meaning = temporary?.meaning(of: text, isFolder: isFolder) {
            return .ignored(RuleReason(source: .temporary(meaning)))
        }
        return .kept
    }

    private func verdict(of layer: Layer, _ found: Int32) -> RuleVerdict {
        let match = layer.patterns.match(at: found)
        if !match.isIgnored { return .kept }
        let slash = layer.folder.isEmpty ? [] : [UInt8(ascii: "/")]
        let path = layer.folder + slash + Array(layer.name.utf8)
        return .ignored(RuleReason(source: .ignoreFile(path: path, match)))
    }

    /// Whether both ignore the same names, since they have the same settings and patterns.
    ///
    /// The lines of the patterns, which a comment moves, and so the texts of reasons may differ.
    package func hasSameRules(as other: FolderRules) -> Bool {
        if self === other { return true }
        return rules == other.rules && place == other.place && layers.count == other.layers.count
            && zip(layers, other.layers).allSatisfy { mine, theirs in
                mine.folder == theirs.folder && mine.name == theirs.name
                    && mine.patterns.hasSamePatterns(as: theirs.patterns)
            }
    }

    /// The names that are ignored only beside a file with this name, such as "target" beside
    /// "Cargo.toml". What holds for them may change when such a file appears or vanishes.
    ///
    /// - Complexity: O(length of the name), without allocation.
    package static func dependents(onMarker name: ArraySlice<UInt8>) -> [[UInt8]] {
        BuiltInFolders.shared.dependents(onMarker: name.span)
    }
}
