import Glibc
import PluginProcesses
import SystemInterface
import TestSupport
import Testing

@Suite struct PluginFoldersTests {
    private let folder: TemporaryFolder
    private let plugins: PluginFolder

    init() throws {
        folder = try TemporaryFolder()
        plugins = try PluginFolder(folder)
    }

    @Test("a plugin in its folder is usable")
    func usable() throws {
        try plugins.add("image")
        let plugin = try #require(plugins.only())
        #expect(plugin.id == "image")
        #expect(plugin.manifest?.name == "A test", "\(plugin.reason)")
        #expect(plugin.folder == folder.rawPath("plugins/image"))
        #expect(plugin.place == 0 && !plugin.isShadowed)
    }

    @Test("plugins are listed by name; files, hidden folders and links to files are none")
    func listing() throws {
        for id in ["c", "a", "b"] { try plugins.add(id) }
        try plugins.write("readme", "")
        try folder.makeFolder("plugins/.git")
        try folder.makeLink("plugins/link", to: folder.path("plugins/readme"))
        let listing = plugins.scan()
        #expect(listing.plugins.map(\.id) == ["a", "b", "c"])
        #expect(listing.faults == [])
    }

    @Test("the first plugin of an id wins, usable or not, and the others are listed as shadowed")
    func shadowed() throws {
        let other = try PluginFolder(folder, "system")
        try plugins.add("a", "{")
        try other.add("a")
        try other.add("b")
        let paths = ["plugins", "none", "system"].map { folder.rawPath($0) }
        let listing = PluginFolders(places: paths, reserved: []).scan()
        #expect(listing.plugins.map(\.id) == ["a", "a", "b"])
        #expect(listing.plugins.map(\.place) == [0, 2, 2])
        #expect(listing.plugins.map(\.isShadowed) == [false, true, false])
        #expect(listing.plugins.map { $0.manifest != nil } == [false, true, true])
        #expect(listing.faults == [])
    }

    @Test("a place that is no folder is a fault, one that does not exist is not")
    func places() throws {
        try folder.write("file")
        let paths = ["file", "none"].map { folder.rawPath($0) }
        let listing = PluginFolders(places: paths, reserved: []).scan()
        #expect(listing.plugins == [])
        #expect(listing.faults.map(\.place) == [0])
        #expect(listing.faults.first?.message.contains("Not a directory") == true)
    }

    @Test("links are followed: of the folder, the manifest and the program")
    func links() throws {
        let work = try PluginFolder(folder, "work")
        try work.add("image")
        try folder.move("work/image/plugin.json", to: "work/manifest")
        try folder.move("work/image/run", to: "work/program")
        try folder.makeLink("work/image/plugin.json", to: "../manifest")
        try folder.makeLink("work/image/run", to: folder.path("work/program"))
        try folder.makeLink("plugins/image", to: folder.path("work/image"))
        #expect(plugins.only()?.reason == "usable")
        work.setMode("program", 0o775)
        #expect(plugins.only()?.reason.hasPrefix("its program './run' can be written by") == true)
        work.setMode("program", 0o755)
        work.setMode("manifest", 0o666)
        #expect(plugins.only()?.reason.hasPrefix("plugin.json can be written by") == true)
        try folder.remove("work/image")
        #expect(plugins.only()?.reason.contains("No such file") == true)
    }

    @Test("what others can change is refused")
    func writable() throws {
        try plugins.add("image")
        for (name, mode, what) in [
            ("", UInt32(0o755), "the folder"), ("/plugin.json", 0o644, "plugin.json"),
            ("/run", 0o755, "its program './run'"),
        ] {
            for bit: UInt32 in [0o020, 0o002] {
                plugins.setMode("image" + name, mode | bit)
                #expect(
                    plugins.only()?.reason
                        == "\(what) can be written by others than its owner (mode "
                        + String(mode | bit, radix: 8) + "); 'chmod go-w' helps")
            }
            plugins.setMode("image" + name, mode)
        }
        #expect(plugins.only()?.reason == "usable")
    }

    @Test("a place in which others can rename is refused, unless it is sticky")
    func writablePlace() throws {
        try plugins.add("image")
        plugins.setMode("", 0o1777)
        #expect(plugins.only()?.reason == "usable")
        plugins.setMode("", 0o777)
        #expect(
            plugins.only()?.reason.hasPrefix("its place '\(folder.path)/plugins' can be written")
                == true)
    }

    @Test("a folder on the way to the program that others can change is refused")
    func writableInnerFolder() throws {
        try plugins.add("image", PluginFolder.manifest("image", exec: "./bin/run"))
        try folder.makeFolder("plugins/image/bin")
        try folder.move("plugins/image/run", to: "plugins/image/bin/run")
        plugins.setMode("image/bin", 0o755)
        #expect(plugins.only()?.reason == "usable")
        plugins.setMode("image/bin", 0o777)
        #expect(plugins.only()?.reason.hasPrefix("'./bin' can be written by others") == true)
    }

    @Test("what belongs to neither this user nor root is refused")
    func owners() throws {
        try plugins.add("image")
        if CurrentProcess.uid != 0 {
            let listing = plugins.scan(user: CurrentProcess.uid + 1)
            #expect(listing.plugins.first?.reason.contains("belongs to user") == true)
            return
        }
        for (name, what) in [
            ("", "the folder"), ("/plugin.json", "plugin.json"), ("/run", "its program './run'"),
        ] {
            let path = folder.path("plugins/image" + name)
            // The path is a C string for the length of the call.
            #expect(unsafe chown(path, 12_345, 0) == 0)
            let reason = "\(what) belongs to user 12345; it must be yours or root's"
            #expect(plugins.scan().plugins.first?.reason == reason)
            // To that user it belongs.
            #expect(plugins.scan(user: 12_345).plugins.first?.reason == "usable")
            // So may another, in the places that are said.
            let place = folder.rawPath("plugins")
            #expect(plugins.scan(owners: [place: 12_345]).plugins.first?.reason == "usable")
            let elsewhere = [place: 12_346, folder.rawPath("others"): 12_345] as [RawPath: UInt32]
            #expect(plugins.scan(owners: elsewhere).plugins.first?.reason == reason)
            // As above.
            #expect(unsafe chown(path, 0, 0) == 0)
        }
    }

    @Test("a manifest that is faulty, of another id, or of a reserved one is refused")
    func manifests() throws {
        try plugins.add("image", PluginFolder.manifest("photo"))
        #expect(
            plugins.only()?.reason
                == "plugin.json has the id \"photo\", which must be the folder's name")
        try plugins.write("image/plugin.json", "{\n\"id\": 1}")
        #expect(plugins.only()?.reason.hasPrefix("plugin.json, line 1: 'api' is missing") == true)
        try plugins.write("image/plugin.json", PluginFolder.manifest("image"))
        #expect(
            plugins.only(reserved: ["image"])?.reason.contains("none of the daemon's own words")
                == true)
        #expect(plugins.only()?.reason == "usable")
    }

    @Test("a manifest of other versions of the interface is incompatible, whatever else is in it")
    func versions() throws {
        let newer = PluginFolder.manifest("image").replacing(
            #""min": 1, "max": 1"#, with: #""min": 2, "max": 2"#)
        try plugins.add("image", newer)
        let reason = "incompatible: it speaks version 2 of the interface, and the daemon version 1"
        #expect(plugins.only()?.reason == reason)
        try plugins.write("image/plugin.json", newer.replacing("\"./run\"", with: "7"))
        #expect(plugins.only()?.reason == reason)
        try plugins.write(
            "image/plugin.json", newer.replacing(#""max": 2"#, with: #""max": 4"#))
        #expect(plugins.only()?.reason.contains("versions 2 to 4") == true)
    }

    @Test(
        "a manifest that is missing, too long, a folder, or a pipe that nobody writes is refused at once",
        .timeLimit(.minutes(1)))
    func noManifest() throws {
        try plugins.add("image")
        let text = PluginFolder.manifest("image")
        let blanks = String(repeating: " ", count: ProcessManifest.mostBytes - text.utf8.count)
        try plugins.write("image/plugin.json", text + blanks)
        #expect(plugins.only()?.reason == "usable")
        try plugins.write("image/plugin.json", text + blanks + " ")
        #expect(plugins.only()?.reason == "plugin.json is longer than 65536 bytes")
        try folder.remove("plugins/image/plugin.json")
        #expect(plugins.only()?.reason == "it has no plugin.json")
        folder.makePipe("plugins/image/plugin.json")
        #expect(plugins.only()?.reason == "plugin.json is not a regular file")
        try folder.remove("plugins/image/plugin.json")
        try folder.makeFolder("plugins/image/plugin.json")
        #expect(plugins.only()?.reason == "plugin.json is not a regular file")
        try folder.remove("plugins/image/plugin.json")
        try folder.makeLink("plugins/image/plugin.json", to: "/dev/zero")
        #expect(plugins.only()?.reason == "plugin.json is not a regular file")
    }

    @Test("a program that is missing, not executable, or not a regular file is refused")
    func programs() throws {
        try plugins.add("image")
        plugins.setMode("image/run", 0o644)
        #expect(plugins.only()?.reason == "its program './run' is not executable; 'chmod +x' helps")
        try folder.remove("plugins/image/run")
        #expect(plugins.only()?.reason == "its program './run' is missing")
        folder.makePipe("plugins/image/run")
        #expect(plugins.only()?.reason == "its program './run' is not a regular file")
        for (exec, reason) in [
            ("/bin/sh", "usable"), ("/none/x", "its program '/none/x' is missing"),
            ("./run/x", "its program './run/x' is missing"),
            ("/bin", "its program '/bin' is not a regular file"),
        ] {
            try plugins.write("image/plugin.json", PluginFolder.manifest("image", exec: exec))
            #expect(plugins.only()?.reason == reason)
        }
    }

    @Test("a required file that is missing is named")
    func requiredFiles() throws {
        let present = folder.path("present")
        let absent = folder.path("absent")
        let more = #", "requires": {"files": ["\#(present)", "\#(absent)"]}"#
        try folder.write("present")
        try plugins.add("image", PluginFolder.manifest("image", more))
        #expect(plugins.only()?.reason == "'\(absent)' is missing, without which it does not run")
        try folder.write("absent")
        #expect(plugins.only()?.reason == "usable")
    }

    @Test("a folder whose name is not UTF-8 is listed, and refused")
    func bytes() throws {
        let path = try #require(folder.rawPath(Array("plugins/a".utf8) + [0xFF]))
        try OwnedDescriptor.makeFolders(path)
        var plugin = try #require(plugins.only())
        #expect(plugin.folder == path)
        #expect(plugin.id == "a\u{FFFD}")
        let manifest = try #require(RawPath(bytes: path.bytes + Array("/plugin.json".utf8)))
        try PrivateFile.replace(manifest, with: Array(PluginFolder.manifest("a").utf8))
        plugin = try #require(plugins.only())
        #expect(plugin.reason == "plugin.json has the id \"a\", which must be the folder's name")
    }

    @Test("a place has 256 plugins, the others are one fault")
    func mostPlugins() throws {
        for number in 0..<256 { try folder.makeFolder("plugins/p\(1000 + number)") }
        #expect(plugins.scan().faults == [])
        for number in 0..<3 { try folder.makeFolder("plugins/q\(number)") }
        let listing = plugins.scan()
        #expect(listing.plugins.count == 256)
        #expect(listing.plugins.last?.id == "p1255")
        #expect(
            listing.faults.map(\.message)
                == [
                    "'\(folder.path)/plugins' has 259 plugins; those after the first 256 by name are ignored"
                ])
    }

    @Test("of a place, 4,096 entries are read")
    func mostEntries() throws {
        for number in 0..<4096 { try folder.write("plugins/f\(number)") }
        #expect(plugins.scan().faults == [])
        try folder.write("plugins/g")
        #expect(
            plugins.scan().faults.map(\.message)
                == ["'\(folder.path)/plugins' has more than 4096 entries; the others are ignored"])
    }
}
