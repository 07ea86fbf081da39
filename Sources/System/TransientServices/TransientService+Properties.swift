// The properties of a service's unit.

extension TransientService {
    /// Gives the program the socket as descriptor 3, /dev/null as its standard input, and none of the manager's own
    /// variables. systemd passes descriptors above 2 only since 257, so the socket arrives as the standard input.
    private static let wrapper = "exec 3<&0 </dev/null; exec /usr/bin/env -i \"$@\""

    /// The properties, apart from the descriptors.
    var properties: [UnitProperty] {
        var properties = [
            UnitProperty("Description", .text(description)),
            UnitProperty("Type", .text("exec")),
            UnitProperty("Slice", .text(Self.slice)),
            // A failed unit stays until its end has been asked for.
            UnitProperty("CollectMode", .text("inactive")),
            UnitProperty("KillMode", .text("control-group")),
            UnitProperty("OOMPolicy", .text("kill")),
            UnitProperty("TimeoutStopUSec", .size(Self.stopLimit)),
            UnitProperty("Nice", .integer(10)),
            UnitProperty("MemoryMax", .size(memoryBytes)),
            UnitProperty("MemorySwapMax", .size(0)),
            UnitProperty("TasksMax", .size(tasks)),
            UnitProperty("LimitCORE", .size(0)),
            UnitProperty("UMask", .count(0o077)),
            UnitProperty("SyslogIdentifier", .text(logIdentifier)),
            UnitProperty("LogRateLimitIntervalUSec", .size(30_000_000)),
            UnitProperty("LogRateLimitBurst", .count(200)),
            UnitProperty("WorkingDirectory", .text(folder)),
            UnitProperty("ExecStart", .command(command)),
        ]
        if let boundUnit {
            properties.append(UnitProperty("BindsTo", .texts([boundUnit])))
            properties.append(UnitProperty("After", .texts([boundUnit])))
        }
        return properties + sandbox.properties
    }

    /// What the manager executes, with each `$` doubled, as it is no variable. With ExecStartEx that would not be needed,
    /// but systemd 252 writes that name into the unit's file, and finds the file faulty when it reads its units again.
    private var command: [String] {
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        // env(1) would take a program with a `=` in its path for a variable; nice(1) executes it as it is.
        let isTakenForVariable = arguments.first?.contains("=") ?? false
        let detour = isTakenForVariable ? ["/usr/bin/nice", "-n", "0"] : []
        let command = ["/bin/sh", "-c", Self.wrapper, "sh"] + variables + detour + arguments
        return command.map { $0.replacing("$", with: "$$") }
    }

    /// The properties of the descriptors, which are borrowed.
    static func descriptors(socket: Int32, output: Int32) -> [UnitProperty] {
        [
            UnitProperty("StandardInputFileDescriptor", .descriptor(socket)),
            UnitProperty("StandardOutputFileDescriptor", .descriptor(output)),
            UnitProperty("StandardErrorFileDescriptor", .descriptor(output)),
        ]
    }

    /// Checks what the manager would misunderstand, or take without an error.
    func check() throws(ServiceCallError) {
        let call = CallSubject(operation: "start", unit: name)
        func require(_ isRight: Bool, _ message: String) throws(ServiceCallError) {
            if !isRight { throw ServiceCallError(.invalid, call, message: message) }
        }
        try require(
            name.hasSuffix(".service") && name.utf8.count <= 255,
            "the name of a service ends in .service, and has up to 255 bytes")
        let paths = [arguments.first ?? "", folder] + sandbox.writablePaths + sandbox.hiddenPaths
        for path in paths {
            try require(path.hasPrefix("/"), "'\(path)' is not an absolute path")
        }
        for variable in environment.keys {
            try require(
                Self.isVariable(variable), "'\(variable)' cannot be the name of a variable")
        }
        let strings = command
        try require(
            arguments.count + environment.count <= Self.mostStrings,
            "there are more than \(Self.mostStrings) arguments and variables")
        try require(
            strings.reduce(0) { $0 + $1.utf8.count } <= Self.mostBytes,
            "the arguments and variables have more than \(Self.mostBytes) bytes")
        let all = [name] + properties.flatMap(\.strings)
        try require(
            all.allSatisfy { !$0.utf8.contains(0) }, "a string holds a NUL byte")
        // The manager writes these into a file of lines, as they are.
        let lines = properties.filter { $0.name != "ExecStart" }.flatMap(\.strings)
        try require(
            !lines.contains {
                $0.unicodeScalars.contains { $0.properties.generalCategory == .control }
            },
            "a control character is in its description, a path or another setting")
        try require(memoryBytes > 0 && tasks > 0, "without memory or tasks nothing can run")
    }

    /// A letter or `_`, then letters, digits and `_`.
    private static func isVariable(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
                || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
    }
}
