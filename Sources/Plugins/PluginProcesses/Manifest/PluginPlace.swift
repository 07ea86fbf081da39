internal import SystemInterface

/// One of the places for plugins.
struct PluginPlace {
    let index: Int
    let path: RawPath
    let folders: PluginFolders

    private var trust: FileTrust {
        FileTrust(user: folders.user, other: folders.owners[path])
    }

    func read() -> PluginFolders.Listing {
        var listing = PluginFolders.Listing()
        func report(_ message: String) {
            listing.faults.append(PluginPlaceFault(place: index, message: message))
        }
        do throws(SystemError) {
            let names = try names()
            if names.areMore {
                report(
                    "'\(path)' has more than \(PluginFolders.mostEntries) entries; the others are "
                        + "ignored")
            }
            var left = 0
            for name in names.all {
                guard let inspection = try inspect(name) else { continue }
                if listing.plugins.count == PluginFolders.mostPlugins {
                    left += 1
                } else {
                    listing.plugins.append(inspection.plugin(distrust: names.distrust))
                }
            }
            if left > 0 {
                report(
                    "'\(path)' has \(PluginFolders.mostPlugins + left) plugins; those after the "
                        + "first \(PluginFolders.mostPlugins) by name are ignored")
            }
        } catch  where error.code == .noSuchFile {
            // A place need not exist.
        } catch {
            report("\(error)")
        }
        return listing
    }

    private struct Names {
        /// In the order of their bytes.
        var all: [[UInt8]] = []
        var areMore = false
        /// Why no plugin in this place can be trusted.
        var distrust: String?
    }

    /// The entries that may be folders.
    private func names() throws(SystemError) -> Names {
        var names = Names()
        var reader = try DirectoryReader(opening: path)
        let status = try FileStatus.of(reader.folder)
        let isSticky = status.permissions & 0o1000 != 0
        if let reason = trust.distrust(status, ignoringMode: isSticky) {
            names.distrust = "its place '\(path)' \(reason)"
        }
        var count = 0
        while count <= PluginFolders.mostEntries,
            try reader.readBatch({ entry in
                count += 1
                let isHidden = entry.name.first == UInt8(ascii: ".")
                let mayBeFolder = [nil, .directory, .symbolicLink].contains(entry.kind)
                if !isHidden, mayBeFolder, count <= PluginFolders.mostEntries {
                    names.all.append(entry.name)
                }
            })
        {}
        names.areMore = count > PluginFolders.mostEntries
        names.all.sort { $0.lexicographicallyPrecedes($1) }
        return names
    }

    /// Nil if it is no folder, or gone.
    private func inspect(_ name: [UInt8]) throws(SystemError) -> PluginInspection? {
        guard let folder = RawPath(bytes: path.bytes + [UInt8(ascii: "/")] + name) else {
            return nil
        }
        let inspection = PluginInspection(
            name: name, folder: folder, place: index, folders: folders, trust: trust)
        do throws(SystemError) {
            let status = try FileStatus.of(folder, followingLinks: true)
            return status.kind == .directory ? inspection : nil
        } catch {
            // A link that leads nowhere is a plugin that is missing; any other name is gone.
            let isThere = (try? FileStatus.of(folder)) != nil
            return isThere ? inspection : nil
        }
    }
}
