// Tests of pickerd as it is run: a process of its own, real folders, a real socket.
//
// Nothing waits for a guessed length of time. `sync` says that the daemon has seen the folder; what
// comes by itself is awaited with a deadline. Each test ends only the processes that it started.

import Testing

/// All tests that start a daemon; one at a time, since they measure time and memory.
@Suite("The daemon, from outside", .serialized)
struct IntegrationTests {}
