// The one owner of an sd_event_source, and what all kinds of sources need.

import CSystemd
import Glibc
import SystemInterface

/// Owns an event source; switches it off and lets it go at the end of its life.
///
/// May go while the source's own callback runs: sd-event keeps the source until that returns.
@safe struct SourceHandle: ~Copyable {
    private let source: OpaquePointer

    /// Takes over the reference that an `sd_event_add_…` gave.
    init(adopting source: OpaquePointer) {
        unsafe self.source = source
    }

    deinit {
        // The source is ours, and our reference is given up only here.
        _ = unsafe sd_event_source_disable_unref(source)
    }

    func setPriority(_ priority: Int64) {
        mustWork(unsafe sd_event_source_set_priority(source, priority), "set a priority")
    }

    func enable() {
        mustWork(unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_ON)), "start a source")
    }

    func enableOnce() {
        mustWork(
            unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT)), "start a source")
    }

    func disable() {
        mustWork(unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF)), "rest a source")
    }

    func setIOEvents(_ events: IOEvents) {
        mustWork(
            unsafe sd_event_source_set_io_events(source, events.rawValue), "watch a descriptor")
    }

    func setTime(_ microseconds: UInt64) {
        mustWork(unsafe sd_event_source_set_time(source, microseconds), "set a timer")
    }

    /// What changes a source of ours fails only for a lack of kernel memory or a closed descriptor.
    private func mustWork(_ result: Int32, _ operation: String) {
        precondition(
            result >= 0, "cannot \(operation): \(ErrorNumber(rawValue: -result))")
    }
}

/// How priorities are numbered for sd-event: lower goes first.
enum SourcePriority {
    static func source(_ priority: LoopPriority) -> Int64 { Int64(priority.rawValue) * 10 }
}

/// Where the negative results of libsystemd become errors.
@discardableResult
func checkSystemd(
    _ result: Int32, _ operation: @autoclosure () -> String,
    _ subject: @autoclosure () -> String = ""
) throws(SystemError) -> Int32 {
    if result >= 0 { return result }
    throw SystemError(ErrorNumber(rawValue: -result), operation: operation(), subject: subject())
}

/// Makes a source: runs the `sd_event_add_…` that writes its address, and takes it over.
func addSource(
    _ operation: @autoclosure () -> String, _ subject: @autoclosure () -> String = "",
    priority: Int64, _ add: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
) throws(SystemError) -> SourceHandle {
    var created: OpaquePointer?
    // The pointer is to a local variable; on success it holds a reference that is ours.
    try checkSystemd(unsafe add(&created), operation(), subject())
    guard let created = unsafe created else {
        throw SystemError(.outOfMemory, operation: operation())
    }
    let handle = unsafe SourceHandle(adopting: created)
    handle.setPriority(priority)
    return handle
}

/// The object behind a callback's user data, held for as long as the caller holds the result.
///
/// Sound because each source is given its own object as user data, and that object disables the
/// source before it goes.
func owner<Owner: AnyObject>(_ userdata: UnsafeMutableRawPointer?, _: Owner.Type) -> Owner? {
    guard let userdata = unsafe userdata else { return nil }
    return unsafe Unmanaged<Owner>.fromOpaque(userdata).takeUnretainedValue()
}

/// An object as user data; see `owner`.
func userdata(for owner: AnyObject) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(owner).toOpaque()
}
