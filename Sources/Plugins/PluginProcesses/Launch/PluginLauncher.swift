package import SystemInterface

/// Starts the processes of plugins, in one of the ways that a machine offers.
package protocol PluginLauncher: AnyObject {
    /// Starts a process with `socket` as its descriptor 3, and its standard output and error in `output`. Both are
    /// closed here once they are its own.
    ///
    /// `ended` is called once, never from within this call: when nothing of the plugin runs any more, or if it could
    /// not be started.
    func launch(
        _ launch: PluginLaunch, socket: DescriptorBox, output: DescriptorBox,
        ended: @escaping (PluginEnd) -> Void
    ) -> any LaunchedPlugin
}

/// A process that was started. It is retained until its end was told.
package protocol LaunchedPlugin: AnyObject {
    /// Its process id, if it is a child of this process.
    var pid: Int? { get }
    /// Its unit, if a service manager runs it.
    var unit: String? { get }
    /// What keeps it in its bounds: `full`, `seccomp` or `inherited`; nil while that is not known.
    var sandbox: String? { get }

    /// Ends it, and whatever it has started: with SIGTERM, and two seconds later with SIGKILL.
    func end()

    /// The connection on its descriptor 3 is at its end, so it has ended, or should. May be called several times.
    func connectionEnded()
}
