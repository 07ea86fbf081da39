package import FileRules
import SystemInterface

/// A folder to follow, and what counts as a document below it.
package struct RootToWatch: Equatable, Sendable {
    /// Absolute.
    package let path: [UInt8]
    package let rules: DocumentRules
    /// Whether it is followed for a client for a time, and is no root of the settings.
    package let isLeased: Bool

    /// A root; without rules every regular file is a document.
    package init(_ path: [UInt8], _ rules: DocumentRules = .none, isLeased: Bool = false) {
        self.path = path
        self.rules = rules
        self.isLeased = isLeased
    }

    /// A path as roots and documents have it, without `.`, doubled or trailing slashes.
    /// - Returns: nil if it is not absolute, or has `..` or NUL.
    package static func cleaned(_ path: [UInt8]) -> [UInt8]? { WatchedRoot.cleaned(path) }

    /// The same without the folders in it that are roots themselves, if it is leased.
    /// - Returns: nil if one of these has a name that is not UTF-8, as no pattern has.
    func leavingOut(_ roots: [RootToWatch]) -> RootToWatch? {
        guard isLeased else { return self }
        var rules = rules
        for root in roots where root != self {
            // The roots of settings may lead there by a link; leased folders are given without links.
            let real = try? RawPath(bytes: root.path)?.resolved().bytes
            for path in Set([root.path, real ?? root.path]).sorted(by: { $0.count < $1.count })
            where path != self.path && WatchedRoot.lies(path, in: self.path) {
                if root.isLeased, !comesAfter(root, in: roots) { continue }
                let inside = path.dropFirst(self.path.count).drop { $0 == slash }
                guard let text = String(validating: inside, as: UTF8.self) else { return nil }
                rules.ignore.append("/" + Self.escaped(text) + "/")
            }
        }
        return RootToWatch(path, rules, isLeased: true)
    }

    /// Whether another one was given before.
    private func comesAfter(_ other: RootToWatch, in roots: [RootToWatch]) -> Bool {
        guard let mine = roots.firstIndex(of: self), let its = roots.firstIndex(of: other) else {
            return false
        }
        return its < mine
    }

    /// A pattern that matches a path and nothing else.
    private static func escaped(_ path: String) -> String {
        var pattern = ""
        for scalar in path.unicodeScalars {
            if "\\*?[]! #".unicodeScalars.contains(scalar) { pattern.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern
    }
}
