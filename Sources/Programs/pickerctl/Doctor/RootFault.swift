// A fault of a root as the daemon tells it: the path of a folder, a colon, and the reason, in words.

/// A fault of a folder.
package struct RootFault: Hashable, Sendable {
    /// The kinds that there is something to do about.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case noWatch, noInstance, noPermission, closed, tooDeep, twice, shortage, other
    }

    package let kind: Kind
    /// The folder; the whole text if it can't be told from the reason.
    package let path: String
    /// The reason; empty if it can't be told from the path.
    package let reason: String

    /// The reasons that are always the same.
    private static let known: [(kind: Kind, reason: String)] = [
        (
            .noWatch,
            "no inotify watch is left (fs.inotify.max_user_watches): it is read every 1 to 30 "
                + "seconds until there is one"
        ),
        (
            .noInstance,
            "no inotify instance is left (fs.inotify.max_user_instances): it is read every 1 to "
                + "30 seconds until there is one"
        ),
        (.noPermission, "permission denied; it is tried again"),
        (
            .closed,
            "its files can't be accessed: the folder lacks the permission to enter it (x); it is "
                + "tried again"
        ),
        (.tooDeep, "it lies too deep and is not read"),
        (.twice, "the same folder is watched under another path; this one is polled"),
    ]

    /// Reads an element of `DaemonStatus.Root.degraded`.
    package init(_ text: String) {
        // The end decides: a path in front may contain any words.
        for known in Self.known where text.hasSuffix(": " + known.reason) {
            kind = known.kind
            reason = known.reason
            path = String(text.dropLast(known.reason.count + 2))
            return
        }
        let isShortage = text.contains(": it can't be read now: ")
        kind = isShortage && text.hasSuffix("; it is tried again") ? .shortage : .other
        path = text
        reason = ""
    }
}

extension RootFault.Kind {
    /// Whether it is no fault that anybody has to mend.
    var isHarmless: Bool { self == .twice }

    /// What to do.
    var steps: [String] {
        switch self {
        case .noWatch: ["see 'watches'"]
        case .noInstance: ["see 'instances'"]
        case .noPermission:
            [
                "let yourself read it (chmod u+rx FOLDER), or leave it out by 'ignore' in the "
                    + "settings"
            ]
        case .closed:
            [
                "let yourself enter it (chmod u+x FOLDER), or leave it out by 'ignore' in the "
                    + "settings"
            ]
        case .tooDeep: ["name it in 'roots' of the settings, in place of a folder above it"]
        case .twice: []
        case .shortage:
            [
                "close what has many files open, or raise LimitNOFILE= by: "
                    + "systemctl --user edit pickerd.service"
            ]
        case .other: ["look at the folder: ls -ld FOLDER"]
        }
    }
}
