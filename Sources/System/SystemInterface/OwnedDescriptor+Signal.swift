// A signal as something to wait for.

import CLinux

extension OwnedDescriptor {
    /// A descriptor that is readable once the process got the signal `number`, which it then ignores otherwise. To be
    /// called before any other thread is started: those that run already still take the signal.
    package static func signal(_ number: Int32) throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(
            adopting: try systemCall("wait for a signal") { clinux_signal_descriptor(number) })
    }
}
