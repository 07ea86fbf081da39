// Interference by others with a daemon's state folder, or with one file in it.

import Foundation

/// An interference with a file or folder while it is open.
package enum StateDeed: Hashable, Sendable, CustomStringConvertible {
    case removed(String)
    case renamed(String)
    /// Replaced by an empty one.
    case emptied(String)
    /// Replaced by a copy of its current state.
    case copied(String)
    /// Replaced by one from elsewhere; the original is kept.
    case replaced(String, by: String)

    /// The deeds to a folder, and to its parent.
    package static func folders(_ folder: String, in state: String = "state") -> [StateDeed] {
        let path = state + "/" + folder
        return [
            .removed(path), .removed(state), .renamed(path), .renamed(state), .emptied(path),
            .copied(path), .copied(state),
        ]
    }

    package func `do`(in place: TemporaryFolder) throws {
        switch self {
        case .removed(let name): try place.remove(name)
        case .renamed(let name): try place.move(name, to: unusedName(beside: name, in: place))
        case .emptied(let name):
            var isFolder = false
            let attributes = try FileManager.default.attributesOfItem(atPath: place.path(name))
            isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            try place.move(name, to: unusedName(beside: name, in: place))
            if isFolder { try place.makeFolder(name) } else { try place.write(name) }
        case .copied(let name):
            try place.copy(name, to: "copied")
            try place.remove(name)
            try place.move("copied", to: name)
        case .replaced(let name, let other):
            try place.move(name, to: unusedName(beside: name, in: place))
            try place.move(other, to: name)
        }
    }

    /// A name that no store uses.
    private func unusedName(beside name: String, in place: TemporaryFolder) -> String {
        var number = 1
        while FileManager.default.fileExists(atPath: place.path("\(name)-away-\(number)")) {
            number += 1
        }
        return "\(name)-away-\(number)"
    }

    package var description: String {
        switch self {
        case .removed(let name): "\(name) removed"
        case .renamed(let name): "\(name) renamed"
        case .emptied(let name): "\(name) emptied"
        case .copied(let name): "\(name) copied"
        case .replaced(let name, let other): "\(name) replaced by \(other)"
        }
    }
}

extension TemporaryFolder {
    /// Copies a file, or a folder with its contents.
    package func copy(_ name: String, to copy: String) throws {
        try FileManager.default.copyItem(atPath: path(name), toPath: path(copy))
    }
}
