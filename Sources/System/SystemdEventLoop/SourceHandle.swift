// The owner of an sd_event_source, and helpers for all kinds of sources.

import CSystemd
import EventLoops
import Glibc
import SystemInterface

/// Owns an event source; disables and releases it in its deinit.
///
/// May be destroyed while the source's own callback runs: sd-event keeps the source until that returns.
@safe struct SourceHandle: ~Copyable {
    private let source: OpaquePointer

    /// Takes ownership of the reference from `sd_event_add_…`.
    init(adopting source: OpaquePointer) {
        unsafe self.source = source
    }

    deinit {
        // We own the source, and release our reference only here.
        _ = unsafe sd_event_source_disable_unref(source)
    }

    /// To sd-event, a lower number goes first.
    func setPriority(_ priority: LoopPriority) {
        let number = Int64(priority.rawValue) * 10
        mustWork(unsafe sd_event_source_set_priority(source, number), "set a priority")
    }

    func enableOnce() {
        mustWork(
            unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT)), "start a source")
    }

    func disable() {
        mustWork(unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF)), "rest a source")
    }

    func setTime(_ microseconds: UInt64) {
        mustWork(unsafe sd_event_source_set_time(source, microseconds), "set a timer")
    }

    /// Changes of our sources fail only for lack of kernel memory or because of a closed descriptor.
    private func mustWork(_ result: Int32, _ operation: String) {
        precondition(
            result >= 0, "cannot \(operation): \(ErrorNumber(rawValue: -result))")
    }
}

/// Turns negative results of libsystemd into errors.
@discardableResult
func checkSystemd(
    _ result: Int32, _ operation: @autoclosure () -> String,
    _ subject: @autoclosure () -> String = ""
) throws(SystemError) -> Int32 {
    if result >= 0 { return result }
    throw SystemError(ErrorNumber(rawValue: -result), operation: operation(), subject: subject())
}

/// Creates a source: calls the `sd_event_add_…` that writes its address, and takes ownership.
func addSource(
    _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String = "",
    priority: LoopPriority, _ add: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
) throws(SystemError) -> SourceHandle {
    var created: OpaquePointer?
    // The pointer is to a local variable; on success it holds a reference that we own.
    try checkSystemd(unsafe add(&created), operation(), subject())
    guard let created = unsafe created else {
        throw SystemError(.outOfMemory, operation: operation())
    }
    let handle = unsafe SourceHandle(adopting: created)
    handle.setPriority(priority)
    return handle
}

/// The object behind a callback's user data, retained as long as the caller retains the result.
///
/// Safe because each source has its own object as user data, and that object disables the source in its deinit.
func owner<Owner: AnyObject>(_ userdata: UnsafeMutableRawPointer?, _: Owner.Type) -> Owner? {
    guard let userdata = unsafe userdata else { return nil }
    return unsafe Unmanaged<Owner>.fromOpaque(userdata).takeUnretainedValue()
}

/// An object as user data; see `owner`.
func userdata(for owner: AnyObject) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(owner).toOpaque()
}
