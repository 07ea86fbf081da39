// Calls of other programs, and answers to them.

import CSystemd
import Glibc

extension BusMessage {
    /// Whether this is a call of a method.
    package var isCall: Bool {
        // Our reference keeps the message; without names each call is one.
        unsafe sd_bus_message_is_method_call(message, nil, nil) > 0
    }

    /// Who has sent it: the unique name of a connection, which no other ever gets; empty without a bus.
    package var sender: String {
        // The string belongs to the message, and is copied.
        unsafe sd_bus_message_get_sender(message).map { unsafe String(cString: $0) } ?? ""
    }

    /// The types of its values.
    package var signature: String {
        // The string belongs to the message, and is copied.
        unsafe sd_bus_message_get_signature(message, 1).map { unsafe String(cString: $0) } ?? ""
    }

    /// Whether the caller waits for an answer.
    package var isAnswerExpected: Bool { unsafe sd_bus_message_get_expect_reply(message) > 0 }

    /// The answer to this call, to be written; nil without memory.
    package func makeAnswer() -> BusMessage? {
        var created: OpaquePointer?
        // The pointer is to a local variable; on success it holds a reference that we own.
        let result = unsafe sd_bus_message_new_method_return(message, &created)
        guard result >= 0, let created = unsafe created else { return nil }
        return unsafe BusMessage(adopting: created)
    }

    /// An error in place of an answer to this call; nil without memory.
    package func makeError(_ name: String, _ text: String) -> BusMessage? {
        var created: OpaquePointer?
        // The strings are C strings for the length of the call, which copies them.
        let result = unsafe name.withCString { name in
            unsafe text.withCString { text in
                var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                return unsafe sd_bus_message_new_method_error(message, &created, &error)
            }
        }
        guard result >= 0, let created = unsafe created else { return nil }
        return unsafe BusMessage(adopting: created)
    }

    /// Reads texts from an array of strings up to `most` of them and `bytes` in all, and nothing behind them; nil if no
    /// array of strings is next.
    package func readTexts(atMost most: Int, bytes: Int) -> [String]? {
        guard enter("a", "s") else { return nil }
        var texts: [String] = []
        var left = bytes
        while texts.count < most, let text = readText() {
            left -= text.utf8.count
            if left < 0 { break }
            texts.append(text)
        }
        return texts
    }
}
