import Glibc

// A write to a socket that nobody reads is then an ordinary error.
signal(SIGPIPE, SIG_IGN)
exit(DesktopProgram.run(Array(CommandLine.arguments.dropFirst())))
