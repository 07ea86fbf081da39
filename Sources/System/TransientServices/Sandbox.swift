// What a service may do.

/// The sandbox of a service. Whatever it says, a service gets no privileges by executing programs, and no name
/// spaces, personality or real-time scheduling of its own.
package struct Sandbox: Hashable, Sendable {
    /// How much of a sandbox the system allows.
    package enum Level: Hashable, Sendable {
        /// With a view of the file system and a network of its own, which takes user namespaces.
        case full
        /// Without them: where the system forbids user namespaces (a start fails with status 217), the filters of
        /// system calls remain. `writablePaths` and `hiddenPaths` mean nothing then.
        case seccomp
    }

    package var level: Level
    /// Whether it may use the network: sockets of other families than AF_UNIX.
    package var network: Bool
    /// The absolute paths that it may write to. Everything else is read-only, except for its own /tmp and /var/tmp.
    /// A path that does not exist is passed over.
    package var writablePaths: [String]
    /// Absolute paths that it can't open, such as those of keys. A path that does not exist is passed over.
    package var hiddenPaths: [String]
    /// Whether it may use the user's bus and service manager. By these it could leave the sandbox.
    package var sessionBus: Bool
    /// Whether it may make memory executable, as compilers at run time need (Node, LuaJIT).
    package var jit: Bool

    package init(
        level: Level = .full, network: Bool = false, writablePaths: [String] = [],
        hiddenPaths: [String] = [], sessionBus: Bool = false, jit: Bool = false
    ) {
        self.level = level
        self.network = network
        self.writablePaths = writablePaths
        self.hiddenPaths = hiddenPaths
        self.sessionBus = sessionBus
        self.jit = jit
    }

    /// Its properties.
    var properties: [UnitProperty] {
        let always = [
            UnitProperty("NoNewPrivileges", .flag(true)),
            UnitProperty("RestrictSUIDSGID", .flag(true)),
            UnitProperty("RestrictRealtime", .flag(true)),
            UnitProperty("LockPersonality", .flag(true)),
            // The allowed kinds of namespaces, as bits: none.
            UnitProperty("RestrictNamespaces", .size(0)),
            UnitProperty("SystemCallArchitectures", .texts(["native"])),
            UnitProperty("SystemCallFilter", .allowed(["@system-service"])),
            // Programs try newer calls and go on without them; the default would end them.
            UnitProperty("SystemCallErrorNumber", .integer(1)),
        ]
        var chosen: [UnitProperty] = []
        if !network {
            chosen.append(UnitProperty("RestrictAddressFamilies", .allowed(["AF_UNIX"])))
        }
        if !jit { chosen.append(UnitProperty("MemoryDenyWriteExecute", .flag(true))) }
        return always + chosen + (level == .full ? namespaces : [])
    }

    /// The properties that take user namespaces.
    private var namespaces: [UnitProperty] {
        let flags = [
            "PrivateUsers", "PrivateTmp", "PrivateDevices", "ProtectKernelTunables",
            "ProtectKernelModules", "ProtectKernelLogs", "ProtectControlGroups", "ProtectClock",
            "ProtectHostname",
        ]
        var properties = [
            UnitProperty("ProtectSystem", .text("strict")),
            UnitProperty("ProtectHome", .text("read-only")),
            UnitProperty("CapabilityBoundingSet", .size(0)),
            // The `-` passes over a path that does not exist.
            UnitProperty("ReadWritePaths", .texts(writablePaths.map { "-" + $0 })),
            UnitProperty("InaccessiblePaths", .texts(hiddenPaths.map { "-" + $0 })),
        ]
        properties += flags.map { UnitProperty($0, .flag(true)) }
        if !network { properties.append(UnitProperty("PrivateNetwork", .flag(true))) }
        return properties
    }
}
