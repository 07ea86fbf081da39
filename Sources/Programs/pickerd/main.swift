internal import CPluginGuard
internal import Glibc
internal import SystemInterface

// The exit status: 0 stopped, 1 a fault of the daemon or the machine, 2 of the command line, 78 a missing
// settings file that the command line names.

// Under this name the program is the guard of a plugin, which needs nothing of the daemon.
if CommandLine.arguments.first == CurrentProcess.pluginGuard {
    // The arguments that the process was started with, which are never changed.
    exit(unsafe cpluginguard_run(CommandLine.argc, CommandLine.unsafeArgv))
}
CurrentProcess.openStandardDescriptors()
// A client or reader of the log that disconnects must not end the daemon: the write returns an error
// instead.
signal(SIGPIPE, SIG_IGN)
exit(PickerdCommand.start())
