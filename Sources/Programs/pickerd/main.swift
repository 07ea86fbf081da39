internal import Glibc
internal import SystemInterface

// The exit status: 0 stopped, 1 a fault of the daemon or the machine, 2 of the command line, 78 a missing
// settings file that the command line names.

CurrentProcess.openStandardDescriptors()
// A client or reader of the log that disconnects must not end the daemon: the write returns an error
// instead.
signal(SIGPIPE, SIG_IGN)
exit(PickerdCommand.start())
