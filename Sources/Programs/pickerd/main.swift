internal import Glibc
internal import SystemInterface

// The exit status says whose fault it is: 0 told to end, 1 the daemon's or the machine's, 2 the
// command line's, 78 a settings file's that the command line names.

CurrentProcess.openStandardDescriptors()
// A client or a reader of the log that goes is no end: the write that meets nobody is an error like others.
signal(SIGPIPE, SIG_IGN)
exit(PickerdCommand.start())
