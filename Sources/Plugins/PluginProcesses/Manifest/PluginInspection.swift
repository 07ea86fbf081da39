internal import SystemInterface

/// Looks at one folder, of a plugin that may be faulty in any way.
///
/// The folder is opened once, and what is in it is found from there. Symbolic links are followed, and what they lead to
/// is judged.
struct PluginInspection {
    private static let manifestName = Array("plugin.json".utf8)

    let name: [UInt8]
    let folder: RawPath
    let place: Int
    let folders: PluginFolders
    let trust: FileTrust

    /// Why a plugin can't be used.
    private struct Refusal: Error {
        let state: FoundPlugin.State

        static func missing(_ reason: String) -> Refusal { Refusal(state: .missing(reason)) }

        static func incompatible(_ api: ClosedRange<Int>) -> Refusal {
            let spoken =
                api.count == 1
                ? "version \(api.lowerBound)"
                : "versions \(api.lowerBound) to \(api.upperBound)"
            return Refusal(
                state: .incompatible(
                    "it speaks \(spoken) of the interface, and the daemon version "
                        + "\(PluginFolders.spokenAPI)"))
        }
    }

    /// What is in the folder; `distrust` says why nothing in its place can be trusted.
    func plugin(distrust: String?) -> FoundPlugin {
        var fingerprint = PluginFingerprint()
        var state: FoundPlugin.State
        do throws(SystemError) {
            let opened = DescriptorBox(try OwnedDescriptor.openFolder(folder))
            var program: String?
            state = self.state(opened, &program)
            addFiles(of: opened, to: &fingerprint)
            if let program, let status = try? status(ofProgram: program, in: opened) {
                fingerprint.add(Array(program.utf8), status)
            }
        } catch {
            state = .missing("\(error)")
        }
        if let distrust { state = .missing(distrust) }
        return FoundPlugin(
            id: String(decoding: name, as: UTF8.self), folder: folder, place: place, state: state,
            fingerprint: fingerprint.value)
    }

    private func state(_ opened: DescriptorBox, _ program: inout String?) -> FoundPlugin.State {
        do throws(Refusal) {
            try check("the folder", system { () throws(SystemError) in try .of(opened.descriptor) })
            let manifest = try manifest(opened)
            program = manifest.exec[0]
            guard manifest.id.utf8.elementsEqual(name) else {
                throw .missing(
                    "plugin.json has the id \"\(manifest.id)\", which must be the folder's name")
            }
            guard manifest.isCompatible(with: PluginFolders.spokenAPI) else {
                throw .incompatible(manifest.api)
            }
            try checkProgram(manifest.exec[0], in: opened)
            for path in manifest.requiredFiles where !exists(path) {
                throw .missing("'\(path)' is missing, without which it does not run")
            }
            return .usable(manifest)
        } catch {
            return error.state
        }
    }

    /// What a failed system call means for the plugin.
    private func system<Value>(
        _ call: () throws(SystemError) -> Value
    ) throws(Refusal) -> Value {
        do throws(SystemError) {
            return try call()
        } catch {
            throw .missing("\(error)")
        }
    }

    /// - Throws: if others could change the file.
    private func check(_ what: String, _ status: FileStatus) throws(Refusal) {
        if let reason = trust.distrust(status) {
            throw .missing("\(what) \(reason)")
        }
    }

    private func exists(_ path: String) -> Bool {
        (try? FileStatus.of(RawPath(path), followingLinks: true)) != nil
    }

    // MARK: The manifest

    private func manifest(_ opened: DescriptorBox) throws(Refusal) -> ProcessManifest {
        let bytes = try manifestBytes(opened)
        do throws(ManifestFault) {
            return try ProcessManifest(reading: bytes, reserved: folders.reserved)
        } catch {
            // By the rules of that version it may be right.
            if let api = error.api, !api.contains(PluginFolders.spokenAPI) {
                throw .incompatible(api)
            }
            throw .missing("plugin.json, \(error)")
        }
    }

    private func manifestBytes(_ opened: DescriptorBox) throws(Refusal) -> [UInt8] {
        // A device is not even opened. A pipe that comes here after this look is, without waiting for its other end.
        let found: FileStatus
        do throws(SystemError) {
            found = try .of(Self.manifestName, in: opened.descriptor, followingLinks: true)
        } catch  where error.code == .noSuchFile {
            throw .missing("it has no plugin.json")
        } catch {
            throw .missing("\(error)")
        }
        try requireFile("plugin.json", found)
        let file = try system { () throws(SystemError) in
            DescriptorBox(
                try opened.descriptor.openToRead(Self.manifestName, followingLinks: true))
        }
        let status = try system { () throws(SystemError) in
            try FileStatus.of(file.descriptor)
        }
        try requireFile("plugin.json", status)
        try check("plugin.json", status)
        var bytes = [UInt8](repeating: 0, count: ProcessManifest.mostBytes + 1)
        let count = try system { () throws(SystemError) in
            try file.descriptor.read(into: &bytes, at: 0)
        }
        guard count <= ProcessManifest.mostBytes else {
            throw .missing("plugin.json is longer than \(ProcessManifest.mostBytes) bytes")
        }
        return Array(bytes[..<count])
    }

    private func requireFile(_ what: String, _ status: FileStatus) throws(Refusal) {
        guard status.kind == .regular else { throw .missing("\(what) is not a regular file") }
    }

    // MARK: The program

    private func checkProgram(_ program: String, in opened: DescriptorBox) throws(Refusal) {
        for folder in foldersAbove(program) {
            let status = try system { () throws(SystemError) in
                try FileStatus.of(Array(folder.utf8), in: opened.descriptor, followingLinks: true)
            }
            try check("'\(folder)'", status)
        }
        let status: FileStatus
        do throws(SystemError) {
            status = try self.status(ofProgram: program, in: opened)
        } catch  where error.code == .noSuchFile || error.code == .notADirectory {
            throw .missing("its program '\(program)' is missing")
        } catch {
            throw .missing("\(error)")
        }
        let what = "its program '\(program)'"
        try requireFile(what, status)
        try check(what, status)
        guard trust.mayExecute(status) else {
            throw .missing("\(what) is not executable; 'chmod +x' helps")
        }
    }

    /// Those inside the plugin's folder on the way to its program: "./bin" for "./bin/x".
    private func foldersAbove(_ program: String) -> [String] {
        guard program.hasPrefix("./") else { return [] }
        let names = program.split(separator: "/")
        return names.indices.dropFirst().dropLast().map { names[...$0].joined(separator: "/") }
    }

    private func status(
        ofProgram program: String, in opened: DescriptorBox
    ) throws(SystemError) -> FileStatus {
        if program.hasPrefix("/") {
            return try FileStatus.of(RawPath(program), followingLinks: true)
        }
        return try FileStatus.of(Array(program.utf8), in: opened.descriptor, followingLinks: true)
    }

    // MARK: The fingerprint

    /// Adds the regular files directly in the folder.
    private func addFiles(of opened: DescriptorBox, to fingerprint: inout PluginFingerprint) {
        var names: [[UInt8]] = []
        if let again = try? opened.descriptor.openFolder(Array(".".utf8)) {
            var reader = DirectoryReader(again)
            while names.count < PluginFolders.mostEntries,
                (try? reader.readBatch { names.append($0.name) }) == true
            {}
        }
        names = names.prefix(PluginFolders.mostEntries).filter { $0 != Self.manifestName }
        names.sort { $0.lexicographicallyPrecedes($1) }
        // Among more entries than are read, the manifest might not be.
        for name in [Self.manifestName] + names {
            let status = try? FileStatus.of(name, in: opened.descriptor, followingLinks: true)
            if let status, status.kind == .regular { fingerprint.add(name, status) }
        }
    }
}
