// The parts of 'pickerctl doctor' that need neither a daemon nor this machine.

import JSONText
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol
import pickerctl

@Suite("pickerctl doctor: limits") struct DoctorLimitTests {
    private func limits(_ files: [String: String]) -> InotifyLimits {
        InotifyLimits { files[$0] }
    }

    @Test("The lowest limit counts, and names the setting to raise")
    func lowest() {
        let limits = limits([
            "fs/inotify/max_user_watches": "8192\n", "user/max_inotify_watches": "8192\n",
            "fs/inotify/max_user_instances": "128\n", "user/max_inotify_instances": "7\n",
            "fs/inotify/max_queued_events": "no number\n",
        ])
        #expect(limits.watches == .init(8192, "fs.inotify.max_user_watches"))
        #expect(limits.instances == .init(7, "user.max_inotify_instances"))
        #expect(limits.events == nil)
    }

    @Test(
        "Numbers of /proc/sys",
        arguments: [
            ("16384\n", 16384), ("0", 0), (" 5 \n", 5), ("", nil), ("-1\n", nil), ("1 2\n", nil),
            ("99999999999999999999\n", nil), ("x", nil),
        ] as [(String, Int?)])
    func number(_ text: String, _ value: Int?) {
        #expect(InotifyLimits.number(text) == value)
    }

    @Test(
        "The value to set is the next power of two above twice the need",
        arguments: [
            (0, 1), (1, 4), (3, 8), (4, 16), (834 + 20, 2048), (524_288, 2_097_152),
            (.max, 1 << 30), (-5, 1),
        ])
    func value(_ need: Int, _ value: Int) {
        #expect(InotifyLimits.Limit.value(for: need) == value)
    }

    @Test("The steps are the line to run, and the file to keep it")
    func steps() {
        let limit = InotifyLimits.Limit(8192, "fs.inotify.max_user_watches")
        #expect(
            limit.steps(toFit: 10_000, "watches") == [
                "sudo sysctl fs.inotify.max_user_watches=32768",
                "and, to keep it: echo fs.inotify.max_user_watches=32768 | sudo tee "
                    + "/etc/sysctl.d/60-pickerd-watches.conf",
            ])
    }

    private static let fdinfo = """
        pos:	0
        flags:	02004000
        mnt_id:	15
        inotify wd:2 ino:1 sdev:800013 mask:80039ce ignored_mask:0 fhandle-bytes:8
        inotify wd:1 ino:2 sdev:800013 mask:80039ce ignored_mask:0 fhandle-bytes:8
         inotify wd:3
        inotify w

        """

    @Test("Watches are counted by their lines, in whatever pieces these come")
    func watches() {
        let bytes = Array(Self.fdinfo.utf8)
        for size in 1...bytes.count {
            var lines = WatchLineCount()
            for start in stride(from: 0, to: bytes.count, by: size) {
                lines.read(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(lines.count == 2, "in pieces of \(size)")
        }
    }

    @Test(
        "The limit of descriptors",
        arguments: [
            ("Max open files            1024                 524288               files\n", 1024),
            ("Limit x y\nMax open files 5 6 files\n", 5), ("Max open files unlimited x\n", nil),
            ("Max open files", nil), ("", nil),
        ] as [(String, Int?)])
    func descriptors(_ text: String, _ limit: Int?) {
        #expect(ProcessTables.descriptorLimit(text) == limit)
    }

    @Test("Processes that are no pickerd of this user are not looked at")
    func foreign() {
        for pid in [Int(CurrentProcess.pid), 0, -1, 1 << 40] {
            #expect(ProcessTables.ofDaemon(pid) == nil)
        }
    }

    private func status(_ roots: JSONValue) throws -> DaemonStatus {
        try DaemonStatus(
            decoding: [
                "version": "0.1.0", "pid": 4, "uptime": 1.5, "clients": 1, "subscriptions": 0,
                "roots": roots,
            ])
    }

    private let limits = InotifyLimits(
        watches: .init(100, "fs.inotify.max_user_watches"),
        instances: .init(8, "fs.inotify.max_user_instances"),
        events: .init(16384, "fs.inotify.max_queued_events"))

    private func checks(_ roots: JSONValue, _ tables: ProcessTables? = nil) throws -> [Check] {
        LimitChecks(limits, try status(roots), tables).checks
    }

    @Test("With room everywhere all is ok")
    func room() throws {
        let tables = ProcessTables(watches: 12, openDescriptors: 9, descriptorLimit: 1024)
        let checks = try checks(
            [["path": "/r", "state": "watching", "documents": 3, "degraded": []]], tables)
        #expect(checks.map(\.name) == ["watches", "instances", "events", "descriptors"])
        #expect(checks.allSatisfy { $0.state == .ok && $0.next == [] })
        #expect(checks[0].text == "fs.inotify.max_user_watches is 100; pickerd has 12")
        #expect(checks[3].text == "pickerd may have 1024 open, and has 9")
    }

    @Test("Watches that are missing, and those that a scan will need, are a problem")
    func tooFew() throws {
        let reason =
            "/r/a: no inotify watch is left (fs.inotify.max_user_watches): it is read every 1 to "
            + "30 seconds until there is one"
        let polling = try checks([
            [
                "path": "/r", "state": "polling", "documents": 3, "degraded": [.string(reason)],
                "degradedCount": 40,
            ]
        ])
        let both = try checks([
            [
                "path": "/r", "state": "scanning", "documents": 3, "degraded": [.string(reason)],
                "folders": 130, "foldersWaiting": 1000,
            ]
        ])
        #expect(both[0].next.first == "sudo sysctl fs.inotify.max_user_watches=4096")
        #expect(polling[0].state == .problem && polling[0].text.contains("none is left for 40"))
        #expect(polling[0].next.first == "sudo sysctl fs.inotify.max_user_watches=512")
        let scanning = try checks([
            [
                "path": "/r", "state": "scanning", "documents": 3, "degraded": [], "folders": 10,
                "foldersWaiting": 100,
            ]
        ])
        #expect(scanning[0].state == .problem)
        #expect(scanning[0].next.first == "sudo sysctl fs.inotify.max_user_watches=256")
        let nearly = try checks(
            [["path": "/r", "state": "watching", "documents": 3, "degraded": []]],
            ProcessTables(watches: 80, openDescriptors: 16, descriptorLimit: 20))
        #expect(nearly[0].state == .note && nearly[3].state == .problem)
    }

    @Test("No queue is a problem of its own")
    func noInstance() throws {
        let reason =
            "/r: no inotify instance is left (fs.inotify.max_user_instances): it is read every 1 to 30 "
            + "seconds until there is one"
        let checks = try checks([
            ["path": "/r", "state": "polling", "documents": 3, "degraded": [.string(reason)]]
        ])
        #expect(checks[0].state == .ok && checks[1].state == .problem)
        #expect(checks[1].next.first == "sudo sysctl fs.inotify.max_user_instances=32")
    }

    @Test("Numbers of the daemon that no machine can have are survived")
    func hostile() throws {
        let checks = try checks([
            [
                "path": "/r", "state": "scanning", "documents": -1, "degraded": [],
                "folders": .init(Int.max), "foldersWaiting": .init(Int.max),
            ]
        ])
        #expect(checks[0].next.first == "sudo sysctl fs.inotify.max_user_watches=1073741824")
    }
}

@Suite("pickerctl doctor: what it says") struct DoctorTextTests {
    @Test("Marks, names and texts are in columns; steps are below, and never broken")
    func lines() {
        let report = CheckReport([
            Check("a", .ok, "fine"), Check("long", .note, "worth\u{1b}[31m a look"),
            Check("b", .problem, "bad in very many words", next: ["do this and not that at all"]),
        ])
        let plain = Palette(isOn: false)
        #expect(
            report.lines(plain) == [
                "ok       a     fine", "note     long  worth\\x1b[31m a look",
                "problem  b     bad in very many words",
                "               -> do this and not that at all", "",
                "1 problem was found; '->' says what to do.",
            ])
        #expect(
            report.lines(plain, limit: 36)[2...4] == [
                "problem  b     bad in very many", "               words",
                "               -> do this and not that at all",
            ])
        #expect(report.lines(Palette(isOn: true))[0] == "\u{1b}[32mok\u{1b}[0m       a     fine")
        #expect(CheckReport([]).lines(plain).last == "No problem was found.")
    }

    @Test("JSON has the same, with steps as lines")
    func json() throws {
        let report = CheckReport([
            Check("a", .ok, "\"\u{1b}"), Check("b", .problem, "bad", next: ["one", "two"]),
        ])
        #expect(
            try JSONValue(parsing: Array(report.json.utf8)) == [
                "checks": [
                    ["name": "a", "state": "ok", "text": "\"\u{1b}"],
                    ["name": "b", "state": "problem", "text": "bad", "next": "one\ntwo"],
                ]
            ])
    }

    @Test(
        "Faults are recognised by their ends, whatever the path says",
        arguments: [
            ("/a: permission denied; it is tried again", .noPermission, "/a"),
            (
                "/a: it lies too deep and is not read: permission denied; it is tried again",
                .noPermission, "/a: it lies too deep and is not read"
            ),
            ("/a: it lies too deep and is not read", .tooDeep, "/a"),
            ("it lies too deep and is not read", .other, "it lies too deep and is not read"),
            (
                "/a: it can't be read now: Too many open files (EMFILE); it is tried again",
                .shortage,
                "/a: it can't be read now: Too many open files (EMFILE); it is tried again"
            ),
            ("/a: Input/output error (EIO); it is tried again", .other, nil),
        ] as [(String, RootFault.Kind, String?)])
    func faults(_ text: String, _ kind: RootFault.Kind, _ path: String?) {
        let fault = RootFault(text)
        #expect(fault.kind == kind)
        #expect(fault.path == path ?? text)
    }

    private func roots(_ roots: JSONValue, folders: Set<String> = []) throws -> [Check] {
        let status = try DaemonStatus(
            decoding: [
                "version": "0.1.0", "pid": 4, "uptime": 1.5, "clients": 1, "subscriptions": 0,
                "roots": roots,
            ])
        return RootChecks.checks(of: status.roots) { folders.contains($0) }
    }

    @Test("A root has its rules, and a check for each kind of fault")
    func root() throws {
        let faults: [JSONValue] =
            (0..<5).map { .string("/r/\($0): permission denied; it is tried again") } + [
                "/r/deep: it lies too deep and is not read"
            ]
        let checks = try roots([
            [
                "path": "/r", "state": "polling", "documents": 1, "degraded": .array(faults),
                "degradedCount": 16,
                "rules": [
                    "hidden": "skip", "ignore": ["*.o", "/x"], "gitignore": true,
                    "symlinks": "follow",
                ],
            ]
        ])
        #expect(
            checks.map(\.text) == [
                "'/r': polling, 1 document; without hidden files, ignored: *.o /x, .gitignore and "
                    + ".ignore count, links are followed",
                "'/r': 15 folders, permission denied; it is tried again: /r/0, /r/1, /r/2 and 12 more",
                "'/r': 1 folder, it lies too deep and is not read: /r/deep",
            ])
        #expect(checks.map(\.state) == [.note, .problem, .problem])
        #expect(checks[1].next.first?.contains("chmod u+rx") == true)
    }

    @Test("A missing root says why, and whether only the daemon can't see it")
    func missing() throws {
        let told: JSONValue = [
            [
                "path": "/tmp/x", "state": "missing", "documents": 0,
                "degraded": ["/tmp/x: the folder is not there; pickerd waits for it"],
            ]
        ]
        let gone = try roots(told)
        #expect(
            gone.map(\.text) == [
                "'/tmp/x': missing, the folder is not there; pickerd waits for it"
            ])
        #expect(gone[0].state == .problem && gone[0].next.count == 1)
        let hidden = try roots(told, folders: ["/tmp/x"])
        #expect(hidden[0].next.first?.contains("PrivateTmp=") == true)
        #expect(try roots([])[0].state == .problem)
    }

    @Test("Settings and stores that are wrong are problems, with what to do")
    func settings() throws {
        var info: JSONObject = [
            "version": "0.1.0", "pid": 4, "uptime": 1.5, "clients": 1, "subscriptions": 0,
            "roots": [], "settings": ["path": "/c", "read": false],
        ]
        func checks() throws -> [Check] {
            DaemonChecks.settings(try DaemonStatus(decoding: .object(info)))
        }
        #expect(try checks() == [Check("settings", .ok, "'/c' is not there; the defaults apply")])
        info["settings"] = ["path": "/c", "read": true]
        #expect(try checks() == [Check("settings", .ok, "'/c' was read")])
        info["degraded"] = [
            [
                "what": "settings", "path": "/c", "line": 3,
                "reason": "'x' is wrong; mend it, then run 'pickerctl reload'",
            ]
        ]
        info["events"] = ["degraded": "the disk is full"]
        info["feed"] = ["degraded": "it is locked"]
        info["snapshot"] = ["degraded": "it can't be written"]
        let all = try checks()
        let stores = ["events-store", "documents-store", "feed-store"]
        #expect(all.map(\.name) == ["settings", "settings"] + stores)
        #expect(all.map(\.state) == [.note, .problem, .problem, .problem, .problem])
        #expect(all[1].text == "/c:3: 'x' is wrong")
        #expect(all.dropFirst().allSatisfy { !$0.next.isEmpty })
    }
}

@Suite("pickerctl doctor: without a daemon") struct DoctorAbsenceTests {
    private static let path = "/run/user/7/pickerd/pickerd.sock"

    private func units(
        load: String = "loaded", active: String = "inactive", file: String = "disabled",
        service: String = "inactive", listen: String = path
    ) -> String {
        """
        Id=pickerd.socket
        LoadState=\(load)
        ActiveState=\(active)
        SubState=dead
        UnitFileState=\(file)
        Result=success
        FragmentPath=/u/pickerd.socket
        Listen=\(listen) (Stream)

        Id=pickerd.service
        LoadState=\(load)
        ActiveState=\(service)
        """
    }

    private func advice(_ text: String) throws -> (check: Check, steps: [String]) {
        UserUnits.advice(
            .success(try #require(UserUnits(parsing: text))), on: Self.path,
            byHand: "pickerd FOLDER")
    }

    @Test("Properties are read by unit, in any order")
    func parsing() throws {
        let units = try #require(
            UserUnits(
                parsing: "Result=x=y\nId=pickerd.service\n\n\nId=other\n\nLoadState=loaded\n"
                    + "Id=pickerd.socket\nListen=a b (Stream)\nnonsense\n"))
        #expect(units.service.result == "x=y" && units.socket.load == "loaded")
        #expect(units.socket.listen == "a b" && units.service.listen == nil)
        #expect(UserUnits(parsing: "Failed to connect to bus: No medium found\n") == nil)
        #expect(UserUnits(parsing: "Id=pickerd.socket\n") == nil)
        #expect(UserUnits(parsing: "") == nil)
    }

    @Test("The state of the units decides the next step")
    func steps() throws {
        let enable = "systemctl --user enable --now pickerd.socket"
        #expect(try advice(units()).steps.first == enable)
        #expect(
            try advice(units(file: "enabled")).steps.first
                == "systemctl --user start pickerd.socket")
        #expect(
            try advice(units(load: "not-found")).steps.first == "start a daemon: pickerd FOLDER")
        #expect(try advice(units(load: "masked")).steps[1] == enable)
        let failed = try advice(units(active: "active", service: "failed"))
        #expect(failed.check.state == .problem && failed.steps[0].contains("journalctl --user"))
        #expect(failed.steps[1].contains("reset-failed"))
        let elsewhere = try advice(units(active: "active", listen: "/else"))
        #expect(elsewhere.steps.first == "use that one: pickerctl --socket /else")
        #expect(elsewhere.check.text.contains("it listens at '/else'"))
        #expect(
            try advice(units(listen: "/else")).steps.first
                == enable + " and then: pickerctl --socket /else")
        #expect(
            try advice(units(active: "active")).steps.first
                == "systemctl --user restart pickerd.socket")
        #expect(try advice(units(load: "bad-setting")).check.state == .problem)
        let check = try advice(units()).check
        #expect(
            check.text
                == "pickerd.socket is inactive (dead), disabled; pickerd.service is inactive; "
                + "from '/u/pickerd.socket'")
    }

    private func place(
        _ socket: SocketPlace.Finding, folder: SocketPlace.Finding
    ) -> [Check] {
        SocketPlace(path: Self.path, origin: "--socket", socket: socket, folder: folder)
            .checks(own: 7, isServed: false)
    }

    private func entry(
        _ kind: FileKind, _ owner: UInt32, _ permissions: UInt32 = 0o700
    ) -> SocketPlace.Finding {
        .entry(SocketPlace.Entry(kind: kind, owner: owner, permissions: permissions))
    }

    @Test("The socket's file and folder are named, with their owners and modes")
    func sockets() {
        let fine = entry(.directory, 7)
        let none = place(.nothing, folder: fine)
        #expect(none.map(\.text) == ["'\(Self.path)', by --socket: there is no such file"])
        let stale = place(entry(.socket, 7), folder: fine)
        #expect(stale.map(\.state) == [.note])
        let foreign = place(entry(.socket, 8), folder: fine)
        #expect(foreign[0].state == .problem && foreign[0].text.contains("user 8"))
        let file = place(entry(.regular, 7), folder: fine)
        #expect(file[0].state == .problem && file[0].text.contains("not a socket"))
        let open = place(.nothing, folder: entry(.directory, 7, 0o770))
        #expect(open[1].state == .problem && open[1].text.contains("mode is 770"))
        let other = place(.nothing, folder: entry(.directory, 9, 0o755))
        #expect(other[1].state == .problem && other[1].text.contains("user 9"))
        #expect(place(.nothing, folder: .nothing).count == 1)
        #expect(place(.unknown("EACCES"), folder: fine)[0].state == .problem)
    }
}
