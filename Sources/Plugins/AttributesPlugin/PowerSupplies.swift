internal import SystemInterface

/// What the system says of where the machine's power comes from.
enum PowerSupplies {
    /// Where Linux lists them: a folder for each, with a file for each thing that is known of it.
    static let standardFolder = "/sys/class/power_supply"
    /// The most that are looked at; others are left out.
    static let mostSupplies = 64
    private static let mostBytes = 64

    /// Whether the machine runs on a battery: none of the supplies from outside is there, and a battery is being
    /// discharged, or one of the former says that it is not there. Batteries of other devices, such as of a mouse, don't
    /// count, nor does what can't be read. Without any of these files it does not.
    static func isOnBattery(_ folder: RawPath) -> Bool {
        var hasBattery = false
        var isDischarged = false
        var isUnplugged = false
        for supply in supplies(in: folder) where text("scope", of: supply) != "Device" {
            switch text("type", of: supply) {
            case "Mains", "USB", "Wireless":
                switch text("online", of: supply) {
                case "0": isUnplugged = true
                case nil: break
                default: return false
                }
            case "Battery", "UPS":
                hasBattery = true
                if text("status", of: supply) == "Discharging" { isDischarged = true }
            default: break
            }
        }
        return isDischarged || isUnplugged && hasBattery
    }

    private static func supplies(in folder: RawPath) -> [RawPath] {
        var names: [[UInt8]] = []
        do throws(SystemError) {
            var reader = try DirectoryReader(opening: folder)
            while names.count < mostSupplies, try reader.readBatch({ names.append($0.name) }) {}
        } catch { return [] }
        return names.prefix(mostSupplies).compactMap {
            RawPath(bytes: folder.bytes + [UInt8(ascii: "/")] + $0)
        }
    }

    /// The line in a file; nil if there is none, or it is no short text.
    private static func text(_ name: String, of supply: RawPath) -> String? {
        let path = RawPath(bytes: supply.bytes + Array("/\(name)".utf8))
        guard let path, let all = try? PrivateFile.contents(of: path, limit: mostBytes),
            all.count <= mostBytes
        else { return nil }
        return String(validating: all.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
