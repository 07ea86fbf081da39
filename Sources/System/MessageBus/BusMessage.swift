// A message of D-Bus, written or read.
//
// Writing remembers its first failure, which is checked once, before the message is sent. Only functions of sd-bus
// that take no variable arguments are used: Swift cannot call the others.

import CSystemd
import Glibc

/// Owns a message.
@safe package final class BusMessage {
    package let message: OpaquePointer
    /// The first failure of a write, as a negative error number; 0 if there was none.
    package private(set) var failure: Int32 = 0

    /// Takes over a reference to a message.
    package init(adopting message: OpaquePointer) {
        unsafe self.message = message
    }

    /// Keeps a message that sd-bus lends to a callback.
    package init(retaining message: OpaquePointer) {
        // The message lives during the callback, and from here on by our reference.
        unsafe self.message = unsafe sd_bus_message_ref(message)
    }

    deinit {
        // Our own reference, released only here. The last one closes duplicated descriptors.
        _ = unsafe sd_bus_message_unref(message)
    }

    // MARK: Writing

    private func note(_ result: Int32) {
        if result < 0, failure == 0 { failure = result }
    }

    private func type(_ letter: Character) -> CChar { CChar(letter.asciiValue ?? 0) }

    /// Writes a number; `Number` is the type that `letter` stands for.
    private func append<Number: BitwiseCopyable>(
        _ letter: Character, _ number: Number
    ) {
        var number = number
        // Our reference keeps the message; sd-bus reads a number of this type before it returns.
        note(unsafe sd_bus_message_append_basic(message, type(letter), &number))
    }

    package func append(_ text: String) {
        // A string's address is passed as it is: it is a C string for the length of the call.
        note(
            unsafe text.withCString {
                unsafe sd_bus_message_append_basic(message, type("s"), $0)
            })
    }

    package func append(_ number: UInt32) { append("u", number) }
    package func append(_ number: Int32) { append("i", number) }
    package func append(_ number: UInt64) { append("t", number) }
    package func append(_ number: Double) { append("d", number) }
    package func append(_ flag: Bool) { append("b", flag ? Int32(1) : 0) }

    /// Writes a descriptor, which is duplicated: the duplicate is closed with the message.
    package func append(descriptor number: Int32) { append("h", number) }

    /// Writes a container of `kind` (`a`, `v`, `r`, or `e` for an entry of a dictionary) with the types `contents`.
    package func container(_ kind: Character, _ contents: String, _ write: () -> Void) {
        // Our reference keeps the message; the types are a C string for the length of the call.
        note(unsafe sd_bus_message_open_container(message, type(kind), contents))
        write()
        note(unsafe sd_bus_message_close_container(message))
    }

    package func append(_ texts: [String]) {
        container("a", "s") { for text in texts { append(text) } }
    }
}
