// What a running daemon says of itself: its version, settings, stores and plugins.

package import PickerClient
import WireProtocol

package enum DaemonChecks {
    // MARK: Itself

    package static func daemon(_ hello: DaemonHello, _ status: DaemonStatus) -> [Check] {
        let server = hello.server.split(separator: "/", maxSplits: 1).map(String.init)
        let version = server.count == 2 ? server[1] : status.version
        let own = ClientVersion.text
        var checks = [
            Check(
                "daemon", .ok,
                "\(server.first ?? "") answers: process \(status.pid), up "
                    + DurationText.text(status.uptime))
        ]
        if version == own {
            checks.append(Check("version", .ok, "pickerd and pickerctl are \(own)"))
        } else {
            checks.append(
                Check(
                    "version", .note, "pickerd is \(version), and pickerctl \(own)",
                    next: [
                        hello.isOlderThanClient
                            ? "start the daemon again: systemctl --user restart pickerd.service"
                            : "install the pickerctl of the daemon, or start the daemon again"
                    ]))
        }
        return checks
    }

    // MARK: Settings

    private static let noFolder = "there is no folder for it"
    private static let reload = "; mend it, then run 'pickerctl reload'"

    package static func settings(_ status: DaemonStatus) -> [Check] {
        var checks: [Check] = []
        if let file = status.settingsFile {
            let isFaulty = status.degraded.contains { $0.path == file.path }
            let state =
                switch (file.isRead, isFaulty) {
                case (true, false): "was read"
                case (true, true): "was read; what is wrong in it does not count"
                case (false, true): "could not be read; the defaults apply"
                case (false, false): "is not there; the defaults apply"
                }
            checks.append(Check("settings", isFaulty ? .note : .ok, "'\(file.path)' \(state)"))
        }
        checks += status.degraded.map { part in
            let place = part.line.map { "\(part.path):\($0)" } ?? part.path
            let isMendable = part.reason.hasSuffix(reload)
            let reason = isMendable ? String(part.reason.dropLast(reload.count)) : part.reason
            return Check(
                part.what, .problem, "\(place): \(reason)",
                next: isMendable ? ["mend it, then: pickerctl reload"] : [])
        }
        if let fault = status.storeFaults["events"] {
            let step =
                fault == noFolder
                ? "set HOME for pickerd, or name a folder with: pickerd --state FOLDER"
                : "free space, or mend what is wrong there, then: pickerctl reload"
            checks.append(
                Check(
                    "events-store", .problem, "events are not kept across restarts: \(fault)",
                    next: [step]))
        }
        if let fault = status.storeFaults["snapshot"] {
            checks.append(
                Check(
                    "documents-store", .problem, "documents do not outlive a restart: \(fault)",
                    next: [
                        "free space, or mend what is wrong there; it is tried again every ten seconds"
                    ]
                ))
        }
        if let fault = status.storeFaults["feed"] {
            checks.append(
                Check(
                    "feed-store", .problem, "likes, and what is dropped, can't be stored: \(fault)",
                    next: ["free space, or mend what is wrong there; it is tried again"]))
        }
        return checks
    }

    // MARK: Plugins

    package static func plugins(_ plugins: [DaemonPlugin]) -> [Check] {
        let ready = plugins.filter { $0.state == "ready" }
        let others = plugins.filter { $0.state != "ready" }
        var checks: [Check] = []
        if !ready.isEmpty {
            checks.append(
                Check("plugins", .ok, "ready: " + ready.map(\.id).joined(separator: ", ")))
        }
        checks += others.map { plugin in
            let reason = plugin.reason.map { ": \($0)" } ?? ""
            let text = "'\(plugin.id)' is \(plugin.state)\(reason)"
            let enable = "pickerctl plugins enable \(plugin.id)"
            if plugin.state == "disabled" {
                return Check("plugins", .note, text, next: ["to have it: \(enable)"])
            }
            return Check("plugins", .problem, text, next: ["mend that, then: \(enable)"])
        }
        return checks
    }
}
