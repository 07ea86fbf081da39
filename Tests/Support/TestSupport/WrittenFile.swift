// The end of writing to a file, in a process that starts others.

import Glibc

/// Closes a file that was written to, and returns when nobody has it open for writing any more.
///
/// A process that another test starts has a copy of all descriptors from its fork to its exec, which can
/// be long on a busy machine. A file is written to, for whoever watches its folder, until the last copy is
/// closed: what is to be noticed after this call would be noticed later.
package func closeWritten(_ descriptor: Int32) {
    // Of the same file, whatever it is called by now; the C string lives as long as the call.
    let reading = unsafe open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
    close(descriptor)
    guard reading >= 0 else { return }
    // Linux grants this lease while nobody has the file open for writing, and refuses it with EAGAIN else.
    _ = waitUntil { fcntl(reading, setLease, F_RDLCK) == 0 || errno != EAGAIN }
    _ = fcntl(reading, setLease, F_UNLCK)
    close(reading)
}

/// F_SETLEASE, which the C library has for GNU programs only.
private let setLease: Int32 = 1024
