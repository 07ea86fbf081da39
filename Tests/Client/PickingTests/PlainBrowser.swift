import Picking

/// A picker of folders in the plainest way: all that is asked is answered at once, and nothing is kept but what is seen.
struct PlainBrowser {
    var folder: String
    var filter = ""
    /// The row of the cursor.
    var place = 0
    var showsHidden = false
    var accepted: String?
    let withFiles: Bool

    /// The names of the rows; nil for the folder itself.
    func rows(_ disk: Disk) -> [String?] {
        let names = (disk.folders[folder] ?? []).filter { name in
            let plain = name.hasSuffix("/") ? String(name.dropLast()) : name
            return (withFiles || name.hasSuffix("/"))
                && (showsHidden || filter.hasPrefix(".") || !plain.hasPrefix("."))
                && (filter.isEmpty || plain.lowercased().contains(filter.lowercased()))
        }
        let sorted = names.sorted { left, right in
            let (a, b) = (left.hasSuffix("/"), right.hasSuffix("/"))
            if a != b { return a }
            let (x, y) = (left.lowercased(), right.lowercased())
            return x == y ? left < right : x < y
        }
        return (filter.isEmpty ? [nil] : []) + sorted
    }

    func name(_ disk: Disk) -> String? {
        let rows = rows(disk)
        return rows.indices.contains(place) ? rows[place] : nil
    }

    mutating func go(_ path: String) { (folder, filter, place) = (path, "", 0) }

    mutating func up(_ disk: Disk) {
        if folder == "/" { return }
        let (parent, name) = Disk.parts(of: folder)
        go(parent)
        place = rows(disk).firstIndex(of: name + "/") ?? 0
    }

    mutating func move(_ count: Int, _ disk: Disk) {
        place = max(0, min(place + count, rows(disk).count - 1))
    }

    mutating func edit(_ text: String, _ disk: Disk) {
        if text == filter { return }
        filter = text
        if text.isEmpty {
            place = 0
            return
        }
        let rows = rows(disk)
        let folded = text.lowercased()
        place =
            rows.firstIndex { $0 == text + "/" }
            ?? rows.firstIndex { $0?.lowercased() == folded + "/" }
            ?? rows.firstIndex {
                $0?.lowercased().hasPrefix(folded) == true && $0?.hasSuffix("/") == true
            }
            ?? 0
    }

    /// - Returns: whether it led anywhere.
    mutating func goIn(_ disk: Disk) -> Bool {
        guard let name = name(disk), name.hasSuffix("/") else { return false }
        go(Disk.path(folder, String(name.dropLast())))
        return true
    }

    mutating func type(_ text: String, _ disk: Disk) {
        for letter in text {
            if letter != "/" {
                edit(filter + String(letter), disk)
                continue
            }
            switch filter {
            case "": go("/")
            case "~": go("/home")
            case ".": edit("", disk)
            case "..":
                if folder == "/" {
                    edit("", disk)
                    return
                }
                up(disk)
            default: if !goIn(disk) { return }
            }
        }
    }

    mutating func enter(_ disk: Disk) {
        if filter.isEmpty, place == 0 { accepted = folder } else { _ = goIn(disk) }
    }

    /// The disk has changed: the cursor stays at its name, and the folder is the next one that is there.
    mutating func follow(_ disk: Disk, from name: String?) {
        var isGone = false
        while disk.folders[folder] == nil {
            folder = Disk.parts(of: folder).folder
            isGone = true
        }
        if isGone { return go(folder) }
        if let name, let found = rows(disk).firstIndex(of: name) { place = found }
        move(0, disk)
    }
}
