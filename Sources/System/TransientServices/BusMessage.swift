// A message of D-Bus, written or read.
//
// Writing remembers its first failure, which is checked once, before the message is sent. Only functions of sd-bus
// that take no variable arguments are used: Swift cannot call the others.

import CSystemd
import Glibc

/// Owns a message.
@safe final class BusMessage {
    let message: OpaquePointer
    /// The first failure of a write, as a negative error number; 0 if there was none.
    private(set) var failure: Int32 = 0

    /// Takes over a reference to a message.
    init(adopting message: OpaquePointer) {
        unsafe self.message = message
    }

    /// Keeps a message that sd-bus lends to a callback.
    init(retaining message: OpaquePointer) {
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
    private func append<Number: FixedWidthInteger & BitwiseCopyable>(
        _ letter: Character, _ number: Number
    ) {
        var number = number
        // Our reference keeps the message; sd-bus reads a number of this type before it returns.
        note(unsafe sd_bus_message_append_basic(message, type(letter), &number))
    }

    func append(_ text: String) {
        // A string's address is passed as it is: it is a C string for the length of the call.
        note(
            unsafe text.withCString {
                unsafe sd_bus_message_append_basic(message, type("s"), $0)
            })
    }

    func append(_ number: UInt32) { append("u", number) }
    func append(_ number: Int32) { append("i", number) }

    /// Writes a container of `kind` (`a`, `v` or `r`) with the types `contents`.
    func container(_ kind: Character, _ contents: String, _ write: () -> Void) {
        // Our reference keeps the message; the types are a C string for the length of the call.
        note(unsafe sd_bus_message_open_container(message, type(kind), contents))
        write()
        note(unsafe sd_bus_message_close_container(message))
    }

    func append(_ texts: [String]) {
        container("a", "s") { for text in texts { append(text) } }
    }

    /// Writes an array of properties with their values.
    func append(_ properties: [UnitProperty]) {
        container("a", "(sv)") {
            for property in properties {
                container("r", "sv") {
                    append(property.name)
                    append(property.value)
                }
            }
        }
    }

    private func append(_ value: UnitProperty.Value) {
        switch value {
        case .flag(let flag): container("v", "b") { append("b", flag ? Int32(1) : 0) }
        case .integer(let number): container("v", "i") { append("i", number) }
        case .count(let number): container("v", "u") { append("u", number) }
        case .size(let number): container("v", "t") { append("t", number) }
        case .text(let text): container("v", "s") { append(text) }
        case .texts(let texts): container("v", "as") { append(texts) }
        // sd-bus duplicates the descriptor, and closes the duplicate with the message.
        case .descriptor(let number): container("v", "h") { append("h", number) }
        case .allowed(let texts):
            container("v", "(bas)") {
                container("r", "bas") {
                    append("b", Int32(1))
                    append(texts)
                }
            }
        case .command(let arguments):
            container("v", "a(sasb)") {
                container("a", "(sasb)") {
                    container("r", "sasb") {
                        append(arguments.first ?? "")
                        append(arguments)
                        append("b", Int32(0))
                    }
                }
            }
        }
    }
}
