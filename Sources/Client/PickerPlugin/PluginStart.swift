internal import Glibc
internal import SystemInterface

/// The start of a plugin's process.
enum PluginStart {
    /// Where the socket to the daemon is.
    private static let descriptor: Int32 = 3

    /// Serves the daemon.
    /// - Parameter parts: what the program contributes; called once the manifest has been read.
    /// - Returns: the exit status.
    static func run(_ parts: () -> PluginParts) -> Int32 {
        // Before anything is opened, which might get the same number.
        let isConnected = (try? FileStatus.of(descriptorNumber: descriptor).kind) == .socket
        CurrentProcess.openStandardDescriptors()
        CurrentProcess.divertOutput()
        let program = CommandLine.arguments.first ?? "plugin"
        let name = program.split(separator: "/").last.map(String.init) ?? program
        guard isConnected else {
            print(
                "\(name): there is no daemon on descriptor \(descriptor): this is a plugin of "
                    + "pickerd, which starts it. To try it, run it with: pickerctl plugin run "
                    + "FOLDER")
            return 2
        }
        do {
            let socket = OwnedDescriptor(adopting: descriptor)
            try orPluginError { () throws(SystemError) in
                try socket.setCloseOnExec()
                try socket.setNonBlocking()
            }
            return try serve(DescriptorBox(socket), named: name, parts)
        } catch {
            print("\(name): \(error)")
            return 1
        }
    }

    private static func serve(
        _ socket: DescriptorBox, named name: String, _ parts: () -> PluginParts
    ) throws(PluginError) -> Int32 {
        let manifest = try PluginManifest(at: manifestPath())
        let parts = parts()
        try parts.check(against: manifest)
        let termination = try orPluginError { () throws(SystemError) in
            let termination = DescriptorBox(try OwnedDescriptor.signal(SIGTERM))
            try EndGuard.start(socket: socket, termination: termination)
            return termination
        }
        let daemon = PluginDaemon(
            socket, manifest: manifest, parts: parts, termination: termination,
            isTraced: CurrentProcess.environment("PICKERD_PLUGIN_TRACE") == "1",
            report: { print("\(name): \($0)") })
        return daemon.serve()
    }

    /// The manifest beside the program, as it was called, or beside what that is a link to.
    private static func manifestPath() throws(PluginError) -> RawPath {
        var places: [RawPath] = []
        if let called = CommandLine.arguments.first, called.contains("/") {
            places.append(RawPath(called).folder)
        }
        if let program = CurrentProcess.program { places.append(program.folder) }
        for place in places {
            let path = RawPath("\(place)/plugin.json")
            if (try? FileStatus.of(path)) != nil { return path }
        }
        throw PluginError(
            .manifest,
            "there is no plugin.json beside the program, where a plugin has its manifest")
    }
}
