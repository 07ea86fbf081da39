package import EventLoops
package import PluginProcesses
package import SystemInterface
internal import TransientServices

/// Runs plugins as services of the user's service manager, each with a control group and a sandbox of its own, which
/// this process's sandbox does not reach. Where that is impossible, `children` starts them.
///
/// The manager is asked before each start, as it may come and go. Services are bound to the unit of this process, so
/// that the manager ends them with it, however it ends. A daemon that is no unit's main process, such as one that was
/// started in a terminal, has nothing that they could be bound to, and runs children, which the guard ends.
///
/// Units bound to this process's own unit that this object has not started were left by an earlier run, or were started
/// again by the manager together with this process: they are ended, by name, through the manager.
package final class ServiceLauncher: PluginLauncher {
    /// How long each answer may take before a start. A plugin has five seconds until it has to answer, so there is time
    /// left for a child.
    static let answerTime = Duration.seconds(1)
    /// The names of all units of plugins.
    static let pattern = "pickerd-plugin-*.service"

    /// Why plugins run as children.
    private enum Obstacle: Equatable {
        case noManager, noUnit
    }

    let loop: any EventLoop
    let services: any PluginServices
    private let children: any PluginLauncher
    private let report: (String) -> Void
    /// How much of a sandbox the system has turned out to allow.
    private(set) var level = Sandbox.Level.full
    /// Counts units, from the time of the start in milliseconds: names are not those of an earlier run.
    private var lastNumber: Int
    /// The units that were started here, until it is known that they are over.
    private var own: Set<String> = []
    /// Whether there may be units that nobody looks after.
    private var mustLook = true
    /// What was reported last.
    private var obstacle: Obstacle?

    /// A launcher that uses the manager whose sockets are in `runtimeFolder`. `report` gets a line for the log when
    /// something changes for all plugins.
    package convenience init(
        loop: any EventLoop, runtimeFolder: String, children: any PluginLauncher,
        report: @escaping (String) -> Void
    ) {
        self.init(
            loop: loop,
            services: UserServiceManager(loop: loop, runtimeFolder: RawPath(runtimeFolder)),
            children: children, report: report)
    }

    package init(
        loop: any EventLoop, services: any PluginServices, children: any PluginLauncher,
        report: @escaping (String) -> Void
    ) {
        self.loop = loop
        self.services = services
        self.children = children
        self.report = report
        lastNumber = Int(loop.wallSeconds * 1000)
        // After the start of the daemon, which need not wait for this.
        loop.enqueue(priority: .idle) { [weak self] in self?.endLeftUnits() }
    }

    package func launch(
        _ launch: PluginLaunch, socket: DescriptorBox, output: DescriptorBox,
        ended: @escaping (PluginEnd) -> Void
    ) -> any LaunchedPlugin {
        let service = LaunchedService(launch, socket, output, of: self, ended)
        services.identify(within: Self.answerTime) { [self] answer in
            switch answer {
            case .failure(let error): note(.noManager, "\(error)")
            case .success(let identity):
                if let unit = identity.unit {
                    obstacle = nil
                    endLeftUnits(boundTo: unit)
                    return service.start(boundTo: unit)
                }
                note(.noUnit, "this process is no service of the user's service manager")
            }
            service.start(by: children)
        }
        return service
    }

    private func note(_ obstacle: Obstacle, _ reason: String) {
        if self.obstacle == obstacle { return }
        self.obstacle = obstacle
        report("plugins run as children of the daemon, with its rights: \(reason)")
    }

    // MARK: For the services

    /// The name of a new unit.
    func newUnit(of plugin: String) -> String {
        lastNumber += 1
        let name = TransientService.name(plugin: plugin, number: lastNumber)
        own.insert(name)
        return name
    }

    /// Nothing of a unit is left, or it is not known whether that is so.
    func forget(_ unit: String, isOver: Bool) {
        own.remove(unit)
        if !isOver { mustLook = true }
    }

    /// The manager can't make user namespaces, and is not asked for any from now on.
    func doWithoutNamespaces() {
        if level == .seccomp { return }
        level = .seccomp
        report(
            "this system forbids user namespaces (217/USER): plugins run without those, "
                + "so only filters of system calls keep them in bounds")
    }

    // MARK: Left units

    private func endLeftUnits() {
        services.identify(within: Self.answerTime) { [weak self] answer in
            if let unit = (try? answer.get())?.unit { self?.endLeftUnits(boundTo: unit) }
        }
    }

    private func endLeftUnits(boundTo unit: String) {
        guard mustLook else { return }
        mustLook = false
        services.units(matching: Self.pattern, boundTo: unit) { [weak self] answer in
            guard let self else { return }
            guard case .success(let units) = answer else {
                mustLook = true
                return
            }
            for unit in units where !own.contains(unit) { end(left: unit) }
        }
    }

    private func end(left unit: String) {
        report("'\(unit)' was left by an earlier run, and is ended")
        services.stop(unit) { _ in }
        // Of a failed one, too: then the manager forgets it.
        services.end(of: unit) { [weak self] answer in
            if case .failure = answer { self?.mustLook = true }
        }
    }
}
