internal import FileRules
internal import PickerModel
internal import PluginInterface

/// What the settings file says of the files that are no documents; what it does not say is `nil`.
struct RuleSettings: Equatable {
    /// The names of these settings.
    static let names = "hidden, ignore, gitignore, symlinks"

    var hidden: DocumentRules.HiddenFiles?
    var ignore: [String]?
    var readsIgnoreFiles: Bool?
    var symlinks: DocumentRules.SymbolicLinks?

    /// These settings, and the usual ones where they say nothing.
    func rules(over usual: DocumentRules = DocumentRules()) -> DocumentRules {
        var rules = usual
        if let hidden { rules.hidden = hidden }
        // The later pattern decides, so those of one root can take back those of all.
        if let ignore { rules.ignore += ignore }
        if let readsIgnoreFiles { rules.readsIgnoreFiles = readsIgnoreFiles }
        if let symlinks { rules.symlinks = symlinks }
        return rules
    }
}

/// A folder to serve, with settings of its own.
struct RootSettings: Equatable {
    /// Absolute.
    var path: FileName
    var rules = RuleSettings()
}

extension SettingsFile {
    /// What counts as a document below each root.
    var rootRules: RootRules {
        let common = rules.rules()
        var own: [FileName: DocumentRules] = [:]
        for root in roots ?? [] where root.rules != RuleSettings() {
            own[root.path] = root.rules.rules(over: common)
        }
        return RootRules(common, own: own)
    }
}
