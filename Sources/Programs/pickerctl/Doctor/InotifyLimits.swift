// The kernel's limits of inotify, and how to raise them.

/// The limits that hold for this user.
package struct InotifyLimits: Hashable, Sendable {
    /// A limit, and the setting of the kernel that has it.
    package struct Limit: Hashable, Sendable {
        package let value: Int
        /// As for sysctl(8), such as `fs.inotify.max_user_watches`.
        package let setting: String

        package init(_ value: Int, _ setting: String) {
            self.value = value
            self.setting = setting
        }
    }

    /// Watches of all programs of the user together; nil if unknown.
    package let watches: Limit?
    /// Queues of all programs of the user together; nil if unknown.
    package let instances: Limit?
    /// Events that wait in one queue; nil if unknown.
    package let events: Limit?

    package init(watches: Limit?, instances: Limit?, events: Limit?) {
        self.watches = watches
        self.instances = instances
        self.events = events
    }

    /// Reads the limits. `read` returns the content of a file below `/proc/sys`; nil if it can't be read.
    package init(reading read: (String) -> String?) {
        // In a user namespace its own limits hold as well, and the lowest decides.
        watches = Self.lowest(["fs.inotify.max_user_watches", "user.max_inotify_watches"], read)
        instances = Self.lowest(
            ["fs.inotify.max_user_instances", "user.max_inotify_instances"], read)
        events = Self.lowest(["fs.inotify.max_queued_events"], read)
    }

    private static func lowest(_ settings: [String], _ read: (String) -> String?) -> Limit? {
        var lowest: Limit?
        for setting in settings {
            let path = setting.split(separator: ".").joined(separator: "/")
            guard let text = read(path), let value = number(text) else { continue }
            if lowest.map({ value < $0.value }) ?? true { lowest = Limit(value, setting) }
        }
        return lowest
    }

    /// The number in a file of `/proc/sys`.
    package static func number(_ text: String) -> Int? {
        let digits = text.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }
        let rest = text.drop { $0.isWhitespace }.dropFirst(digits.count)
        guard rest.allSatisfy(\.isWhitespace), let value = Int(digits), value >= 0 else {
            return nil
        }
        return value
    }
}

extension InotifyLimits.Limit {
    /// The kernel keeps these numbers in 32 bits.
    private static let most = 1 << 30

    /// The value to set if `need` are needed: the next power of two above twice the need.
    package static func value(for need: Int) -> Int {
        let twice = max(0, min(need, most / 2)) * 2
        var value = 1
        while value <= twice, value < most { value *= 2 }
        return value
    }

    /// What to run so that there is room for `need`, now and after a restart of the machine. `topic` names the file.
    package func steps(toFit need: Int, _ topic: String) -> [String] {
        let line = "\(setting)=\(Self.value(for: need))"
        let file = "/etc/sysctl.d/60-pickerd-\(topic).conf"
        return [
            "sudo sysctl \(line)",
            "and, to keep it: echo \(line) | sudo tee \(file)",
        ]
    }
}
