// The end of writes to a file, in a process that starts others.

import Glibc

/// Closes a written file, and returns when no process has it open for writing any more.
///
/// A process started by another test has copies of all descriptors between its fork and its exec, which can
/// take long on a busy machine. For a watcher of its folder, a file is being written until the last copy is
/// closed: a change would be noticed too late.
package func closeWritten(_ descriptor: Int32) {
    // Of the same file, whatever its name; the C string lives as long as the call.
    let reading = unsafe open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
    close(descriptor)
    guard reading >= 0 else { return }
    // Linux grants this lease while nobody has the file open for writing, and otherwise refuses it with EAGAIN.
    _ = waitUntil { fcntl(reading, setLease, F_RDLCK) == 0 || errno != EAGAIN }
    _ = fcntl(reading, setLease, F_UNLCK)
    close(reading)
}

/// F_SETLEASE, which the C library defines only for GNU programs.
private let setLease: Int32 = 1024
