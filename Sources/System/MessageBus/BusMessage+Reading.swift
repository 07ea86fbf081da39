// Reading of answers and signals.

import CSystemd
import Glibc

extension BusMessage {
    /// An error that was sent in place of an answer; `nil` if this is an answer.
    package var error: (name: String, message: String)? {
        // The error and its strings belong to the message, and are copied.
        guard let error = unsafe sd_bus_message_get_error(message) else { return nil }
        let name = unsafe error.pointee.name.map { unsafe String(cString: $0) } ?? ""
        let text = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? ""
        return (name, text)
    }

    /// The object that a signal is about.
    package var path: String {
        // The string belongs to the message, and is copied.
        unsafe sd_bus_message_get_path(message).map { unsafe String(cString: $0) } ?? ""
    }

    /// The interface and the name of a signal, joined by a dot.
    package var member: String {
        // The strings belong to the message, and are copied.
        let interface = unsafe sd_bus_message_get_interface(message)
        let member = unsafe sd_bus_message_get_member(message)
        guard let interface = unsafe interface, let member = unsafe member else { return "" }
        return unsafe String(cString: interface) + "." + String(cString: member)
    }

    /// Begins again, for another reader.
    package func rewind() {
        // Our reference keeps the message.
        _ = unsafe sd_bus_message_rewind(message, 1)
    }

    /// Reads a string (`s`) or the path of an object (`o`); `nil` if there is none next.
    package func readText(_ letter: Character = "s") -> String? {
        var text: UnsafePointer<CChar>?
        // sd-bus writes an address into the message, which is copied.
        let result = unsafe sd_bus_message_read_basic(message, code(letter), &text)
        guard result > 0, let text = unsafe text else { return nil }
        return unsafe String(cString: text)
    }

    /// Reads an array of properties (`a{sv}`), and keeps those of `names` whose type is plain. `nil` if there is no
    /// such array, or its end cannot be read.
    package func readProperties(_ names: Set<String>) -> [String: ReceivedValue]? {
        var values: [String: ReceivedValue] = [:]
        guard enter("a", "{sv}") else { return nil }
        while enter("e", "sv") {
            guard let name = readText() else { return nil }
            if names.contains(name) {
                values[name] = readVariant()
            } else if !skip("v") {
                return nil
            }
            guard leave() else { return nil }
        }
        return leave() ? values : nil
    }

    private func readVariant() -> ReceivedValue? {
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        // sd-bus writes into both local variables; the types belong to the message, and are copied.
        guard unsafe sd_bus_message_peek_type(message, &kind, &contents) > 0,
            kind == code("v"), let types = unsafe contents.map({ unsafe String(cString: $0) })
        else { return nil }
        // A job is its number, which is 0 for none, and its path.
        guard types.count == 1 || types == "(uo)" || types == "as" else {
            _ = skip("v")
            return nil
        }
        guard enter("v", types) else { return nil }
        var value: ReceivedValue?
        if types == "as" {
            value = readTexts().map { .texts($0) }
        } else if types == "(uo)" {
            if enter("r", "uo") {
                value = readNumber("u")
                _ = readText("o")
                _ = leave()
            }
        } else if let letter = types.first {
            value = readBasic(letter)
        }
        return leave() ? value : nil
    }

    private func readTexts() -> [String]? {
        guard enter("a", "s") else { return nil }
        var texts: [String] = []
        while let text = readText() { texts.append(text) }
        return leave() ? texts : nil
    }

    private func readBasic(_ letter: Character) -> ReceivedValue? {
        switch letter {
        case "s", "o": readText(letter).map { .text($0) }
        case "b", "i", "u", "t", "x": readNumber(letter)
        default: nil
        }
    }

    private func readNumber(_ letter: Character) -> ReceivedValue? {
        switch letter {
        case "b", "i": read(letter, Int32(0))
        case "u": read(letter, UInt32(0))
        case "x": read(letter, Int64(0))
        case "t": read(letter, UInt64(0))
        default: nil
        }
    }

    /// Reads a number; `Number` is the type that `letter` stands for.
    private func read<Number: FixedWidthInteger & BitwiseCopyable>(
        _ letter: Character, _ zero: Number
    ) -> ReceivedValue? {
        var number = zero
        // sd-bus checks that the letter is next, and writes a number of its type.
        let result = unsafe sd_bus_message_read_basic(message, code(letter), &number)
        return result > 0 ? .number(Int64(clamping: number)) : nil
    }

    // MARK: Containers

    private func code(_ letter: Character) -> CChar { CChar(letter.asciiValue ?? 0) }

    /// Goes into a container of `kind` with the types `contents`; false if there is none next.
    package func enter(_ kind: Character, _ contents: String) -> Bool {
        // Our reference keeps the message; the types are a C string for the length of the call.
        unsafe sd_bus_message_enter_container(message, code(kind), contents) > 0
    }

    /// Leaves a container that was read to its end.
    package func leave() -> Bool {
        // Our reference keeps the message.
        unsafe sd_bus_message_exit_container(message) >= 0
    }

    /// Passes over values of these types.
    package func skip(_ types: String) -> Bool {
        // Our reference keeps the message; the types are a C string for the length of the call.
        unsafe sd_bus_message_skip(message, types) >= 0
    }
}
