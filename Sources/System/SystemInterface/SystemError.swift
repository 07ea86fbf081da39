// Errors of system calls: the kernel's error number, the operation, and its subject.
//
// Every call of this module that can fail has `throws(SystemError)`. Only `outcome(of:)` reads `errno`; it also
// repeats calls that a signal interrupted.

import CLinux
import Glibc

/// An error number of Linux (`errno`), without the C macros.
package struct ErrorNumber: RawRepresentable, Error, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let noSuchFile = ErrorNumber(rawValue: ENOENT)
    package static let notADirectory = ErrorNumber(rawValue: ENOTDIR)
    package static let isADirectory = ErrorNumber(rawValue: EISDIR)
    package static let alreadyExists = ErrorNumber(rawValue: EEXIST)
    package static let permissionDenied = ErrorNumber(rawValue: EACCES)
    package static let notPermitted = ErrorNumber(rawValue: EPERM)
    package static let invalidArgument = ErrorNumber(rawValue: EINVAL)
    package static let badDescriptor = ErrorNumber(rawValue: EBADF)
    package static let nameTooLong = ErrorNumber(rawValue: ENAMETOOLONG)
    package static let tooManySymbolicLinks = ErrorNumber(rawValue: ELOOP)
    package static let noSpace = ErrorNumber(rawValue: ENOSPC)
    package static let outOfMemory = ErrorNumber(rawValue: ENOMEM)
    package static let tooManyOpenFiles = ErrorNumber(rawValue: EMFILE)
    package static let tooManyOpenFilesInSystem = ErrorNumber(rawValue: ENFILE)
    package static let busy = ErrorNumber(rawValue: EBUSY)
    package static let staleHandle = ErrorNumber(rawValue: ESTALE)
    package static let addressInUse = ErrorNumber(rawValue: EADDRINUSE)
    package static let connectionRefused = ErrorNumber(rawValue: ECONNREFUSED)
    package static let connectionReset = ErrorNumber(rawValue: ECONNRESET)
    package static let brokenPipe = ErrorNumber(rawValue: EPIPE)
    package static let wouldBlock = ErrorNumber(rawValue: EAGAIN)
}

extension ErrorNumber: CustomStringConvertible {
    /// For example `Permission denied (EACCES)`.
    package var description: String {
        // Both C functions return constant strings, or NULL for an unknown number.
        guard let text = unsafe clinux_error_text(rawValue),
            let name = unsafe clinux_error_name(rawValue)
        else { return "unknown error \(rawValue)" }
        return unsafe "\(String(cString: text)) (\(String(cString: name)))"
    }
}

/// A failed system call: `cannot open '/x': Permission denied (EACCES)`.
package struct SystemError: Error, Hashable, Sendable {
    /// The kernel's error number.
    package let code: ErrorNumber
    /// The attempted operation, as a verb for "cannot …".
    package let operation: String
    /// The path or object of the operation; empty if there is none worth naming.
    package let subject: String
    /// The remedy, or what was found instead; empty if the number is sufficient.
    package let advice: String

    package init(
        _ code: ErrorNumber, operation: String, subject: String = "", advice: String = ""
    ) {
        self.code = code
        self.operation = operation
        self.subject = subject
        self.advice = advice
    }
}

extension SystemError: CustomStringConvertible {
    package var description: String {
        var text = "cannot \(operation)"
        if !subject.isEmpty { text += " '\(subject)'" }
        text += ": \(code)"
        if !advice.isEmpty { text += "; \(advice)" }
        return text
    }
}

/// Makes one system call, again if a signal interrupts it.
///
/// `call` must make the system call last, because `errno` is read after it.
func systemCall<Value: SignedInteger>(
    _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String = "",
    _ call: () -> Value
) throws(SystemError) -> Value {
    switch outcome(of: call) {
    case .success(let value): return value
    case .failure(let code):
        throw SystemError(code, operation: operation(), subject: subject())
    }
}

/// The outcome of a system call whose failures are results to examine, not errors to pass on.
func outcome<Value: SignedInteger>(of call: () -> Value) -> Result<Value, ErrorNumber> {
    while true {
        let value = call()
        if value >= 0 { return .success(value) }
        let number = errno
        if number != EINTR { return .failure(ErrorNumber(rawValue: number)) }
    }
}
