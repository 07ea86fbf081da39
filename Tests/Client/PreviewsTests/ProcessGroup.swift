import Foundation

/// The processes of a group that live: those that have ended and wait to be reaped are not among them.
func livingProcesses(ofGroup group: Int) -> [Int] {
    processes { $0.group == group && $0.state != "Z" }
}

/// The children of this process, with those that have ended.
func childProcesses() -> [Int] {
    let own = Int(ProcessInfo.processInfo.processIdentifier)
    return processes { $0.parent == own }
}

/// Whether a process has ended and waits to be reaped.
func isZombie(_ pid: Int) -> Bool { status(of: pid)?.state == "Z" }

private struct Status {
    let state: Substring
    let parent: Int?
    let group: Int?
}

private func processes(where holds: (Status) -> Bool) -> [Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int($0) }.filter { status(of: $0).map(holds) ?? false }
}

private func status(of pid: Int) -> Status? {
    // "pid (name) state parent group …", where the name may hold anything.
    guard let line = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
        let end = line.lastIndex(of: ")")
    else { return nil }
    let fields = line[end...].dropFirst().split(separator: " ")
    guard fields.count > 2 else { return nil }
    return Status(state: fields[0], parent: Int(fields[1]), group: Int(fields[2]))
}
