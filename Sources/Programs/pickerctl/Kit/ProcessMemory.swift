/// The memory of a plugin's processes, from /proc.
enum ProcessMemory {
    /// The resident memory of all that runs behind a guard, in KiB; nil if the kernel does not tell.
    static func ofPlugin(behind guardPid: Int) -> Int? {
        let all = descendants(of: guardPid)
        if all.isEmpty { return nil }
        return all.reduce(0) { $0 + (resident($1) ?? 0) }
    }

    private static func descendants(of pid: Int) -> [Int] {
        let text = ProcFile.text("/proc/\(pid)/task/\(pid)/children") ?? ""
        let children = text.split(separator: " ").compactMap { Int($0) }
        return children + children.flatMap { descendants(of: $0) }
    }

    private static func resident(_ pid: Int) -> Int? {
        for line in (ProcFile.text("/proc/\(pid)/status") ?? "").split(separator: "\n")
        where line.hasPrefix("VmRSS:") {
            return line.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
        }
        return nil
    }
}
