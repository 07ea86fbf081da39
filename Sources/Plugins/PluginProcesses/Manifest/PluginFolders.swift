package import SystemInterface

/// The folders in which plugins are looked for, one folder for each plugin.
///
/// What `scan` returns depends on the disk only. It blocks, so that a worker thread calls it.
package struct PluginFolders: Sendable {
    /// The most plugins of a place, those with the first names; the others are reported as one fault.
    package static let mostPlugins = 256
    /// The most entries of a folder that are read, of a place and of a plugin. Beyond it, a place is reported.
    package static let mostEntries = 4096
    /// The version of the interface that the daemon speaks.
    package static let spokenAPI = 1

    /// The first one that has a plugin of some id wins.
    package let places: [RawPath]
    /// The daemon's own words, which are no ids.
    package let reserved: Set<String>
    /// The user who may own plugins, beside root.
    package let user: UInt32
    /// Who may own those of a place besides.
    package let owners: [RawPath: UInt32]

    package init(
        places: [RawPath], reserved: Set<String>, user: UInt32 = CurrentProcess.uid,
        owners: [RawPath: UInt32] = [:]
    ) {
        self.places = places
        self.reserved = reserved
        self.user = user
        self.owners = owners
    }

    /// Looks at the folder of one plugin, wherever it is: the folder that it is in is not looked at.
    package func look(at folder: RawPath) -> FoundPlugin {
        let name = Array(folder.bytes.lastName)
        return PluginInspection(
            name: name, folder: folder, place: 0, folders: self, trust: FileTrust(user: user)
        ).plugin(distrust: nil)
    }

    package struct Listing: Equatable, Sendable {
        /// By place, and by name within it.
        package var plugins: [FoundPlugin] = []
        package var faults: [PluginPlaceFault] = []
    }

    /// Looks at all places. One that does not exist has no plugins; what is removed meanwhile is not listed, or is
    /// `missing`. Hidden folders and files are not looked at.
    package func scan() -> Listing {
        var listing = Listing()
        var ids = Set<[UInt8]>()
        for (index, place) in places.enumerated() {
            let found = PluginPlace(index: index, path: place, folders: self).read()
            listing.faults += found.faults
            for var plugin in found.plugins {
                plugin.isShadowed = !ids.insert(Array(plugin.folder.bytes.lastName)).inserted
                listing.plugins.append(plugin)
            }
        }
        return listing
    }
}

extension [UInt8] {
    /// The part of a path after the last slash.
    fileprivate var lastName: ArraySlice<UInt8> {
        suffix(from: lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)
    }
}
