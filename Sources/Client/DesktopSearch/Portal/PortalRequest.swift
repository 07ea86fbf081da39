import SystemInterface

/// What a program asks for with a dialog.
package struct PortalRequest: Equatable, Sendable {
    package enum Kind: Hashable, Sendable {
        case openFile, saveFile, saveFiles
    }

    /// A question beside the dialog, which its default answers.
    package struct Choice: Hashable, Sendable {
        package let id: String
        package let options: [String]
        package let selected: String

        package init(id: String, options: [String], selected: String) {
            self.id = id
            self.options = options
            self.selected = selected
        }

        /// What is chosen where nobody is asked: without options it is a mark.
        package var answer: String {
            if !selected.isEmpty { return selected }
            return options.first ?? "false"
        }
    }

    /// The most filters, patterns of all filters, choices, and names of files that are read. What is behind them is left
    /// out, but for the names, which would be lost.
    package static let mostFilters = 256
    package static let mostRules = 4096
    package static let mostChoices = 64
    package static let mostFiles = 4096
    /// The most scalars of the line above a list.
    private static let longestHeader = 200

    package var kind: Kind
    package var application = ""
    package var title = ""
    package var isMultiple = false
    package var isFolder = false
    package var filters: [PortalFilter] = []
    package var currentFilter: PortalFilter?
    package var choices: [Choice] = []
    /// Bytes of paths and names, without the NUL that ends them.
    package var folder: [UInt8] = []
    package var file: [UInt8] = []
    package var name = ""
    package var files: [[UInt8]] = []

    package init(_ kind: Kind) { self.kind = kind }

    /// The filter that the program wants at first.
    package var firstFilter: PortalFilter? { currentFilter ?? filters.first }

    /// Whether folders are chosen, which no filter is about.
    package var choosesFolder: Bool { kind == .saveFiles || kind == .openFile && isFolder }

    /// The arguments of `pickerctl` for the dialog.
    package func arguments(socket: String, _ conditions: FilterConditions) -> [String] {
        var words = ["pick", "--portal", socket, "--header", header]
        switch kind {
        case .openFile where !isFolder:
            if isMultiple { words.append("--multi") }
            let query = firstFilter.map { conditions.text(of: $0) } ?? ""
            words += ["--in", "documents", "--", query]
        case .openFile, .saveFiles: words += ["--directory", "--"]
        case .saveFile: words += ["--save", saveName, "--"]
        }
        return words + [startFolder]
    }

    private var header: String {
        var parts = [title.isEmpty ? defaultTitle : title]
        if !application.isEmpty { parts.append(application) }
        if !choosesFolder, kind == .openFile, let filter = firstFilter { parts.append(filter.name) }
        let text = parts.joined(separator: " · ")
        return DesktopText.shown(String(text.unicodeScalars.prefix(Self.longestHeader)))
    }

    private var defaultTitle: String {
        switch kind {
        case .openFile: isFolder ? "Open a folder" : "Open"
        case .saveFile: "Save"
        case .saveFiles: "Save \(files.count) files in a folder"
        }
    }

    /// Names are single ones; what is before a slash would lead elsewhere.
    private var saveName: String {
        let bytes = Self.lastName(file)
        if !bytes.isEmpty { return String(decoding: bytes, as: UTF8.self) }
        return name.split(separator: "/").last.map { String($0) } ?? ""
    }

    private static func lastName(_ path: [UInt8]) -> [UInt8] {
        path.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
    }

    /// Where the dialog begins; empty if nowhere in particular. A folder that is no text can't be passed on, and the
    /// daemon opens no root of all folders.
    private var startFolder: String {
        var path = folder
        if kind == .saveFile, let slash = file.lastIndex(of: UInt8(ascii: "/")), slash > 0 {
            path = Array(file[..<slash])
        }
        guard path.first == UInt8(ascii: "/"), let text = String(validating: path, as: UTF8.self)
        else { return "" }
        return kind == .openFile && !isFolder && text.allSatisfy { $0 == "/" } ? "" : text
    }

    // MARK: Results

    /// The filter that goes with the names that were chosen: the one that was there at first, else the first one that
    /// lets them pass. A file that is to be written has the first one anyway.
    package func filter(for paths: [[UInt8]], _ conditions: FilterConditions) -> PortalFilter? {
        guard !choosesFolder, let first = firstFilter else { return nil }
        let names = paths.map { Self.lastName($0) }
        let fitting = ([first] + filters).first { conditions.matches($0, names) }
        return fitting ?? (kind == .saveFile ? first : nil)
    }

    /// The paths of the files that are to be written into a folder: with other names where there is something already.
    package func paths(in folder: [UInt8], isTaken: ([UInt8]) -> Bool) -> [[UInt8]] {
        var taken: Set<[UInt8]> = []
        return files.map { file in
            let last = Self.lastName(file)
            let isName = !last.isEmpty && last != Array(".".utf8) && last != Array("..".utf8)
            let name = isName ? last : Array("file".utf8)
            let start = folder + (folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")])
            let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
            var path = start + name
            var number = 0
            while taken.contains(path) || isTaken(path) {
                number += 1
                path = start + name[..<dot] + Array(" (\(number))".utf8) + name[dot...]
            }
            taken.insert(path)
            return path
        }
    }
}
