// The roots: their state, the rules in force, and their faults.

package import PickerClient
import WireProtocol

extension DaemonStatus.Root {
    /// Whether it reports a fault of that kind.
    func has(_ kind: RootFault.Kind) -> Bool {
        degraded.contains { RootFault($0).kind == kind }
    }
}

package enum RootChecks {
    /// The most faults of one kind that are named; the others are counted.
    private static let mostNamed = 3
    /// The most patterns that are named.
    private static let mostPatterns = 8

    /// The checks of all roots. `isFolder` says whether this program sees a folder at a path.
    package static func checks(
        of roots: [DaemonStatus.Root], isFolder: (String) -> Bool
    ) -> [Check] {
        if roots.isEmpty {
            return [
                Check(
                    "root", .problem, "pickerd watches no folder",
                    next: ["name one in 'roots' of the settings, then: pickerctl reload"])
            ]
        }
        return roots.flatMap { root in
            root.state == "missing"
                ? [missing(root, isFolder(root.path))] : [present(root)] + faults(root)
        }
    }

    private static func present(_ root: DaemonStatus.Root) -> Check {
        var text = "'\(root.path)': \(root.state), "
        text += LimitChecks.count(root.documents, "document")
        if let folders = root.folders, let waiting = root.foldersWaiting {
            text += ", \(ScanBar.text(folders: folders, waiting: waiting)) read"
        }
        if let rules = root.rules { text += "; " + self.text(rules) }
        return Check("root", root.state == "watching" ? .ok : .note, text)
    }

    private static func text(_ rules: RootRulesRecord) -> String {
        var parts = [rules.hidden == "keep" ? "with hidden files" : "without hidden files"]
        let count = max(rules.ignoreCount ?? 0, rules.ignore.count)
        if count == 0 {
            parts.append("no patterns to ignore")
        } else {
            let named = rules.ignore.prefix(mostPatterns)
            let rest = count - named.count
            parts.append(
                "ignored: " + named.joined(separator: " ") + (rest > 0 ? " and \(rest) more" : ""))
        }
        parts.append(
            rules.gitignore ? ".gitignore and .ignore count" : ".gitignore does not count")
        switch rules.symlinks {
        case "report": parts.append("links to files count")
        case "follow": parts.append("links are followed")
        default: break
        }
        return parts.joined(separator: ", ")
    }

    private static func missing(_ root: DaemonStatus.Root, _ isFolder: Bool) -> Check {
        let told = root.degraded.first ?? "it is not there"
        let prefix = "\(root.path): "
        let reason = told.hasPrefix(prefix) ? String(told.dropFirst(prefix.count)) : told
        let text = "'\(root.path)': missing, \(reason)"
        let other = "name another folder in 'roots' of the settings, then: pickerctl reload"
        if isFolder {
            return Check(
                "root", .problem, text + "; you can see a folder there, and pickerd can't",
                next: [
                    "see what its unit hides (PrivateTmp=, InaccessiblePaths=): "
                        + "systemctl --user cat pickerd.service",
                    "or " + other,
                ])
        }
        return Check("root", .problem, text, next: ["put a folder there, or " + other])
    }

    /// A check for each kind of fault.
    private static func faults(_ root: DaemonStatus.Root) -> [Check] {
        var kinds: [RootFault.Kind] = []
        var all: [RootFault.Kind: [RootFault]] = [:]
        for text in root.degraded {
            let fault = RootFault(text)
            if all[fault.kind] == nil { kinds.append(fault.kind) }
            all[fault.kind, default: []].append(fault)
        }
        let most = kinds.max { all[$0, default: []].count < all[$1, default: []].count }
        let untold = max(0, root.degradedCount - root.degraded.count)
        return kinds.map { kind in
            let faults = all[kind] ?? []
            // Those that are not told are most likely of the most frequent kind.
            let count = faults.count + (kind == most ? untold : 0)
            let named = faults.prefix(mostNamed).map(\.path)
            let rest = count - named.count
            let reason = faults.first?.reason ?? ""
            let folders = LimitChecks.count(count, "folder")
            let text =
                "'\(root.path)': \(folders)" + (reason.isEmpty ? "" : ", \(reason)") + ": "
                + named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
            return Check("root", kind.isHarmless ? .note : .problem, text, next: kind.steps)
        }
    }
}
