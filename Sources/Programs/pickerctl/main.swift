import CPluginGuard
import Glibc
import SystemInterface

// Under this name the program is the guard of a plugin that it tries or checks, as the daemon is of those that it has.
if CommandLine.arguments.first == CurrentProcess.pluginGuard {
    // The arguments that the process was started with, which are never changed.
    exit(unsafe cpluginguard_run(CommandLine.argc, CommandLine.unsafeArgv))
}
exit(Program.run(RawArguments.all))
