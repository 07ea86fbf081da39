package import EventLoops
internal import Glibc
package import SystemInterface

/// Runs plugins as children of this process, each behind a guard (CPluginGuard): where no service manager answers, as
/// in tests and in containers, and for a daemon started by hand. A plugin then has this process's own sandbox.
package final class ChildLauncher: PluginLauncher {
    private let loop: any EventLoop
    /// A program that is the guard if it is called by that name.
    private let guardProgram: RawPath
    /// Gets what the plugins print on their standard output, instead of where their standard errors go.
    package var standardOutput: DescriptorBox?

    /// The most open descriptors of a plugin.
    private static let descriptors = 256
    /// A program may reserve more addresses than it uses memory, so the limit on these is wider.
    private static let addressesForMemory = 4
    /// The signal by which the guard says that the plugin had too many tasks: the kernel itself never sends it.
    fileprivate static let tooManyTasks = SIGSTKFLT

    package init(loop: any EventLoop, guardProgram: RawPath = RawPath("/proc/self/exe")) {
        self.loop = loop
        self.guardProgram = guardProgram
    }

    package func launch(
        _ launch: PluginLaunch, socket: DescriptorBox, output: DescriptorBox,
        ended: @escaping (PluginEnd) -> Void
    ) -> any LaunchedPlugin {
        let child = LaunchedChild()
        do throws(SystemError) {
            let nothing = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDONLY)
            let pid = try command(for: launch).start(
                input: nothing.number, output: (standardOutput ?? output).number,
                error: output.number, other: socket.number)
            child.process = pid
            try child.watch(on: loop, ended)
        } catch {
            // A child that can't be watched is not left alone.
            child.end()
            loop.enqueue { ended(.notStarted("\(error)")) }
        }
        return child
    }

    private func command(for launch: PluginLaunch) -> ChildProcess {
        let addresses = Self.addressesForMemory * launch.limits.memoryMiB << 20
        let numbers = [
            Int(CurrentProcess.pid), addresses, Self.descriptors, launch.limits.tasks,
            Int(Self.tooManyTasks),
        ].map { String($0) }
        return ChildProcess(
            guardProgram, arguments: numbers + [launch.folder] + launch.absoluteCommand,
            environment: launch.environment, name: CurrentProcess.pluginGuard)
    }
}

private final class LaunchedChild: LaunchedPlugin {
    /// The guard; nil before the start, and once it is reaped: then its number may be another process's.
    var process: Int32?
    private var descriptor: DescriptorBox?
    private var source: (any IOSource)?

    var pid: Int? { process.map { Int($0) } }
    var unit: String? { nil }
    var sandbox: String? { "inherited" }

    func end() {
        if let process { _ = kill(process, SIGTERM) }
    }

    /// The guard tells of the end by its own.
    func connectionEnded() {}

    /// Calls `ended` when the guard has ended. Retains the child until then.
    func watch(
        on loop: any EventLoop, _ ended: @escaping (PluginEnd) -> Void
    ) throws(SystemError) {
        guard let process else { return }
        let descriptor = DescriptorBox(try ChildProcess.watch(process))
        self.descriptor = descriptor
        source = try loop.watch(descriptor.number, for: .readable) { [self] _ in
            let end: PluginEnd
            do throws(SystemError) {
                guard let reaped = try ChildProcess.end(of: process) else { return }
                end = PluginEnd(reaped)
            } catch {
                end = .unknown
            }
            self.process = nil
            source?.cancel()
            source = nil
            self.descriptor = nil
            ended(end)
        }
    }
}

extension PluginEnd {
    fileprivate init(_ end: ChildEnd) {
        switch end {
        case .exited(let status): self = .exited(status)
        case .killed(ChildLauncher.tooManyTasks): self = .tooManyTasks
        case .killed(let signal): self = .killed(signal: signal)
        }
    }
}
