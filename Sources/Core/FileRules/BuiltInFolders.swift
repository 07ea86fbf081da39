// The names of `BuiltInFolder`, found by hash.

final class BuiltInFolders: Sendable {
    static let shared = BuiltInFolders()

    private let all: [BuiltInFolder]
    private let names: NameTable
    private let markers: NameTable
    /// For each marker the folders that need it.
    private let dependents: [[[UInt8]]]
    private let trash = Array(".Trash-".utf8)

    private init() {
        all = BuiltInFolder.all
        var names = NameTable()
        var markers = NameTable()
        var dependents: [[[UInt8]]] = []
        for (index, folder) in all.enumerated() {
            let name = Array(folder.name.utf8)
            let old = names.set(name, to: Int32(index))
            precondition(old == nil, "each name has one rule")
            for marker in folder.markers {
                if let known = markers.value(marker.span) {
                    dependents[Int(known)].append(name)
                } else {
                    markers.set(marker, to: Int32(dependents.count))
                    dependents.append([name])
                }
            }
        }
        self.names = names
        self.markers = markers
        self.dependents = dependents
    }

    /// The rule for a name.
    ///
    /// - Complexity: O(length), without allocation where there is no rule.
    func rule(_ name: Span<UInt8>, isFolder: Bool) -> BuiltInFolder? {
        if let index = names.value(name) {
            let folder = all[Int(index)]
            return folder.isMet(isFolder: isFolder) ? folder : nil
        }
        // The trash on a removable disk has the number of its user.
        if isFolder, name.count > trash.count, name.begins(with: trash),
            name.all(in: trash.count..<name.count, \.isDigit)
        {
            return .trash(name.shown)
        }
        return nil
    }

    /// The folders that are ignored only beside this file.
    func dependents(onMarker name: Span<UInt8>) -> [[UInt8]] {
        guard let number = markers.value(name) else {
            return []
        }
        return dependents[Int(number)]
    }
}
