import MediaTypes
package import PickerClient

/// What a desktop shows of a document.
package struct DocumentCard: Hashable, Sendable {
    /// An icon, as desktops exchange them.
    package enum Icon: Hashable, Sendable {
        /// By their names in the theme: the first that it has.
        case themed([String])
        /// The URI of an image.
        case file(String)
    }

    package let name: String
    /// The folder, with `~` for that of the user.
    package let folder: String
    package let icon: Icon
    /// Nil of what is no file.
    package let uri: String?

    package init(_ document: RemoteDocument, home: String?) {
        name = DesktopText.shown(document.name)
        folder = Self.folder(root: document.root, path: document.path, home)
        uri = document.uri.map { DesktopText.valid($0) }
        if let path = document.thumbnail,
            let image = FileURI.text(ofPath: path.utf8Span.span)
        {
            icon = .file(image)
        } else {
            let names = [document.icon, document.genericIcon].compactMap { $0 }
            icon = .themed(Self.iconNames(names, type: document.type))
        }
    }

    /// Of a row, which does not say what its icon is.
    package init(_ item: ListItem, home: String?) {
        name = DesktopText.shown(item.name ?? "")
        folder = Self.folder(root: item.root ?? "", path: item.path ?? "", home)
        uri = item.absolutePathBytes.flatMap { FileURI.text(ofPath: $0.span) }
        icon = .themed(Self.iconNames([], type: item.type))
    }

    /// The first of its icon's names.
    package var iconName: String {
        if case .themed(let names) = icon, let first = names.first { return first }
        return Self.unknown
    }

    private static let unknown = "text-x-generic"

    private static func iconNames(_ names: [String], type: String?) -> [String] {
        if !names.isEmpty { return names.map { DesktopText.valid($0) } }
        guard let type, !type.isEmpty else { return [unknown] }
        return [DesktopText.valid(type.split(separator: "/").joined(separator: "-")), unknown]
    }

    private static func folder(root: String, path: String, _ home: String?) -> String {
        let slash = path.lastIndex(of: "/")
        let below = slash.map { path[..<$0] } ?? ""
        var folder = root
        if !below.isEmpty { folder += root.hasSuffix("/") ? below : "/" + below }
        if let home, home.hasPrefix("/"), home.count > 1 {
            if folder == home {
                folder = "~"
            } else if folder.hasPrefix(home + "/") {
                folder = "~" + folder.dropFirst(home.count)
            }
        }
        return DesktopText.shown(folder)
    }
}
