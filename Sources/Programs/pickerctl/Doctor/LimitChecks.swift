// Whether the limits of the kernel leave room for the daemon.

package import PickerClient

/// Watches, queues, events and descriptors: what may be had, and what the daemon has.
package struct LimitChecks {
    package let limits: InotifyLimits
    /// Nil without a daemon.
    package let status: DaemonStatus?
    /// Nil if they can't be read.
    package let tables: ProcessTables?

    package init(
        _ limits: InotifyLimits, _ status: DaemonStatus? = nil, _ tables: ProcessTables? = nil
    ) {
        self.limits = limits
        self.status = status
        self.tables = tables
    }

    package var checks: [Check] {
        [watches, instances, events] + (descriptors.map { [$0] } ?? [])
    }

    /// Above this part of a limit, in tenths, it is nearly reached.
    private static let nearly = 8

    private static func isNearly(_ used: Int, _ limit: Int) -> Bool {
        used / nearly >= limit / 10 && used >= 10
    }

    // MARK: Watches

    private var watches: Check {
        guard let limit = limits.watches else { return Self.unknown("watches") }
        let roots = status?.roots.filter { $0.has(.noWatch) } ?? []
        let folders = folders
        var text = "\(limit.setting) is \(limit.value)"
        if let used = tables?.watches { text += "; pickerd has \(used)" }
        if !roots.isEmpty {
            let unwatched = roots.reduce(0) { Self.sum($0, $1.degradedCount) }
            // All that may be had are taken, by whichever program of the user.
            return Check(
                "watches", .problem,
                text + "; none is left for \(Self.count(unwatched, "folder")), which "
                    + (unwatched == 1 ? "is" : "are") + " read every 1 to 30 seconds instead",
                next: limit.steps(
                    toFit: max(folders, Self.sum(limit.value, unwatched)), "watches"))
        }
        if folders > limit.value {
            return Check(
                "watches", .problem,
                text + "; there are \(Self.count(folders, "folder")) to watch, at least",
                next: limit.steps(toFit: folders, "watches"))
        }
        if let used = tables?.watches, Self.isNearly(used, limit.value) {
            return Check(
                "watches", .note, text + ", nearly all of them",
                next: limit.steps(toFit: limit.value, "watches"))
        }
        return Check("watches", .ok, text)
    }

    /// The folders that a scan under way has found.
    private var folders: Int {
        (status?.roots ?? []).reduce(0) {
            Self.sum($0, Self.sum($1.folders ?? 0, $1.foldersWaiting ?? 0))
        }
    }

    /// Numbers of the daemon may be anything.
    private static func sum(_ one: Int, _ other: Int) -> Int {
        let sum = max(0, one).addingReportingOverflow(max(0, other))
        return sum.overflow ? .max : sum.partialValue
    }

    // MARK: The others

    private var instances: Check {
        guard let limit = limits.instances else { return Self.unknown("instances") }
        let text = "\(limit.setting) is \(limit.value)"
        guard status?.roots.contains(where: { $0.has(.noInstance) }) == true else {
            return Check("instances", .ok, text)
        }
        return Check(
            "instances", .problem,
            text + "; none is left for pickerd, which reads all folders every 1 to 30 seconds "
                + "instead",
            next: limit.steps(toFit: limit.value, "instances"))
    }

    private var events: Check {
        guard let limit = limits.events else { return Self.unknown("events") }
        return Check(
            "events", .ok,
            "\(limit.setting) is \(limit.value); if more wait, all folders are read again")
    }

    private var descriptors: Check? {
        guard status != nil else { return nil }
        guard let tables else {
            return Check(
                "descriptors", .note, "what pickerd has open is not known: /proc does not show it")
        }
        guard let open = tables.openDescriptors else { return nil }
        guard let limit = tables.descriptorLimit else {
            return Check("descriptors", .ok, "pickerd has \(open) open, without a limit")
        }
        let text = "pickerd may have \(limit) open, and has \(open)"
        if Self.isNearly(open, limit) {
            return Check(
                "descriptors", .problem, text,
                next: [
                    "close what has many connections open, or raise LimitNOFILE= by: "
                        + "systemctl --user edit pickerd.service"
                ])
        }
        return Check("descriptors", .ok, text)
    }

    private static func unknown(_ name: String) -> Check {
        Check(name, .note, "the limit is not known: /proc/sys does not show it")
    }

    /// Such as "1 folder".
    static func count(_ number: Int, _ what: String) -> String {
        "\(number) \(what)\(number == 1 ? "" : "s")"
    }
}
