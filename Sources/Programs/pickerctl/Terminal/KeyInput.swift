import Glibc
import PickerClient
import SystemInterface

/// A terminal in a mode without line buffering and echo.
final class KeyInput {
    // Closed with this object, at the end of the program.
    private let box: DescriptorBox
    private var before = termios()
    private var watch: PollWatch?

    /// Whether a typed key ends a program: q, or Ctrl-D, which is the end of input.
    static func isQuit(_ key: UInt8) -> Bool {
        [4, UInt8(ascii: "q"), UInt8(ascii: "Q")].contains(key)
    }

    /// Switches the mode; nil if that fails.
    init?(descriptor: Int32) {
        box = DescriptorBox(OwnedDescriptor(adopting: descriptor))
        // The call fills in the object's own memory.
        guard unsafe tcgetattr(descriptor, &before) == 0 else { return nil }
        begin()
    }

    /// Has no effect in the background, where another program uses the terminal.
    func begin() {
        guard tcgetpgrp(box.number) == getpgrp() else { return }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // The structure is a local variable that outlives the call.
        _ = unsafe tcsetattr(box.number, TCSADRAIN, &raw)
    }

    /// Restores the mode.
    func restore() {
        guard tcgetpgrp(box.number) == getpgrp() else { return }
        // The structure is the object's own and outlives the call.
        _ = unsafe tcsetattr(box.number, TCSADRAIN, &before)
    }

    /// Calls `handler` with typed keys, and once with nil at the end of input.
    func follow(on loop: PollLoop, _ handler: @escaping ([UInt8]?) -> Void) {
        watch = loop.watch(box.number, for: .readable) { [weak self] _ in
            guard let self else { return }
            let typed = read()
            if typed == nil { stop() }
            handler(typed)
        }
    }

    func stop() {
        watch?.cancel()
        watch = nil
    }

    /// The typed keys; nil at the end of input.
    private func read() -> [UInt8]? {
        // In the background, a read would stop the program.
        guard tcgetpgrp(box.number) == getpgrp() else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        switch try? box.descriptor.read(into: &bytes) {
        case .bytes(let count): return Array(bytes[..<count])
        case .wouldBlock: return []
        case .closed, nil: return nil
        }
    }
}
